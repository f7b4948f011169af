/** The phases of requests, on timelines that are written down here. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeZoneOf } from '../../../../src/analytics/time-zone.js';
import { createAuthorIdentifier } from '../../../../src/sync/work-units/authors/identify.js';
import type { Author } from '../../../../src/sync/work-units/authors/authors-file.js';
import { usualDelivery } from '../../../../src/sync/work-units/classify/delivery-rules.js';
import { changesOf, commitFacts } from '../../../../src/sync/work-units/derivation/commits.js';
import { atOnce } from '../../../../src/contract/system/slices.js';
import { requestUnit } from '../../../../src/sync/work-units/derivation/derive.js';
import {
  affectedRequests,
  ProductionDeployments,
} from '../../../../src/sync/work-units/derivation/production-deployments.js';
import { NOW } from '../../harness.js';
import { classifier, commitRow, deploymentRow, HOUR, requestRow, teamAssigner, type Changes } from './deriving.js';

interface Timeline {
  readonly request?: Changes;
  /** Author dates. */
  readonly commits?: readonly number[];
  readonly reviews?: readonly (readonly [reviewer: string, state: string, at: number])[];
  readonly deployedAt?: number | null;
  readonly authors?: readonly Author[];
}

/** Hours after the request was opened. */
function at(hours: number): number {
  return NOW + hours * HOUR;
}

function unitOf({ request = {}, commits = [], reviews = [], deployedAt = null, authors = [] }: Timeline) {
  const teams = teamAssigner([], 'acme/shop', undefined);
  const row = requestRow(1, {
    source: 'host_a',
    created_at: at(0),
    merged_at: at(20),
    closed_at: at(20),
    first_commit_at: null,
    ...request,
  });
  const facts = commits.map((when, index) => {
    const commit = commitRow(String(index).repeat(40), { author_when: when, source: 'host_a' });
    return commitFacts(
      commit,
      atOnce(changesOf({ row: commit, churn: 0, aggregate: null, paths: [] }, classifier, teams)),
    );
  });
  return requestUnit(
    {
      repoId: 'repo',
      repo: 'acme/shop',
      identity: undefined,
      classifier,
      delivery: usualDelivery,
      teams,
      authors: createAuthorIdentifier(authors, ''),
      timeZone: timeZoneOf('UTC'),
      hasEpics: false,
    },
    {
      row,
      commits: facts,
      remaining: null,
      reviews: reviews.map(([reviewer, state, submittedAt]) => ({ reviewer, state, submittedAt })),
      deployedAt,
      issues: [],
    },
  );
}

function phasesOf(timeline: Timeline) {
  return unitOf(timeline).phases;
}

describe('the phases of a merged request', () => {
  it('run from the first commit over opening, first review and approval to the merge and the deployment', () => {
    expect(
      phasesOf({
        commits: [at(1), at(-5), at(-3)],
        reviews: [
          ['linus', 'COMMENTED', at(2)],
          ['linus', 'APPROVED', at(9)],
          ['ada', 'COMMENTED', at(12)],
        ],
        deployedAt: at(30),
      }),
    ).toEqual({
      coding: 5 * HOUR,
      pickup: 2 * HOUR,
      review: 7 * HOUR,
      merge: 11 * HOUR,
      deploy: 10 * HOUR,
      lead: 35 * HOUR,
    });
  });

  it('end the review with the last of several approvals, or with the last review without approval', () => {
    const first = ['linus', 'CHANGES_REQUESTED', at(1)] as const;
    const twice = phasesOf({ reviews: [first, ['ada', 'APPROVED', at(4)], ['linus', 'APPROVED', at(6)]] });
    expect(twice).toEqual({ pickup: HOUR, review: 5 * HOUR, merge: 14 * HOUR });
    const none = phasesOf({ reviews: [first, ['ada', 'DISMISSED', at(8)]] });
    expect(none).toEqual({ pickup: HOUR, review: 7 * HOUR, merge: 12 * HOUR });
  });

  it.each([
    ['of its author', [['grace', 'COMMENTED', at(1)]], []],
    ['of a bot', [['dependabot[bot]', 'APPROVED', at(1)]], []],
    ['that were not submitted', [['linus', 'PENDING', at(1)]], []],
    ['after the merge', [['linus', 'APPROVED', at(21)]], []],
    [
      "of its author's other account",
      [['grace-work', 'APPROVED', at(1)]],
      [{ author: 'Grace Hopper', also: ['grace', 'grace-work'] }],
    ],
  ] as const)('do not count reviews %s', (_what, reviews, authors) => {
    expect(phasesOf({ reviews, authors })).toBeUndefined();
  });

  it('know the first commit from the host where a squash left no other trace of it', () => {
    const unit = unitOf({ request: { first_commit_at: at(-7) }, commits: [at(20)], deployedAt: at(21) });
    expect(unit.phases).toEqual({ coding: 7 * HOUR, deploy: HOUR, lead: 28 * HOUR });
    expect(unit.startedAt).toBe(at(-7));
  });

  it('do not know it where all commits are newer than the request', () => {
    expect(phasesOf({ commits: [at(3), at(4)], deployedAt: at(21) })).toEqual({ deploy: HOUR });
  });

  it('of a clone are those that need neither the opening nor reviews, and the commits of a merge', () => {
    const request = { source: 'local', evidence: 'merge', created_at: at(-5) };
    expect(phasesOf({ request, commits: [at(-5)], deployedAt: at(21) })).toEqual({ deploy: HOUR, lead: 26 * HOUR });
    expect(phasesOf({ request: { ...request, evidence: 'squash' }, commits: [at(20)], deployedAt: at(21) })).toEqual({
      deploy: HOUR,
    });
  });

  it('are none before the merge', () => {
    const request = { state: 'open', merged_at: null, closed_at: null };
    expect(phasesOf({ request, commits: [at(-5)], reviews: [['linus', 'APPROVED', at(1)]] })).toBeUndefined();
  });

  it('up to the merge add up to the cycle time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -500, max: 0 }),
        fc.array(fc.tuple(fc.constantFrom('linus', 'ada'), fc.constantFrom('APPROVED', 'COMMENTED'), fc.nat(20)), {
          minLength: 1,
        }),
        (begun, reviews) => {
          const unit = unitOf({
            commits: [at(begun)],
            reviews: reviews.map(([reviewer, state, hour]) => [reviewer, state, at(hour)] as const),
          });
          const { coding = 0, pickup = 0, review = 0, merge = 0 } = unit.phases ?? {};
          expect(coding + pickup + review + merge).toBe((unit.completedAt ?? 0) - unit.startedAt);
        },
      ),
    );
  });
});

describe('the first deployment of a request', () => {
  const merged = { hash: 'b'.repeat(40), at: at(0) };
  const first = (...rows: readonly Changes[]): number | null =>
    new ProductionDeployments(
      rows.map((row, index) => deploymentRow(String(index), row)),
      usualDelivery.production,
    ).firstWith(merged);
  /** A deployment of older code. */
  const before = { committed_at: at(-9), started_at: at(-9), deployed_at: at(-8) };

  it('is the earliest of those whose code is not older than the merge', () => {
    expect(
      first(
        { committed_at: at(-1), started_at: at(1), deployed_at: at(2) },
        { committed_at: at(3), started_at: at(4), deployed_at: at(9) },
        { committed_at: at(5), started_at: at(6), deployed_at: at(7) },
      ),
    ).toBe(at(7));
  });

  it('may be that of its merge, whatever the clock of the commit says', () => {
    expect(first(before, { commit_hash: merged.hash, committed_at: at(-1), deployed_at: at(2) })).toBe(at(2));
  });

  it('takes the time of the deployed request, else the start, where the commit is not known', () => {
    expect(first(before, { merged_at: at(-1), started_at: at(1), deployed_at: at(2) })).toBeNull();
    expect(first(before, { merged_at: null, started_at: at(1), deployed_at: at(2) })).toBe(at(2));
  });

  it('is neither one that failed nor one to another environment', () => {
    const failed = { started_at: at(1), deployed_at: null };
    expect(first(before, failed, { environment: 'staging', started_at: at(1) })).toBeNull();
  });

  it('is not known without a deployment of older code, since an unknown one may have contained the request', () => {
    const later = { committed_at: at(4800), started_at: at(4801), deployed_at: at(4802) };
    expect(first(later)).toBeNull();
    expect(first(before, later)).toBe(at(4802));
    expect(first({ ...before, deployed_at: null }, later)).toBeNull();
    expect(first({ ...before, environment: 'staging' }, later)).toBeNull();
  });

  it('is not known if the oldest known code is that of its merge, deployed once or again', () => {
    const own = { commit_hash: merged.hash, committed_at: at(-1) };
    const [once, again] = [
      { ...own, deployed_at: at(4800) },
      { ...own, deployed_at: at(4900) },
    ];
    expect(first(once)).toBeNull();
    expect(first(once, again)).toBeNull();
    expect(first(before, once, again)).toBe(at(4800));
  });
});

describe('the requests that a changed deployment affects', () => {
  const hashes = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
  const rows = fc.array(
    fc.record({
      commit_hash: fc.constantFrom(null, ...hashes),
      committed_at: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 12 }).map(at)),
      start: fc.integer({ min: 0, max: 4 }),
      takes: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3 })),
    }),
    { minLength: 1, maxLength: 5 },
  );
  const requests = fc.record({ hash: fc.constantFrom(null, ...hashes), at: fc.integer({ min: -1, max: 20 }).map(at) });

  it('include each whose first deployment is another one without it', () => {
    fc.assert(
      fc.property(rows, requests, (drafts, merged) => {
        const all = drafts.map(({ start, takes, ...row }, index) => {
          const startedAt = (row.committed_at ?? at(index)) + start * HOUR;
          const ended = { deployed_at: takes === null ? null : startedAt + takes * HOUR };
          return deploymentRow(String(index), { ...row, merged_at: null, started_at: startedAt, ...ended });
        });
        const [changed, ...others] = all;
        if (changed === undefined) return;
        const after = new ProductionDeployments(all, usualDelivery.production);
        const without = new ProductionDeployments(others, usualDelivery.production);
        if (after.firstWith(merged) === without.firstWith(merged)) return;
        expect(affectedRequests([after.affectedBy(changed)])(merged)).toBe(true);
        expect(affectedRequests([without.affectedBy(changed)])(merged)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
