/** Whatever syncs come in whatever order, and wherever they are killed: the units are those that the records say. */
import { parseOrganizationRules } from '../../../../src/sync/work-units/classify/organization-rules.js';
import { deliveryRulesBy, type DeliveryRules } from '../../../../src/sync/work-units/classify/delivery-rules.js';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timeZoneOf } from '../../../../src/analytics/time-zone.js';
import type { WorkUnit } from '../../../../src/analytics/work-unit.js';
import type { AnyRow, TableName } from '../../../../src/sync/records.js';
import { tableNamed } from '../../../../src/sync/records.js';
import type { DerivationRecords } from '../../../../src/sync/work-units/derivation/database/records.js';
import type { Sink } from '../../../../src/sync/sinks/sink.js';
import type { ProviderName } from '../../../../src/sync/providers/registry.js';
import type { Target } from '../../../../src/sync/targets.js';
import { refreshRepository } from '../../../../src/sync/work-units/derivation/derivation.js';
import {
  commitUnit,
  deploymentUnit,
  incidentUnit,
  issueUnit,
  requestUnit,
} from '../../../../src/sync/work-units/derivation/derive.js';
import {
  closingsOfCommit,
  closingsOfIssue,
  closingsOfRequest,
  countsForIssue,
  isMention,
  type StoredClosing,
} from '../../../../src/sync/work-units/derivation/closings.js';
import { issuePlanOf, PLAN_COLUMNS, type IssuePlan } from '../../../../src/sync/work-units/derivation/epics.js';
import { CLOSINGS } from '../../../../src/sync/work-units/derivation/database/records.js';
import { changesOf, commitFacts } from '../../../../src/sync/work-units/derivation/commits.js';
import { atOnce } from '../../../../src/contract/system/slices.js';
import { countsFor, mentionOf } from '../../../../src/sync/work-units/derivation/links.js';
import { mergedAt } from '../../../../src/sync/work-units/derivation/request-facts.js';
import { textOf } from '../../../../src/sync/work-units/row-values.js';
import { createAuthorIdentifier } from '../../../../src/sync/work-units/authors/identify.js';
import type { Team } from '../../../../src/sync/work-units/teams/teams-file.js';
import { teamsAsText } from '../../../../src/sync/work-units/teams/teams-file.js';
import { describeOnEachDatabase } from '../../databases.js';
import { NOW, openDatabase } from '../../harness.js';
import {
  classifier,
  commitRow,
  DAY,
  deploymentRow,
  resourcesOn,
  HOUR,
  incidentRow,
  issueRow,
  MemoryStore,
  ORG,
  requestRow,
  reviewRow,
  statsRow,
  syncAndDerive,
  teamAssigner,
} from './deriving.js';
import type { TeamAssigner } from '../../../../src/sync/work-units/teams/assign.js';
import type { RepositoryContext } from '../../../../src/sync/work-units/derivation/plan.js';

const HASHES = Array.from({ length: 6 }, (_, index) => index.toString(16).repeat(40));
const MESSAGES = [
  'feat: add a thing',
  'test: cover it (#1)',
  'fix: squashed (#2)\n\nAnd why. Closes #4 and #5.',
  'Merge pull request #3 from acme/branch\n\nMend',
  "Merge branch 'a' into 'main'\n\nMend\n\nSee merge request acme/shop!1",
  'Anything at all, see #5',
];
const PATHS = ['src/a.ts', 'test/a.test.ts', 'docs/a.md', '__AGGREGATE__'];

const hash = fc.constantFrom(...HASHES);
const number = fc.integer({ min: 1, max: 3 });
const time = fc.integer({ min: -300, max: 0 }).map((hours) => NOW + hours * HOUR);

// The message of a commit depends on its hash, as it does in git.
const messageOf = (commit: string): string => MESSAGES[HASHES.indexOf(commit) % MESSAGES.length] ?? '';

const commits = fc.uniqueArray(
  fc.record({ commit: hash, email: fc.constantFrom('ada@example.com', 'Grace@Example.com', null), when: time }),
  { selector: ({ commit }) => commit, maxLength: 5 },
);
const stats = fc.uniqueArray(
  fc.record({ commit: hash, path: fc.constantFrom(...PATHS), additions: fc.option(fc.nat(50)) }),
  { selector: ({ commit, path }) => `${commit} ${path}`, maxLength: 6 },
);
const git = fc.record({ commits, stats }).map((made) => ({
  target: 'git' as const,
  records: {
    git_commits: made.commits.map(({ commit, email, when }) =>
      commitRow(commit, {
        message: messageOf(commit),
        author_email: email,
        author_when: when,
        parents: messageOf(commit).startsWith('Merge') ? 2 : 1,
      }),
    ),
    git_commit_stats: made.stats.map(({ commit, path, additions }) => statsRow(commit, path, { additions })),
  },
}));
const requests = fc.uniqueArray(
  fc.record({
    number,
    listed: fc.uniqueArray(hash, { maxLength: 4 }),
    head: fc.option(hash),
    merge: fc.option(hash),
    merged: fc.option(time),
    additions: fc.option(fc.nat(99)),
    label: fc.constantFrom('bug', 'security', 'whatever'),
    body: fc.constantFrom(
      null,
      'Fixes #4.',
      'Resolves acme/shop#5, implements #4',
      'Closes acme/other#4',
      'Part of #5',
    ),
  }),
  { selector: (request) => request.number, maxLength: 3 },
);
const reviews = fc.uniqueArray(fc.record({ number, review: fc.constantFrom('1', '2'), when: time }), {
  selector: (review) => `${review.number} ${review.review}`,
  maxLength: 3,
});
const prs = fc.record({ requests, reviews }).map((made) => ({
  target: 'prs' as const,
  records: {
    git_pull_requests: made.requests.map((request) =>
      requestRow(request.number, {
        commit_hashes: request.listed,
        head_hash: request.head,
        merge_hash: request.merge,
        merged_at: request.merged,
        closed_at: request.merged,
        state: request.merged === null ? 'open' : 'merged',
        additions: request.additions,
        deletions: request.additions,
        labels: [request.label],
        body: request.body,
      }),
    ),
    git_pull_request_reviews: made.reviews.map((review) =>
      reviewRow(review.number, { review_id: review.review, submitted_at: review.when }),
    ),
  },
}));
const deployments = fc
  .record({
    // When it starts, what it deploys and where does not change; hosts report more of it later.
    place: fc.nat(4),
    hours: fc.option(fc.nat(90)),
    knowsCommit: fc.boolean(),
  })
  .map(({ place, hours, knowsCommit }) => ({
    target: 'deployments' as const,
    records: {
      deployments: [
        deploymentRow(`d${place}`, {
          started_at: NOW - (50 + 40 * place) * HOUR,
          deployed_at: hours === null ? null : NOW - (50 + 40 * place - hours) * HOUR,
          committed_at: knowsCommit ? NOW - (55 + 60 * place) * HOUR : null,
          commit_hash: knowsCommit ? (HASHES[place] ?? null) : null,
          environment: ['production', 'prod-eu', 'live', 'staging', null][place] ?? null,
          release_ref: place % 2 === 0 ? 'main' : 'next',
        }),
      ],
    },
  }));
const labels = fc.constantFrom('incident', 'outage', 'drill');
const incidents = fc
  .record({ place: fc.nat(5), resolved: fc.option(time), label: labels })
  .map(({ place, resolved, label }) => ({
    target: 'incidents' as const,
    records: {
      incidents: [
        // The last two can also be issues.
        incidentRow(place < 4 ? `i${place}` : String(place), {
          started_at: NOW - (20 + 50 * place) * HOUR,
          resolved_at: resolved,
          labels: [label],
        }),
      ],
    },
  }));
const issues = fc
  .record({
    number: fc.integer({ min: 4, max: 5 }),
    kind: fc.constantFrom('issue', 'issue', 'incident', 'test_case'),
    reason: fc.constantFrom(null, 'completed', 'not_planned'),
    closed: fc.option(time),
    requests: fc.uniqueArray(number, { maxLength: 2 }),
    label: labels,
    epic: fc.constantFrom(null, '', '', 'Checkout', 'Search'),
    initiative: fc.constantFrom(null, '', 'Growth'),
  })
  .map(({ number: issue, kind, reason, closed, requests: closing, label, epic, initiative }) => ({
    target: 'issues' as const,
    records: {
      issues: [
        issueRow(issue, {
          ...{ kind, state_reason: reason, closed_at: closed, closing_requests: closing, labels: [label] },
          created_at: NOW - (20 + 50 * issue) * HOUR,
          ...{ epic_key: epic && '#7', epic, initiative_key: initiative, initiative },
        }),
      ],
    },
  }));
const rules = fc.constantFrom(
  '',
  'rules: []\nincidents: [outage, "type:incident", "!drill"]',
  'rules: []\nproduction: [staging, "branch:main"]\nfailures: [security, "deployment:rollback"]',
);
const teams: fc.Arbitrary<readonly Team[]> = fc.constantFrom<readonly Team[]>(
  [],
  [{ id: 'web', name: 'Web', members: ['ada@example.com'], repositories: [] }],
  [{ id: 'all', name: 'All', members: [], repositories: ['acme/*'] }],
);

interface Step {
  readonly kind: 'sync' | 'teams' | 'rules';
  readonly sync: { readonly target: Target; readonly records: Partial<Record<TableName, readonly AnyRow[]>> };
  readonly source: ProviderName;
  readonly teams: readonly Team[];
  readonly rules: string;
  readonly codeowners: string | null | undefined;
  readonly isInOrder: boolean;
  /** The change to the units, or to the links, in front of which the process is killed; 0: none. */
  readonly killedAt: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('sync', 'sync', 'sync', 'sync', 'sync', 'teams', 'rules'),
  sync: fc.oneof<fc.Arbitrary<Step['sync']>[]>(git, git, prs, prs, deployments, deployments, incidents, issues, issues),
  source: fc.constantFrom<ProviderName[]>('local', 'host_a', 'host_b'),
  teams,
  rules,
  codeowners: fc.constantFrom(undefined, undefined, null, '* @acme/everyone\n/test/ @acme/quality\n'),
  isInOrder: fc.boolean(),
  killedAt: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

describeOnEachDatabase('work units', (engine) => {
  if (engine.kind === 'mongo') {
    it.skip('are not derived on MongoDB (skipped: no engine of the analytics reads it)', () => {});
    return;
  }

  it('match the records after any sequence of syncs, also if some are killed', async () => {
    const sink = await openDatabase(await engine.newDatabase());
    const cases = { sqlite: 250, postgres: 40, clickhouse: 6, mongo: 0 }[engine.kind];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
        const units = new MemoryStore();
        const repoId = randomUUID();
        let killIn = 0;
        const mayDie = (): void => {
          if (killIn > 0 && (killIn -= 1) === 0) throw new Error('killed');
        };
        units.beforeApply = mayDie;
        const resources = await resourcesOn(sink, units);
        const mortal = {
          ...resources,
          records: {
            ...resources.records,
            writeClosings: (...args: Parameters<typeof resources.records.writeClosings>) => {
              mayDie();
              return resources.records.writeClosings(...args);
            },
            writeLinks: (...args: Parameters<typeof resources.records.writeLinks>) => {
              mayDie();
              return resources.records.writeLinks(...args);
            },
          },
        };
        await resources.records.writeFile('teams', ORG, teamsAsText([]));
        await resources.records.writeFile('rules', ORG, '');
        const unfinished = new Map<string, { target: Target; source: ProviderName }>();
        let at = NOW;
        let codeowners: string | null = null;
        for (const { kind, sync, source, killedAt, ...changes } of steps) {
          at += DAY;
          killIn = killedAt;
          try {
            if (kind === 'teams') {
              await resources.records.writeFile('teams', ORG, teamsAsText(changes.teams));
              await refreshRepository(mortal, repoId);
            } else if (kind === 'rules') {
              await resources.records.writeFile('rules', ORG, changes.rules);
              await refreshRepository(mortal, repoId);
            } else {
              if (changes.codeowners !== undefined) ({ codeowners } = { codeowners: changes.codeowners });
              await syncAndDerive(mortal, {
                repoId,
                ...sync,
                source,
                at,
                codeowners: changes.codeowners,
                isInOrder: changes.isInOrder && sync.target === 'git',
              });
              unfinished.delete(`${sync.target} ${source}`);
            }
          } catch (error) {
            if (!(error instanceof Error) || error.message !== 'killed') throw error;
            if (kind === 'sync') unfinished.set(`${sync.target} ${source}`, { target: sync.target, source });
          }
          killIn = 0;
        }
        for (const key of unfinished.values())
          await syncAndDerive(resources, { repoId, ...key, records: {}, at: at + DAY });
        await refreshRepository(resources, repoId);
        const stored = JSON.parse((await resources.records.readFile('teams', ORG)) ?? '[]') as Team[];
        const assigner = teamAssigner(stored, 'acme/shop', codeowners ?? undefined);
        const delivery = deliveryIn((await resources.records.readFile('rules', ORG)) ?? '');
        expect(units.of(repoId)).toEqual(await expectedUnits(sink, repoId, assigner, delivery));
        const expected = await expectedClosings(sink, repoId);
        expect(await storedClosings(resources.records, repoId, expected.hasEpics)).toEqual(expected.closings);
      }),
      { numRuns: cases },
    );
  }, 240_000);
});

function deliveryIn(text: string): DeliveryRules {
  const none = { production: null, incidents: null, failures: null };
  return deliveryRulesBy(text === '' ? none : parseOrganizationRules(text, 'The rules').delivery);
}

function isProduction(row: AnyRow, { production }: DeliveryRules): boolean {
  const facts = { environment: textOf(row, 'environment'), tier: null, branch: textOf(row, 'release_ref'), job: null };
  return typeof row['deployed_at'] === 'number' && production.includes(facts);
}

/** When a request was first in production, looked up in all deployments. */
function firstDeployment(deployments: readonly AnyRow[], request: AnyRow, delivery: DeliveryRules): number | null {
  const merged = request['merged_at'];
  if (typeof merged !== 'number') return null;
  const known = deployments.flatMap((row) => {
    const { deployed_at: deployed, started_at: started, committed_at: committed } = row;
    if (typeof deployed !== 'number' || !isProduction(row, delivery)) return [];
    const isOfMerge = row['commit_hash'] !== null && row['commit_hash'] === request['merge_hash'];
    return [{ deployed, isOfMerge, isOlder: Number(committed ?? started) < merged }];
  });
  const times = known.filter(({ isOfMerge, isOlder }) => isOfMerge || !isOlder).map(({ deployed }) => deployed);
  const isBegun = known.some(({ isOfMerge, isOlder }) => isOlder && !isOfMerge);
  return times.length === 0 || !isBegun ? null : Math.min(...times);
}

/** Whether something showed before any later deployment to production that this one failed; undefined for others. */
function failureOf(
  deployment: AnyRow,
  deployments: readonly AnyRow[],
  signs: readonly number[],
  delivery: DeliveryRules,
): boolean | undefined {
  const at = deployment['deployed_at'];
  if (typeof at !== 'number' || !isProduction(deployment, delivery)) return undefined;
  const later = deployments.filter((other) => {
    if (!isProduction(other, delivery)) return false;
    const isSameMoment =
      other['deployed_at'] === at && textOf(other, 'deployment_id') > textOf(deployment, 'deployment_id');
    return Number(other['deployed_at']) > at || isSameMoment;
  });
  const [next] = later.sort(
    (a, b) =>
      Number(a['deployed_at']) - Number(b['deployed_at']) ||
      (textOf(a, 'deployment_id') < textOf(b, 'deployment_id') ? -1 : 1),
  );
  const isRolledBack =
    delivery.repairs.countRollbacks &&
    typeof next?.['committed_at'] === 'number' &&
    typeof deployment['committed_at'] === 'number' &&
    next['committed_at'] < deployment['committed_at'];
  return (
    isRolledBack || signs.some((sign) => sign >= at && !later.some((other) => Number(other['deployed_at']) <= sign))
  );
}

/** The units of incidents and issues, and the beginnings of the incidents. An issue decides for its incident. */
function reported(
  context: RepositoryContext,
  allIncidents: readonly AnyRow[],
  allIssues: readonly AnyRow[],
): readonly (readonly [unit: WorkUnit | undefined, begin: number])[] {
  const numbers = new Set(allIssues.map((row) => String(Number(row['number']))));
  return [
    ...allIncidents
      .filter((row) => !numbers.has(textOf(row, 'incident_id')))
      .map((row) => [incidentUnit(context, row), Number(row['started_at'])] as const),
    ...allIssues.map((row) => [issueUnit(context, row), Number(row['created_at'])] as const),
  ];
}

/** All units of a repository, made of all of its records in the plainest way. */
async function expectedUnits(
  sink: Sink,
  repoId: string,
  assigner: TeamAssigner,
  delivery: DeliveryRules,
): Promise<WorkUnit[]> {
  const authors = createAuthorIdentifier([], '');
  const all = async (name: TableName): Promise<AnyRow[]> => {
    const rows: AnyRow[] = [];
    for await (const batch of sink.scan(tableNamed(name), repoId)) rows.push(...batch);
    return rows;
  };
  const issueRows = await all('issues');
  const hasEpics = issueRows.some(namesEpic);
  const context = { repoId, ...SHOP, hasEpics, classifier, delivery, teams: assigner, authors };
  const statistics = await all('git_commit_stats');
  const facts = (await all('git_commits')).map((row) => {
    const own = statistics.filter((stats) => stats['commit_hash'] === row['hash']);
    const files = own.filter((stats) => stats['file_path'] !== '__AGGREGATE__');
    const lines = (some: readonly AnyRow[]): number =>
      some.reduce((sum, stats) => sum + Number(stats['additions'] ?? 0) + Number(stats['deletions'] ?? 0), 0);
    const sums = own.filter((stats) => !files.includes(stats));
    const changed = {
      row,
      churn: lines(files),
      aggregate: sums.length === 0 ? null : lines(sums),
      paths: files.map((stats) => textOf(stats, 'file_path')),
    };
    const issues = plansOf(hasEpics ? closingsOfCommit(row, context) : [], issueRows);
    return commitFacts(row, atOnce(changesOf(changed, classifier, assigner)), issues);
  });
  const requestRows = await all('git_pull_requests');
  const claims = (request: AnyRow, hash: string): boolean => {
    const listed = [...(request['commit_hashes'] as string[]), request['head_hash'], request['merge_hash']];
    const commit = facts.find((each) => each.hash === hash);
    const mention = commit === undefined ? undefined : mentionOf(commit.message);
    return (
      listed.includes(hash) ||
      (mention !== undefined &&
        mention.number === request['number'] &&
        countsFor(mention.kind, textOf(request, 'source')))
    );
  };
  const isOwn = (request: AnyRow, hash: string): boolean => {
    const [first = request] = requestRows
      .filter((other) => claims(other, hash) && mergedAt(other) !== null)
      .sort((a, b) => Number(mergedAt(a)) - Number(mergedAt(b)) || Number(a['number']) - Number(b['number']));
    return first === request;
  };
  const allReviews = await all('git_pull_request_reviews');
  const allDeployments = await all('deployments');
  const issueUnits = reported(context, await all('incidents'), issueRows);
  const repairs = requestRows.filter(
    (row) =>
      mergedAt(row) !== null &&
      delivery.repairs.includes({ title: textOf(row, 'title'), labels: row['labels'] as string[], branch: null }),
  );
  const signs = [
    ...issueUnits.flatMap(([unit, begin]) => (unit?.workType === 'incident' ? [begin] : [])),
    ...repairs.map((row) => Number(row['created_at'])),
  ];
  const units = [
    ...requestRows.map((row) => {
      const reviews = allReviews
        .filter((review) => review['number'] === row['number'])
        .map((review) => ({
          reviewer: textOf(review, 'reviewer'),
          state: textOf(review, 'state'),
          submittedAt: Number(review['submitted_at']),
        }));
      const commits = facts.filter(({ hash }) => claims(row, hash) && isOwn(row, hash));
      const branch = row['commit_hashes'] as string[];
      const remaining = branch.every((hash) => isOwn(row, hash))
        ? null
        : branch.filter((hash) => isOwn(row, hash) && hash !== row['merge_hash']);
      return requestUnit(context, {
        row,
        commits,
        remaining,
        reviews,
        deployedAt: firstDeployment(allDeployments, row, delivery),
        issues: plansOf(
          [
            ...closingsOfRequest(row, context),
            ...commits.flatMap(({ hash: name, message }) => closingsOfCommit({ hash: name, message }, context)),
            ...issueRows.flatMap(closingsOfIssue).filter(({ closer }) => Number(closer) === row['number']),
          ],
          issueRows,
        ),
      });
    }),
    ...facts
      .filter((commit) => !commit.isMerge && !requestRows.some((row) => claims(row, commit.hash)))
      .map((commit) => commitUnit(context, commit)),
    ...allDeployments.map((row) => {
      const unit = deploymentUnit(context, row);
      const changeFailed = failureOf(row, allDeployments, signs, delivery);
      return unit === undefined || changeFailed === undefined ? unit : { ...unit, changeFailed };
    }),
    ...issueUnits.map(([unit]) => unit),
  ];
  return units.filter((unit) => unit !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
}

function namesEpic(row: AnyRow): boolean {
  return PLAN_COLUMNS.some((column) => textOf(row, column) !== '');
}

/** The issues of a unit: those that are closed, or else those that are referred to. */
function plansOf(closings: readonly StoredClosing[], issueRows: readonly AnyRow[]): readonly IssuePlan[] {
  const [closed, mentioned] = [false, true].map((ofMentions) =>
    closings
      .filter(({ kind }) => isMention(kind) === ofMentions)
      .flatMap(({ issue, kind }) => {
        const row = issueRows.find((each) => each['number'] === issue);
        if (row !== undefined) return countsForIssue(kind, textOf(row, 'source')) ? [issuePlanOf(row)] : [];
        return ofMentions || kind.endsWith('_b') ? [] : [{ number: issue, epic: null, initiative: '' }];
      }),
  );
  return (closed?.length ?? 0) > 0 ? (closed ?? []) : (mentioned ?? []);
}

/** What commits refer to stays when the last epic has gone, and nothing reads it then. */
async function storedClosings(
  records: DerivationRecords,
  repoId: string,
  hasEpics: boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const query = { table: CLOSINGS, repoId, columns: ['issue', 'closer', 'kind'], where: { kind: 'all' } } as const;
  for await (const rows of records.rows(query))
    for (const { issue, closer, kind } of rows)
      if (hasEpics || kind !== 'commit_mention') found.push(JSON.stringify([issue, closer, kind]));
  return found.sort();
}

const SHOP = { repo: 'acme/shop', identity: undefined, timeZone: timeZoneOf('UTC') };

/** What closes issues, of all records. */
async function expectedClosings(
  sink: Sink,
  repoId: string,
): Promise<{ readonly closings: readonly string[]; readonly hasEpics: boolean }> {
  const found: string[] = [];
  let hasEpics = false;
  for await (const rows of sink.scan(tableNamed('issues'), repoId)) hasEpics ||= rows.some(namesEpic);
  const repository = { ...SHOP, hasEpics };
  const sources = [
    ['git_commits', (row: AnyRow) => closingsOfCommit(row, repository)],
    ['git_pull_requests', (row: AnyRow) => closingsOfRequest(row, repository)],
    ['issues', closingsOfIssue],
  ] as const;
  for (const [table, closingsOf] of sources)
    for await (const rows of sink.scan(tableNamed(table), repoId))
      for (const { issue, closer, kind } of rows.flatMap(closingsOf)) found.push(JSON.stringify([issue, closer, kind]));
  return { closings: found.sort(), hasEpics };
}
