import { expect, it } from 'vitest';
import { prepareJob, secretsOf } from '../../../../../src/platform/sources/sync-runs/jobs/prepare-job.js';
import type { SyncJob } from '../../../../../src/platform/sources/sync-runs/jobs/sync-job.js';

const job: SyncJob = {
  orgId: 'o',
  provider: 'host_a',
  targets: ['git'],
  repositories: ['a/b'],
  credential: { token: 'the-token', baseUrl: null, expiresAt: null },
  store: 'sqlite:units.db',
  locks: null,
  integrationNetworks: [],
  periodDays: 365,
  recordDays: null,
  mostRequests: 100,
  localRoot: null,
  rulesFile: null,
  prune: false,
  isDemo: false,
  finished: [],
  recordsBefore: 0,
};

it.each([
  ['postgres://u:pa%20ss@h/d', ['pa%20ss', 'pa ss']],
  ['postgres://u:100%@h/d', ['100%']], // no encoding, and still a password
  ['sqlite:units.db', []],
])('the secrets are the store %s, its password as written and decoded, and the token', (store, passwords) => {
  expect(new Set(secretsOf({ ...job, store }))).toEqual(new Set([store, ...passwords, 'the-token']));
});

it('the secrets include the address of the database with the locks, and its password', () => {
  const locks = 'postgres://u:pw1@h/d';
  expect(secretsOf({ ...job, locks })).toEqual(expect.arrayContaining([locks, 'pw1']));
});

it.each([
  ['clickhouse://localhost/units', 'postgres://db/platform'],
  ['chdb:units', null],
  ['postgres://localhost/units', null],
  ['sqlite:units.db', null],
])('a job that fills %s takes its locks in %s', (store, locks) => {
  const run = {
    id: 'r',
    org_id: 'o',
    attempts: 1,
    started_at: new Date(0),
    progress: {},
    result: null,
    notes: [],
    provider: 'synthetic',
    integration_id: null,
    secret_sealed: null,
    base_url: null,
    token_expires_at: null,
    inactive_reason: null,
    prune: false,
    is_demo: false,
    targets: ['git'],
    repositories: ['acme/api'],
  } as const;
  const settings = {
    store,
    database: 'postgres://db/platform',
    integrationNetworks: [],
    periodDays: 365,
    recordDays: null,
    mostRequests: 100,
    localRootOf: () => null,
    rulesFile: null,
  };
  const prepared = prepareJob(
    { ...run, targets: [...run.targets], repositories: [...run.repositories] },
    { ...settings, secrets: { open: () => '' } },
  );
  expect(prepared).toMatchObject({ job: { locks } });
});
