import { expect, it } from 'vitest';
import { secretsOf } from '../../../../src/platform/sync/jobs/prepare-job.js';
import type { SyncJob } from '../../../../src/platform/sync/jobs/sync-job.js';

const job: SyncJob = {
  orgId: 'o',
  provider: 'host_a',
  targets: ['git'],
  repositories: ['a/b'],
  credential: { token: 'the-token', baseUrl: null },
  store: 'sqlite:units.db',
  integrationNetworks: [],
  localRoot: null,
  rulesFile: null,
  isDemo: false,
  finished: [],
  recordsBefore: 0,
};

it.each([
  ['postgres://u:pa%20ss@h/d', ['pa%20ss', 'pa ss']],
  ['postgres://u:100%@h/d', ['100%']], // no encoding, and still a password
  ['sqlite:units.db', []],
])('nobody may see the store %s, its password as written and decoded, and the token', (store, passwords) => {
  expect(new Set(secretsOf({ ...job, store }))).toEqual(new Set([store, ...passwords, 'the-token']));
});
