/** When requests were open, and who reviewed them, by source. */
import { expect, it } from 'vitest';
import { timeZoneOf } from '../../../../src/analytics/time-zone.js';
import { UNASSIGNED } from '../../../../src/analytics/vocabulary.js';
import type { WorkUnit } from '../../../../src/analytics/work-unit.js';
import { createAuthorIdentifier } from '../../../../src/sync/work-units/authors/identify.js';
import { usualDelivery } from '../../../../src/sync/work-units/classify/delivery-rules.js';
import { requestUnit } from '../../../../src/sync/work-units/derivation/derive.js';
import { NOW } from '../../harness.js';
import { classifier, HOUR, requestRow, teamAssigner, type Changes } from './deriving.js';

const teams = teamAssigner(
  [
    { id: 'shop', name: 'Shop', members: [], repositories: ['acme/*'] },
    { id: 'kernel', name: 'Kernel', members: ['linus'], repositories: [] },
  ],
  'acme/shop',
  undefined,
);

type Submitted = readonly (readonly [reviewer: string, state: string])[];

function unitOf(request: Changes, reviews: Submitted = []): WorkUnit {
  return requestUnit(
    {
      repoId: 'repo',
      repo: 'acme/shop',
      identity: undefined,
      classifier,
      delivery: usualDelivery,
      teams,
      authors: createAuthorIdentifier([], ''),
      timeZone: timeZoneOf('UTC'),
      hasEpics: false,
    },
    {
      row: requestRow(1, { source: 'host_a', ...request }),
      commits: [],
      remaining: null,
      reviews: reviews.map(([reviewer, state], index) => ({ reviewer, state, submittedAt: NOW + index * HOUR })),
      deployedAt: null,
      issues: [],
    },
  );
}

it('Reviewers are other people with their own team, in the order of their names', () => {
  const reviews = [
    ['zoe', 'COMMENTED'],
    ['linus', 'APPROVED'],
    ['zoe', 'APPROVED'],
    ['grace', 'COMMENTED'],
    ['renovate[bot]', 'APPROVED'],
    ['draft', 'PENDING'],
  ] as const;
  expect(unitOf({}, reviews).reviewers).toEqual([
    { reviewer: 'linus', team: 'kernel', reviews: 1 },
    { reviewer: 'zoe', team: UNASSIGNED, reviews: 2 },
  ]);
});

it('A source that reports no reviews leaves them unknown; without any, nobody reviewed', () => {
  expect(unitOf({}).reviewers).toEqual([]);
  expect(unitOf({ source: 'local' }).reviewers).toBeUndefined();
  expect(unitOf({ source: 'host_b' }).reviewers).toBeUndefined();
});

it.each([
  ['open', { state: 'open', merged_at: null, closed_at: null }, null],
  ['merged', { created_at: NOW, merged_at: NOW + 3 * HOUR, closed_at: NOW + 4 * HOUR }, NOW + 3 * HOUR],
  ['closed', { state: 'closed', created_at: NOW, merged_at: null, closed_at: NOW + 4 * HOUR }, NOW + 4 * HOUR],
  [
    'closed at an unknown time',
    { state: 'closed', created_at: NOW, merged_at: null, closed_at: null, updated_at: NOW + HOUR },
    NOW + HOUR,
  ],
  ['closed by a clock that is behind', { created_at: NOW, merged_at: NOW - HOUR }, NOW],
] as const)('a request that is %s was open until then', (_what, changes, closedAt) => {
  const { openness } = unitOf({ created_at: NOW, ...changes });
  expect(openness).toEqual({ openedAt: NOW, closedAt });
});

it('nobody knows when a request of a clone was opened', () => {
  expect(unitOf({ source: 'local' }).openness).toBeUndefined();
});
