/** The vocabulary of synthetic data: people, files, and changes of every subcategory. */

export interface Person {
  readonly name: string;
  readonly login: string;
  readonly email: string;
}

function person(login: string): Person {
  return { name: `${login.charAt(0).toUpperCase()}${login.slice(1)} Example`, login, email: `${login}@example.com` };
}

/** The first four work on the frontend, the next four on the backend, and so on, so that teams differ. */
export const PEOPLE: readonly [Person, ...Person[]] = [
  person('amber'),
  person('basil'),
  person('coral'),
  person('dahlia'),
  person('ebony'),
  person('flint'),
  person('garnet'),
  person('hazel'),
  person('indigo'),
  person('jasper'),
  person('kale'),
  person('lilac'),
  person('maple'),
  person('olive'),
  person('pearl'),
  person('rowan'),
];

export const FILES: readonly [string, ...string[]] = [
  'README.md',
  'docs/guide.md',
  'docs/operations.md',
  'package.json',
  'package-lock.json',
  '.github/workflows/ci.yml',
  'deploy/service.yaml',
  'deploy/database.yaml',
  'migrations/0001_init.sql',
  'migrations/0002_orders.sql',
  'src/app/main.ts',
  'src/app/router.ts',
  'src/app/session.ts',
  'src/app/settings.ts',
  'src/app/theme.css',
  'src/app/checkout/cart.ts',
  'src/app/checkout/payment.ts',
  'src/app/search/index.ts',
  'src/app/search/ranking.ts',
  'src/api/server.ts',
  'src/api/errors.ts',
  'src/api/orders.ts',
  'src/api/customers.ts',
  'src/api/invoices.ts',
  'src/api/webhooks.ts',
  'src/auth/login.ts',
  'src/auth/tokens.ts',
  'src/auth/permissions.ts',
  'src/jobs/queue.ts',
  'src/jobs/mailer.ts',
  'src/jobs/reports.ts',
  'src/storage/pool.ts',
  'src/storage/cache.ts',
  'src/storage/blobs.ts',
  'test/api/orders.test.ts',
  'test/api/customers.test.ts',
  'test/auth/login.test.ts',
  'test/app/cart.test.ts',
  'test/jobs/queue.test.ts',
  'tools/release.ts',
  'tools/seed.ts',
];

export interface Change {
  readonly title: string;
  readonly labels: readonly string[];
}

/**
 * A change of each subcategory of the taxonomy, and its frequency in percent: most are features, as in most products.
 */
export const CHANGES: readonly [readonly [frequency: number, change: Change], ...(readonly [number, Change])[]] = [
  [10, { title: 'feat(checkout): let customers save a cart', labels: ['feature', 'customer'] }],
  [11, { title: 'feat(search): rank results by relevance', labels: ['feature', 'roadmap'] }],
  [10, { title: 'feat(api): list invoices by customer', labels: ['feature', 'customer'] }],
  [9, { title: 'feat: add the reports of the new plan', labels: ['feature', 'roadmap'] }],
  [5, { title: 'feat(sdk): add a client for partners', labels: ['enablement'] }],
  [3, { title: 'docs: explain the release process', labels: ['documentation'] }],
  [6, { title: 'fix(cart): keep quantities after a reload', labels: ['bug'] }],
  [4, { title: 'fix: correct the rounding of totals', labels: ['bug'] }],
  [4, { title: 'test(orders): cover refunds', labels: ['testing'] }],
  [2, { title: 'test: replace a flaky test of the queue', labels: ['testing'] }],
  [2, { title: 'perf(search): cache the index', labels: ['reliability'] }],
  [2, { title: 'fix(jobs): retry mails with backoff', labels: ['reliability'] }],
  [7, { title: 'refactor(storage): split the connection pool', labels: ['refactor'] }],
  [5, { title: 'refactor: remove dead code from the router', labels: ['tech-debt'] }],
  [5, { title: 'chore(deps): upgrade the database driver', labels: ['dependencies'] }],
  [4, { title: 'build(deps): bump the test runner', labels: ['dependencies'] }],
  [1, { title: 'hotfix: stop the queue from growing during the outage', labels: ['incident'] }],
  [1, { title: 'fix(support): answer tickets about wrong invoices', labels: ['support'] }],
  [1, { title: 'chore(on-call): tune alerts that woke people up', labels: ['on-call'] }],
  [3, { title: 'fix(auth): refuse expired sessions', labels: ['bug', 'security'] }],
  [3, { title: 'fix(deps): patch a vulnerability in the parser', labels: ['vulnerability', 'security'] }],
  [2, { title: 'feat(audit): keep the log that compliance asks for', labels: ['compliance'] }],
];
