/**
 * Brings the stored work units of one repository up to date. For each kind of record: read, derive, write.
 *
 * 1. Changed requests: update the links to the commits that they list. A commit that joins a request loses its own
 *    unit; a commit that leaves all requests gets one again.
 * 2. Changed commits: each commit outside any request that is not a merge becomes a unit. (The changes of a merge are
 *    counted with the commits that it merges; its record stays.)
 * 3. Requests that changed, or whose commits or reviews did, become units.
 * 4. Changed deployments become units, and those that a changed incident counts against; then changed incidents and
 *    issues.
 *
 * What closes issues is stored beside the links: for each request, commit and issue when its unit is derived.
 *
 * Each step works in batches, so that memory stays flat, and can be repeated after the process was killed. Repeating is
 * not sufficient if the request lists other commits by then. Therefore a link is marked `changing` before the first
 * unit is changed for it, until the link is stored. A later run examines all links that are still marked.
 */
import type { WorkUnit, UnitStore } from '../../../analytics/work-unit.js';
import type { AnyRow, TableName } from '../../records.js';
import { numberOf, textOf } from '../row-values.js';
import type { ChangeFailures } from './change-failures.js';
import type { ChangedCommit, DerivationRecords, Where } from './database/records.js';
import {
  closingDifferences,
  closingsOfCommit,
  closingsOfIssue,
  closingsOfRequest,
  COMMIT_KINDS,
  REQUEST_KINDS,
  type ClosingKind,
  type StoredClosing,
} from './closings.js';
import { inSlices, type Steps } from '../../../system/slices.js';
import { commitUnit, deploymentUnit, incidentUnit, issueUnit, requestUnit, unitId } from './derive.js';
import {
  differences,
  divide,
  linksByHash,
  namedCommits,
  unstoredMentions,
  type Divided,
  type LinkChange,
  type StoredLink,
} from './links.js';
import { EVERYTHING, NOTHING, type Changed, type Extent, type RepositoryContext } from './plan.js';
import { affectedRequests, type Affected, PRODUCTION_COLUMNS } from './production-deployments.js';
import {
  DEPLOYMENT_COLUMNS,
  INCIDENT_COLUMNS,
  ISSUE_COLUMNS,
  MERGE_COLUMNS,
  mergedAs,
  RecordReader,
  type SelectedLinks,
} from './read.js';
import { UnitWriter } from './unit-writer.js';

export interface RepositoryDerivation {
  readonly orgId: string;
  readonly context: RepositoryContext;
  readonly records: DerivationRecords;
  readonly store: UnitStore;
  readonly changed: Changed;
  /** No unit of this repository was ever stored, so none needs to be removed. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** If more requests than this changed, all requests are derived. */
const MOST_REMEMBERED = 100_000;

/**
 * Brings the units of a repository up to date. Only one derivation of a repository may run at a time.
 *
 * @returns the number of units written
 */
export async function deriveRepository(derivation: RepositoryDerivation): Promise<number> {
  const { context, changed } = derivation;
  const run = runOf(derivation);
  await updateLinks(run);
  await deriveCommits(run);
  await deriveRequests(run);
  await deriveDeployments(run);
  await deriveEach(run, 'incidents', changed.incidents, INCIDENT_COLUMNS, (row) => incidentUnit(context, row));
  await deriveIssues(run);
  await run.writer.flush();
  return run.writer.written;
}

/** Derives the commits of a repository without stored units and links, as they arrive. */
export interface NewCommits {
  /** Writes the units of stored commits; each commit is passed once. */
  write(commits: readonly ChangedCommit[]): Promise<void>;
  /** Resolves when all units are written, with their number. */
  finish(): Promise<number>;
}

/** Writes the units of new commits. Derive the rest of the repository after the last commit. */
export function beginNewCommits(derivation: Omit<RepositoryDerivation, 'changed' | 'isFirst'>): NewCommits {
  const run = runOf({ ...derivation, changed: EVERYTHING, isFirst: true });
  return {
    write: (commits) => writeAlone(run, commits, []),
    async finish() {
      await run.writer.flush();
      return run.writer.written;
    },
  };
}

/** Records that may have been removed. */
export interface RemovedRecords {
  readonly hashes: readonly string[];
  /** Numbers of requests that were removed, or that contained the commits. */
  readonly requests: readonly number[];
}

/** Brings units, links and closings up to date with records that were removed. Can be repeated after a kill. */
export async function deriveAfterRemoval(
  derivation: Omit<RepositoryDerivation, 'changed' | 'isFirst'>,
  { hashes, requests }: RemovedRecords,
): Promise<void> {
  const run = runOf({ ...derivation, changed: NOTHING, isFirst: false });
  const { reader, records, context } = run;
  const stored = new Set((await reader.commits({ hashes })).map(({ row }) => textOf(row, 'hash')));
  const commits = hashes.filter((hash) => !stored.has(hash));
  const present = await reader.requestSources(requests);
  const gone = requests.filter((number) => !present.has(number));
  const byCommit = await reader.links({ hashes: commits });
  const byRequest = (await reader.links({ numbers: gone })).filter(({ kind }) => kind === 'listed');
  const units = gone.map((number) => unitId(context.repoId, 'pull_request', number));
  await run.writer.write([], [...commitIds(run, commits), ...units]);
  // Commits of a removed request that are still stored become units again.
  await rewriteCommits(run, [...new Set(byRequest.map(({ hash }) => hash))], { added: [], removed: byRequest });
  for (const number of present.keys()) run.affected.add(number);
  for (const { number } of byCommit) run.affected.add(number);
  await deriveRequests(run);
  await run.writer.flush();
  const closings = [
    ...(await reader.closings('closer', commits, COMMIT_KINDS)),
    ...(await reader.closings('closer', gone.map(String), REQUEST_KINDS)),
  ];
  if (closings.length > 0) await records.writeClosings(context.repoId, [], closings);
  // Last, because a repetition finds the requests by them. What a stored request lists stays: the commit may come back.
  const links = [...byCommit.filter(({ kind }) => kind !== 'listed'), ...byRequest];
  if (links.length > 0) await records.writeLinks(context.repoId, [], links);
}

function runOf(derivation: RepositoryDerivation): Run {
  const { context, records, store, orgId, isFirst } = derivation;
  return {
    ...derivation,
    reader: new RecordReader(records, context),
    writer: new UnitWriter(store, { orgId, repoId: context.repoId, areNew: isFirst }),
    affected: new Set(),
  };
}

interface Run extends RepositoryDerivation {
  readonly reader: RecordReader;
  readonly writer: UnitWriter;
  /** Requests whose commits changed. */
  readonly affected: Set<number>;
}

function whereOf(extent: Exclude<Extent, 'none'>): Where {
  return extent === 'all' ? { kind: 'all' } : { kind: 'changed', since: extent.since };
}

async function updateLinks(run: Run): Promise<void> {
  const { changed, reader, records, context, signal } = run;
  if (changed.requests === 'none') return;
  for await (const claims of reader.claims(whereOf(changed.requests))) {
    signal.throwIfAborted();
    const stored = await reader.links({ numbers: claims.map(({ number }) => number) });
    const change = differences(claims, stored);
    const { added, removed } = change;
    const begun = stored.filter(({ kind }) => kind === 'changing');
    if (!run.isFirst) {
      const changing = [...added, ...removed].map((link): StoredLink => ({ ...link, kind: 'changing' }));
      if (changing.length > 0) await records.writeLinks(context.repoId, changing, []);
      begun.push(...changing);
      // A new request, or one that now comes from another source, also takes the commits whose messages name it.
      const named = stored.filter(({ kind }) => kind !== 'listed');
      const touched = new Set([...changing, ...named].map(({ hash }) => hash));
      await rewriteCommits(run, [...touched], change);
    }
    const gone = [...removed, ...begun];
    if (added.length + gone.length > 0) await records.writeLinks(context.repoId, added, gone);
  }
}

const COMMITS_AT_ONCE = 2000;

/** Writes or removes the units of commits whose links change. */
async function rewriteCommits(run: Run, hashes: readonly string[], change: LinkChange): Promise<void> {
  const key = ({ hash, number, kind }: StoredLink): string => `${hash} ${number} ${kind}`;
  const gone = new Set(change.removed.map(key));
  for (let start = 0; start < hashes.length; start += COMMITS_AT_ONCE) {
    const some = hashes.slice(start, start + COMMITS_AT_ONCE);
    const selected = { hashes: some };
    const [commits, stored] = await Promise.all([run.reader.commits(selected), run.reader.links(selected)]);
    const among = new Set(some);
    const links = [
      ...stored.filter((link) => !gone.has(key(link))),
      ...change.added.filter(({ hash }) => among.has(hash)),
    ];
    const { alone, linked, merges } = await divideStored(run, commits, links);
    await run.writer.write(await unitsOf(run, alone), commitIds(run, [...linked, ...merges]));
  }
  await run.writer.flush();
}

async function deriveCommits(run: Run): Promise<void> {
  const { changed, reader, records, context } = run;
  if (changed.commits === 'none') return;
  const derive = async (commits: readonly ChangedCommit[], selected: SelectedLinks): Promise<void> => {
    await writeAlone(run, commits, await reader.links(selected));
  };
  if (changed.commits === 'all') {
    for await (const commits of reader.allCommits()) {
      const [first, last] = [commits[0], commits.at(-1)];
      if (first === undefined || last === undefined) continue;
      await derive(commits, { from: textOf(first.row, 'hash'), to: textOf(last.row, 'hash') });
    }
    return;
  }
  for await (const hashes of records.changedCommits(context.repoId, changed.commits.since))
    await derive(await reader.commits({ hashes }), { hashes });
}

async function writeAlone(run: Run, commits: readonly ChangedCommit[], links: readonly StoredLink[]): Promise<void> {
  run.signal.throwIfAborted();
  const { alone, merges } = await divideStored(run, commits, links);
  // A commit in a request has no unit: none was written, or it was removed when the link was added. A merge may have
  // one that an earlier release wrote.
  await run.writer.write(await unitsOf(run, alone), run.isFirst ? [] : commitIds(run, merges));
}

function commitIds({ context }: Run, hashes: readonly string[]): readonly string[] {
  return hashes.map((hash) => unitId(context.repoId, 'commit', hash));
}

/** Divides commits by their links; stores the links from their messages, for requests that arrive later. */
async function divideStored(
  run: Run,
  commits: readonly ChangedCommit[],
  links: readonly StoredLink[],
): Promise<Divided> {
  const [named, stored] = [namedCommits(commits), linksByHash(links)];
  const unstored = unstoredMentions(named, stored);
  // Before any unit is written, because a request that arrives next must find every commit that names it.
  if (unstored.length > 0) await run.records.writeLinks(run.context.repoId, unstored, []);
  const closings = commits.flatMap(({ row }) => closingsOfCommit(row, run.context));
  if (closings.length > 0) await run.records.writeClosings(run.context.repoId, closings, []);
  const mentioned = new Set(named.flatMap(({ mention }) => mention?.number ?? []));
  const divided = divide(named, stored, await run.reader.requestSources([...mentioned]));
  for (const number of divided.requests) if (!derivesAllRequests(run)) run.affected.add(number);
  return divided;
}

async function unitsOf({ reader, context }: Run, commits: readonly ChangedCommit[]): Promise<readonly WorkUnit[]> {
  const facts = await reader.factsOf(commits);
  return inSlices(derivedSteps(facts, (commit) => commitUnit(context, commit)));
}

/** Rules of an organization can make a unit slow to classify: the server serves other requests between units. */
function* derivedSteps<Fact>(facts: readonly Fact[], derive: (fact: Fact) => WorkUnit): Steps<readonly WorkUnit[]> {
  const units: WorkUnit[] = [];
  for (const fact of facts) {
    units.push(derive(fact));
    yield;
  }
  return units;
}

function derivesAllRequests({ changed, affected }: Run): boolean {
  const extents = [changed.requests, changed.commits, changed.deployments];
  return extents.includes('all') || affected.size > MOST_REMEMBERED;
}

async function deriveRequests(run: Run): Promise<void> {
  const { changed, reader, affected } = run;
  if (changed.requests !== 'none' && changed.requests !== 'all') {
    const where = whereOf(changed.requests);
    for (const table of ['git_pull_requests', 'git_pull_request_reviews'] as const) {
      const columns = table === 'git_pull_requests' ? ['number'] : ['number', 'review_id'];
      for await (const rows of reader.rows(table, columns, where))
        for (const row of rows) affected.add(numberOf(row, 'number'));
    }
  }
  if (!derivesAllRequests(run)) await findDeployedRequests(run);
  if (derivesAllRequests(run)) {
    await writeRequests(run, { kind: 'all' });
    return;
  }
  const numbers = [...affected].sort((a, b) => a - b);
  for (const where of inParts('number', numbers)) await writeRequests(run, where);
}

/** Conditions that together select the rows with these values. */
function* inParts(column: string, values: readonly (string | number)[]): Generator<Where> {
  for (let start = 0; start < values.length; start += VALUES_AT_ONCE)
    yield { kind: 'in', column, values: values.slice(start, start + VALUES_AT_ONCE) };
}

const VALUES_AT_ONCE = 1000;

/** Remembers the requests that changed deployments may contain. */
async function findDeployedRequests({ changed, reader, affected }: Run): Promise<void> {
  if (changed.deployments === 'none') return;
  const deployments = await reader.deployments();
  const changes: Affected[] = [];
  for await (const rows of reader.rows('deployments', PRODUCTION_COLUMNS, whereOf(changed.deployments)))
    changes.push(...rows.map((row) => deployments.affectedBy(row)));
  if (changes.length === 0) return;
  const isAffected = affectedRequests(changes);
  for await (const rows of reader.rows('git_pull_requests', MERGE_COLUMNS, { kind: 'all' })) {
    for (const row of rows) {
      const merged = mergedAs(row);
      if (merged !== null && isAffected(merged)) affected.add(numberOf(row, 'number'));
    }
  }
}

async function writeRequests(run: Run, where: Where): Promise<void> {
  for await (const rows of run.reader.requests(where)) {
    run.signal.throwIfAborted();
    const requests = await run.reader.requestFacts(rows);
    const closings = rows.flatMap((row) => closingsOfRequest(row, run.context));
    const closers = rows.map((row) => String(numberOf(row, 'number')));
    await replaceClosings(run, closings, ['closer', closers, REQUEST_KINDS]);
    await run.writer.write(await inSlices(derivedSteps(requests, (request) => requestUnit(run.context, request))));
  }
}

async function deriveDeployments(run: Run): Promise<void> {
  const { changed, reader, context } = run;
  if (changed.deployments === 'none' && changed.incidents === 'none') return;
  const failures = await reader.changeFailures();
  const isAll = changed.deployments === 'all' || changed.incidents === 'all';
  const parts: Iterable<Where> = isAll
    ? [{ kind: 'all' }]
    : inParts('deployment_id', await changedDeployments(run, failures));
  for (const where of parts)
    await writeEach(run, 'deployments', where, DEPLOYMENT_COLUMNS, (row) => deployedUnit(context, failures, row));
}

function deployedUnit(context: RepositoryContext, failures: ChangeFailures, row: AnyRow): WorkUnit | undefined {
  const unit = deploymentUnit(context, row);
  const changeFailed = failures.of(textOf(row, 'deployment_id'));
  return unit === undefined || changeFailed === null ? unit : { ...unit, changeFailed };
}

/** The changed deployments, and those that an incident may count against since. */
async function changedDeployments({ changed, reader }: Run, failures: ChangeFailures): Promise<readonly string[]> {
  const ids = new Set<string>();
  if (changed.deployments !== 'none') {
    for await (const rows of reader.rows('deployments', PRODUCTION_COLUMNS, whereOf(changed.deployments)))
      for (const row of rows)
        for (const id of [textOf(row, 'deployment_id'), ...failures.affectedByDeployment(row)]) ids.add(id);
  }
  if (changed.incidents !== 'none') {
    const columns = ['incident_id', 'started_at'];
    for await (const rows of reader.rows('incidents', columns, whereOf(changed.incidents)))
      for (const row of rows) {
        const id = failures.affectedByIncident(numberOf(row, 'started_at'));
        if (id !== undefined) ids.add(id);
      }
  }
  return [...ids];
}

async function deriveIssues(run: Run): Promise<void> {
  const { changed, reader, context } = run;
  if (changed.issues === 'none') return;
  for await (const rows of reader.rows('issues', ISSUE_COLUMNS, whereOf(changed.issues))) {
    run.signal.throwIfAborted();
    const numbers = rows.map((row) => numberOf(row, 'number'));
    await replaceClosings(run, rows.flatMap(closingsOfIssue), ['issue', numbers, ['listed']]);
    const units = rows.map((row) => issueUnit(context, row));
    // An issue that became an incident loses its unit.
    const others = numbers.filter((_, index) => units[index] === undefined);
    await run.writer.write(
      units.filter((unit) => unit !== undefined),
      run.isFirst ? [] : others.map((number) => unitId(context.repoId, 'issue', number)),
    );
  }
}

/** Stores the closings of some requests or issues; those that they no longer have are removed. */
async function replaceClosings(
  { reader, records, context, isFirst }: Run,
  closings: readonly StoredClosing[],
  of: readonly ['issue' | 'closer', readonly (string | number)[], readonly ClosingKind[]],
): Promise<void> {
  const { added, removed } = closingDifferences(closings, isFirst ? [] : await reader.closings(...of));
  if (added.length + removed.length > 0) await records.writeClosings(context.repoId, added, removed);
}

async function deriveEach(
  run: Run,
  table: TableName,
  extent: Extent,
  columns: readonly string[],
  unit: (row: AnyRow) => WorkUnit | undefined,
): Promise<void> {
  if (extent !== 'none') await writeEach(run, table, whereOf(extent), columns, unit);
}

async function writeEach(
  run: Run,
  table: TableName,
  where: Where,
  columns: readonly string[],
  unit: (row: AnyRow) => WorkUnit | undefined,
): Promise<void> {
  for await (const rows of run.reader.rows(table, columns, where)) {
    run.signal.throwIfAborted();
    await run.writer.write(rows.map(unit).filter((each) => each !== undefined));
  }
}
