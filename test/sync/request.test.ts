import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConnection } from '../../src/sync/sinks/connection-string.js';
import type { SyncOptions } from '../../src/sync/options.js';
import { parseSyncRequest } from '../../src/sync/request.js';
import { parseInstant } from '../../src/sync/time-window.js';
import { NOW, requestFor } from './harness.js';

const LOCAL: SyncOptions = { target: 'git', provider: 'local', db: 'sqlite:x.db' };

function problems(options: SyncOptions, environment: Record<string, string> = {}): readonly string[] {
  const parsed = parseSyncRequest(options, environment, NOW);
  return parsed.ok ? [] : parsed.problems;
}

describe('a request', () => {
  it('has the documented defaults', () => {
    expect(requestFor(LOCAL)).toMatchObject({
      orgId: 'default',
      primary: { kind: 'sqlite', address: 'x.db' },
      secondary: undefined,
      selection: { name: basename(process.cwd()) },
      window: { since: undefined, until: undefined },
      maxCommits: undefined,
      pageSize: 100,
      batch: { size: 10, concurrency: 4, delayMilliseconds: 1000, maxRepos: undefined, continuous: false },
      workers: 4,
      token: undefined,
      echo: false,
    });
  });

  it('has larger pages for ClickHouse, unless BATCH_SIZE says otherwise', () => {
    const request = { ...LOCAL, db: 'clickhouse://h/d' };
    expect(requestFor(request).pageSize).toBe(1000);
    expect(requestFor(request, { BATCH_SIZE: '7' }).pageSize).toBe(7);
  });

  it('reads the environment, which options override', () => {
    const environment = {
      DATABASE_URI: 'postgres://u:p@h/d',
      HOST_A_TOKEN: 'env',
      BATCH_SIZE: '7',
      MAX_WORKERS: '2',
      DB_ECHO: 'TRUE',
      ORG_ID: 'acme',
      REPO_PATH: '/srv/x',
    };
    const hostA = { target: 'prs', provider: 'github', owner: 'acme', repo: 'widgets' };
    expect(requestFor(hostA, environment)).toMatchObject({
      provider: 'host_a',
      token: 'env',
      orgId: 'acme',
      pageSize: 7,
      echo: true,
      batch: { concurrency: 2 },
      primary: { kind: 'postgres' },
    });
    expect(requestFor({ ...hostA, auth: 'given', org: 'other', db: 'mongodb://h/d' }, environment)).toMatchObject({
      token: 'given',
      orgId: 'other',
      primary: { kind: 'mongo' },
    });
    expect(requestFor({ target: 'git', provider: 'local' }, environment).selection.name).toBe('x');
  });

  it('lists every wrong or missing value at once', () => {
    const options = {
      target: 'gti',
      provider: 'host_a',
      sink: 'both',
      batchSize: '0',
      maxConcurrent: 'many',
      rateLimitDelay: '-1',
      since: '2026-02-30',
      owner: 'acme',
      maxCommitsPerRepo: '1.5',
    };
    expect(problems(options, { DB_ECHO: 'perhaps' })).toEqual([
      expect.stringMatching(/target.*git, prs, blame/),
      expect.stringMatching(/DATABASE_URI.*--db embedded:.*PLUMBLINE_HOME/),
      expect.stringMatching(/SECONDARY_DATABASE_URI/),
      expect.stringMatching(/--since/),
      expect.stringMatching(/token.*HOST_A_TOKEN/),
      expect.stringMatching(/--owner and --repo.*--search/),
      expect.stringMatching(/--batch-size/),
      expect.stringMatching(/--max-concurrent/),
      expect.stringMatching(/--rate-limit-delay/),
      expect.stringMatching(/--max-commits-per-repo/),
      expect.stringMatching(/DB_ECHO/),
    ]);
  });

  it.each(['cicd', 'deployments', 'incidents', 'issues'])(
    'refuses %s of a clone and names the targets of a clone',
    (target) => {
      expect(problems({ ...LOCAL, target })).toEqual([expect.stringMatching(/has no .*: it has git, prs, blame/)]);
    },
  );

  it('allows --prune for git of clones and hosts only', () => {
    expect(problems({ ...LOCAL, target: 'git', prune: true })).toEqual([]);
    expect(problems({ ...LOCAL, target: 'prs', prune: true })).toEqual(['--prune is for git, and not for prs']);
    expect(problems({ target: 'git', provider: 'synthetic', db: 'sqlite:x', prune: true })).toEqual([
      '--prune is not for synthetic: its history is never rewritten',
    ]);
  });

  it.each(['host_b', 'synthetic'])('allows all seven targets for %s', (provider) => {
    for (const target of ['git', 'prs', 'blame', 'cicd', 'deployments', 'incidents', 'issues']) {
      expect(problems({ target, provider, db: 'sqlite:x', projectId: '7' })).toEqual([]);
    }
  });

  it.each([
    ['a project path for --project-id', { provider: 'host_b', projectId: 'group/project' }, /number, not its path/],
    ['a wildcard for synthetic', { provider: 'synthetic', search: 'acme/*' }, /cannot be a pattern/],
    ['a pattern without a group', { provider: 'host_b', search: 'api-*' }, /--group/],
    ['an owner that would change the address', { provider: 'host_a', auth: 'x', owner: '../..', repo: 'x' }, /--owner/],
    ['a URL with credentials', { provider: 'host_b', hostBUrl: 'https://a:b@h', projectId: '1' }, /--host-b-url/],
    [
      '--since together with --date',
      { provider: 'local', since: '2026-01-01', date: '2026-01-02' },
      /cannot be used together/,
    ],
    ['a secondary that is the primary', { provider: 'local', sink: 'both' }, /is the primary/],
    ['an unknown scheme', { provider: 'local', db: 'mysql://u:hunter2@h/d' }, /the scheme mysql/],
  ])('refuses %s', (_name, options, message) => {
    const found = problems({ ...LOCAL, ...options }, { SECONDARY_DATABASE_URI: 'sqlite:x.db' });
    expect(found).toEqual([expect.stringMatching(message)]);
    expect(found.join()).not.toContain('hunter2');
  });

  it('takes the group of a batch from --group, --owner or the pattern', () => {
    const batch = { target: 'git', provider: 'host_b', db: 'sqlite:x' };
    expect(requestFor({ ...batch, search: 'group/sub/api-*' }).selection).toMatchObject({
      name: 'group/sub/api-*',
      group: 'group/sub',
    });
    expect(requestFor({ ...batch, search: 'api-*', group: 'acme' }).selection).toMatchObject({
      name: 'api-*',
      group: 'acme',
    });
  });

  it('lists its secrets', () => {
    const { secrets } = requestFor({
      ...LOCAL,
      provider: 'host_b',
      projectId: '1',
      auth: 'tok',
      db: 'postgres://u:p%40ss@h/d',
    });
    expect(secrets).toEqual(expect.arrayContaining(['tok', 'p%40ss', 'p@ss']));
  });
});

describe('a time window', () => {
  const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);

  it.each([
    [{ date: '2024-03-01', backfill: '2' }, '2024-02-29', '2024-03-02'],
    [{ date: '2023-03-01', backfill: '2' }, '2023-02-28', '2023-03-02'],
    [{ date: '2025-01-01', backfill: '1' }, '2025-01-01', '2025-01-02'],
    [{ date: '2025-01-01' }, '2025-01-01', '2025-01-02'],
    [{ date: '2025-01-01', backfill: '366' }, '2024-01-02', '2025-01-02'],
    [{ backfill: '7' }, '2026-01-08', '2026-01-15'],
  ])('of %j begins with %s and ends before %s', (options, since, until) => {
    expect(requestFor({ ...LOCAL, ...options }).window).toEqual({ since: day(since), until: day(until) });
  });

  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:30', '2026-01-31T12:30:00.000Z'],
    ['2026-03-29 02:30:00', '2026-03-29T02:30:00.000Z'],
    ['2026-01-31T12:30:00+02:00', '2026-01-31T10:30:00.000Z'],
  ])('reads %s as %s', (text, instant) => {
    expect(parseInstant(text)).toBe(Date.parse(instant));
  });

  it.each([
    { since: '0001-01-01' },
    { since: '0001-01-01T00:00:00+23:59' },
    { since: '9999-12-31T23:59:59-23:59' },
    { date: '9999-12-31' },
    { date: '0001-01-01', backfill: '999999' },
    { backfill: '999999' },
  ])('of %j stays within the years 1 to 9999', (options) => {
    const { since, until } = requestFor({ ...LOCAL, ...options }).window;
    for (const end of [since, until])
      if (end !== undefined) expect(new Date(end).toISOString()).toMatch(/^(?!0000)\d{4}-/);
  });

  it.each([
    '0000-01-01',
    '0000-01-01T00:00:00Z',
    '10000-01-01',
    '+010000-01-01',
    '-000001-01-01',
    '2026-02-30',
    '2026-13-01',
    '2026-02-30T00:00:00Z',
    '31.01.2026',
    'yesterday',
    '2026-01-31T25:00',
    '',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('a connection string', () => {
  it.each([
    ['postgres://u:p@h:5/d?sslmode=require', 'postgres', 'postgres://u:p@h:5/d?sslmode=require'],
    ['postgresql+asyncpg://h/d', 'postgres', 'postgres://h/d'],
    ['mongodb+srv://h/d', 'mongo', 'mongodb+srv://h/d'],
    ['sqlite:data/x.db', 'sqlite', 'data/x.db'],
    ['sqlite:///x.db', 'sqlite', 'x.db'],
    ['sqlite:////var/x%20y.db', 'sqlite', '/var/x y.db'],
    ['clickhouse://u:p@h/d', 'clickhouse', 'http://u:p@h:8123/d'],
    ['clickhouse://h:9999/d?secure=true', 'clickhouse', 'https://h:9999/d'],
    ['clickhouse+https://h/d', 'clickhouse', 'https://h:8443/d'],
    ['chdb:data/records', 'clickhouse', 'chdb:data/records'],
    ['chdb:////var/my%20records', 'clickhouse', 'chdb:/var/my records'],
  ])('%s names %s at %s', (connection, kind, address) => {
    expect(parseConnection(connection)).toEqual({ kind, address });
  });

  it.each(['sqlite:data/100%.db', 'chdb:100%'])(
    '%s, which is not URL-encoded, is reported as a problem',
    (connection) => {
      expect(parseConnection(connection)).toHaveProperty('problem');
    },
  );

  it('names the built-in database with embedded:', () => {
    expect(parseConnection('embedded:')).toEqual({ kind: 'embedded' });
  });

  it.each([
    ['https://h:8443/d', 'clickhouse', 'https://h:8443/d'],
    ['x.db', 'sqlite', 'x.db'],
    ['tcp://h/d', 'postgres', 'postgres://h/d'],
  ] as const)('%s is ambiguous until --db-type says %s', (connection, kind, address) => {
    expect(parseConnection(connection)).toHaveProperty('problem');
    expect(parseConnection(connection, kind)).toEqual({ kind, address });
  });
});
