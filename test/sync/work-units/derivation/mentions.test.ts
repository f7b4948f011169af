import { expect, test } from 'vitest';
import { countsFor, mentionOf } from '../../../../src/sync/work-units/derivation/links.js';

test.each([
  ['Merge pull request #3 from acme/fix\n\nRepair', { number: 3, kind: 'pull' }],
  [
    "Merge pull request 'Repair (#2) it's (#9)' (#12) from fix into main\n\nReviewed-on: x",
    { number: 12, kind: 'pull' },
  ],
  ['Repair (#4)', { number: 4, kind: 'squash' }],
  ["Merge branch 'fix' into 'main'\n\nSee merge request acme/app!5", { number: 5, kind: 'see' }],
  ['Merge pull request from fork', undefined],
])('The request that %j names', (message, mention) => {
  expect(mentionOf(message)).toEqual(mention);
});

test('A mention counts for requests of the hosts that write it', () => {
  const sources = ['local', 'host_a', 'host_b', 'gitea', 'synthetic', 'push'];
  expect(sources.filter((source) => countsFor('pull', source))).toEqual([
    'local',
    'host_a',
    'gitea',
    'synthetic',
    'push',
  ]);
  expect(sources.filter((source) => countsFor('squash', source))).toEqual(['host_a', 'gitea', 'synthetic', 'push']);
  expect(sources.filter((source) => countsFor('see', source))).toEqual(['local', 'host_b', 'synthetic', 'push']);
  expect(sources.filter((source) => countsFor('listed', source))).toEqual(sources);
  expect(sources.filter((source) => countsFor('changing', source))).toEqual([]);
});
