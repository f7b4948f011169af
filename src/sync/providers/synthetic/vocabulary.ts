/** The vocabulary of synthetic data: people, files, and changes of every subcategory. */

export interface Person {
  readonly name: string;
  readonly login: string;
  readonly email: string;
}

/** The login is the e-mail, as at some hosts: so the commits and the requests of a person have the same author. */
function person(name: string): Person {
  const email = `${name}@example.com`;
  return { name: `${name.charAt(0).toUpperCase()}${name.slice(1)} Example`, login: email, email };
}

/** The first four work on the frontend, the next four on the backend, then the platform, then operations. */
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

/** The part of the people that a change or a repository belongs to. */
export type Group = 'frontend' | 'backend' | 'platform' | 'operations';

export const GROUPS: readonly [Group, ...Group[]] = ['frontend', 'backend', 'platform', 'operations'];

/** The people of a group. The first ones write and review more than the last. */
export function membersOf(group: Group): readonly [Person, Person, Person, Person] {
  const first = 4 * GROUPS.indexOf(group);
  const [one = PEOPLE[0], two = one, three = one, four = one] = PEOPLE.slice(first, first + 4);
  return [one, two, three, four];
}

/** The group that mostly works on a repository, by a word of the repository's name. */
export const GROUP_OF_WORD: readonly (readonly [word: string, Group])[] = [
  ['web', 'frontend'],
  ['app', 'frontend'],
  ['api', 'backend'],
  ['payments', 'platform'],
];

/** Upgrades dependencies. */
export const UPGRADE_BOT: Person = {
  name: 'renovate[bot]',
  login: 'renovate[bot]',
  email: 'renovate[bot]@example.com',
};

export interface Change {
  readonly title: string;
  readonly labels: readonly string[];
  /** Who makes such changes more often than the others. */
  readonly group: Group;
  /** Where most of the changed files are: paths, or beginnings of paths. */
  readonly paths: readonly string[];
}

/**
 * A change of each subcategory of the taxonomy, and its frequency in percent: most are features, as in most products.
 */
export const CHANGES: readonly [readonly [frequency: number, change: Change], ...(readonly [number, Change])[]] = [
  [
    10,
    {
      title: 'feat(checkout): let customers save a cart',
      labels: ['feature', 'customer'],
      group: 'frontend',
      paths: ['src/app/checkout/', 'test/app/'],
    },
  ],
  [
    11,
    {
      title: 'feat(search): rank results by relevance',
      labels: ['feature', 'roadmap'],
      group: 'frontend',
      paths: ['src/app/search/'],
    },
  ],
  [
    10,
    {
      title: 'feat(api): list invoices by customer',
      labels: ['feature', 'customer'],
      group: 'backend',
      paths: ['src/api/', 'test/api/', 'migrations/'],
    },
  ],
  [
    9,
    {
      title: 'feat: add the reports of the new plan',
      labels: ['feature', 'roadmap'],
      group: 'backend',
      paths: ['src/jobs/', 'src/api/'],
    },
  ],
  [
    5,
    {
      title: 'feat(sdk): add a client for partners',
      labels: ['enablement'],
      group: 'platform',
      paths: ['src/api/', 'docs/'],
    },
  ],
  [
    3,
    {
      title: 'docs: explain the release process',
      labels: ['documentation'],
      group: 'operations',
      paths: ['docs/', 'README.md'],
    },
  ],
  [
    6,
    {
      title: 'fix(cart): keep quantities after a reload',
      labels: ['bug'],
      group: 'frontend',
      paths: ['src/app/checkout/', 'test/app/'],
    },
  ],
  [
    4,
    {
      title: 'fix: correct the rounding of totals',
      labels: ['bug'],
      group: 'backend',
      paths: ['src/api/', 'test/api/'],
    },
  ],
  [4, { title: 'test(orders): cover refunds', labels: ['testing'], group: 'backend', paths: ['test/api/'] }],
  [
    2,
    { title: 'test: replace a flaky test of the queue', labels: ['testing'], group: 'platform', paths: ['test/jobs/'] },
  ],
  [
    2,
    {
      title: 'perf(search): cache the index',
      labels: ['reliability'],
      group: 'frontend',
      paths: ['src/app/search/', 'src/storage/cache.ts'],
    },
  ],
  [
    2,
    {
      title: 'fix(jobs): retry mails with backoff',
      labels: ['reliability'],
      group: 'platform',
      paths: ['src/jobs/', 'test/jobs/'],
    },
  ],
  [
    7,
    {
      title: 'refactor(storage): split the connection pool',
      labels: ['refactor'],
      group: 'platform',
      paths: ['src/storage/'],
    },
  ],
  [
    5,
    {
      title: 'refactor: remove dead code from the router',
      labels: ['tech-debt'],
      group: 'frontend',
      paths: ['src/app/'],
    },
  ],
  [
    5,
    {
      title: 'chore(deps): upgrade the database driver',
      labels: ['dependencies'],
      group: 'platform',
      paths: ['package'],
    },
  ],
  [4, { title: 'build(deps): bump the test runner', labels: ['dependencies'], group: 'platform', paths: ['package'] }],
  [
    1,
    {
      title: 'hotfix: stop the queue from growing during the outage',
      labels: ['incident'],
      group: 'operations',
      paths: ['src/jobs/', 'deploy/'],
    },
  ],
  [
    1,
    {
      title: 'fix(support): answer tickets about wrong invoices',
      labels: ['support'],
      group: 'operations',
      paths: ['src/api/'],
    },
  ],
  [
    1,
    {
      title: 'chore(on-call): tune alerts that woke people up',
      labels: ['on-call'],
      group: 'operations',
      paths: ['deploy/'],
    },
  ],
  [
    3,
    {
      title: 'fix(auth): refuse expired sessions',
      labels: ['bug', 'security'],
      group: 'operations',
      paths: ['src/auth/', 'test/auth/'],
    },
  ],
  [
    3,
    {
      title: 'fix(deps): patch a vulnerability in the parser',
      labels: ['vulnerability', 'security'],
      group: 'operations',
      paths: ['package'],
    },
  ],
  [
    2,
    {
      title: 'feat(audit): keep the log that compliance asks for',
      labels: ['compliance'],
      group: 'operations',
      paths: ['src/auth/', 'migrations/'],
    },
  ],
];
