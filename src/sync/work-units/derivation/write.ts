/**
 * Brings the stored work units of one repository up to date. For each kind of record: read, derive, write.
 *
 * 1. Changed requests: update the links to the commits that they list. A commit that joins a request loses its own
 *    unit; a commit that leaves all requests gets one again.
 * 2. Changed issues: update the requests that the host names. Where issues name epics, the requests and commits that
 *    close a changed issue, or refer to it, are derived again.
 * 3. Changed commits: each commit outside any request that is not a merge becomes a unit. (The changes of a merge are
 *    counted with the commits that it merges; its record stays.)
 * 4. Requests that changed, or whose commits or reviews did, become units.
 * 5. Changed deployments become units, and those that a changed incident or repair counts against; then changed
 *    incidents and issues.
 *
 * What closes issues is stored beside the links: for each request, commit and issue when its unit is derived.
 *
 * Each step works in batches, so that memory stays flat, and can be repeated after the process was killed. Repeating is
 * not sufficient if the request lists other commits by then. Therefore a link is marked `changing` before the first
 * unit is changed for it, until the link is stored. A later run examines all links that are still marked.
 */
import type { WorkUnit } from '../../../analytics/work-unit.js';
import type { AnyRow, TableName } from '../../records.js';
import { numberOf, textOf } from '../row-values.js';
import type { ChangeFailures } from './change-failures.js';
import { inParts, type ChangedCommit, type Where } from './database/records.js';
import { CLOSING_KINDS, closingsOfIssue, COMMIT_KINDS, REQUEST_KINDS, type StoredClosing } from './closings.js';
import { deploymentUnit, incidentUnit, issueUnit, unitId } from './derive.js';
import { storedKeys } from './issue-keys.js';
import { isIssueNumber, SIGN_COLUMNS } from './failure-signs.js';
import { EVERYTHING, NOTHING, type Extent, type RepositoryContext } from './plan.js';
import { PRODUCTION_COLUMNS } from './production-deployments.js';
import { DEPLOYMENT_COLUMNS, INCIDENT_COLUMNS, ISSUE_COLUMNS } from './read.js';
import { runOf, whereOf, replaceClosings, type RepositoryDerivation, type Run } from './run.js';
import { updateLinks, rewriteCommits, deriveCommits, writeAlone, commitIds } from './write-commits.js';
import { deriveRequests } from './write-requests.js';

/**
 * Brings the units of a repository up to date. Only one derivation of a repository may run at a time.
 *
 * @returns the number of units written
 */
export async function deriveRepository(derivation: RepositoryDerivation): Promise<number> {
  const run = runOf(derivation);
  await updateLinks(run);
  await updateClosings(run);
  await deriveCommits(run);
  await deriveRequests(run);
  await deriveDeployments(run);
  await deriveIncidents(run);
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
    ...(await storedKeys(records, context.repoId, [...commits, ...gone.map(String)])),
  ];
  if (closings.length > 0) await records.writeClosings(context.repoId, [], closings);
  // Last, because a repetition finds the requests by them. What a stored request lists stays: the commit may come back.
  const links = [...byCommit.filter(({ kind }) => kind !== 'listed'), ...byRequest];
  if (links.length > 0) await records.writeLinks(context.repoId, [], links);
}

async function deriveDeployments(run: Run): Promise<void> {
  const { changed, reader, context } = run;
  const signs = changedSigns(run);
  const extents = [changed.deployments, ...signs.map(({ extent }) => extent)];
  if (extents.every((extent) => extent === 'none')) return;
  const failures = await reader.changeFailures();
  const isAll = extents.includes('all');
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

interface ChangedSigns {
  readonly table: keyof typeof SIGN_COLUMNS;
  readonly extent: Extent;
  /** The column with the time of the sign. */
  readonly time: string;
}

/** The changed records that may show, or may have shown, that a deployment failed. */
function changedSigns({ changed, context }: Run): readonly ChangedSigns[] {
  const { countRequests } = context.delivery.repairs;
  return [
    { table: 'incidents', extent: changed.incidents, time: 'started_at' },
    { table: 'issues', extent: changed.issues, time: 'created_at' },
    { table: 'git_pull_requests', extent: countRequests ? changed.requests : 'none', time: 'created_at' },
  ];
}

/** The changed deployments, and those that an incident or a repair may count against since. */
async function changedDeployments(run: Run, failures: ChangeFailures): Promise<readonly string[]> {
  const { changed, reader } = run;
  const ids = new Set<string>();
  if (changed.deployments !== 'none') {
    for await (const rows of reader.rows('deployments', PRODUCTION_COLUMNS, whereOf(changed.deployments)))
      for (const row of rows)
        for (const id of [textOf(row, 'deployment_id'), ...failures.affectedByDeployment(row)]) ids.add(id);
  }
  for (const { table, extent, time } of changedSigns(run)) {
    if (extent === 'none') continue;
    for await (const rows of reader.rows(table, SIGN_COLUMNS[table], whereOf(extent)))
      for (const row of rows) {
        const id = failures.affectedBySign(numberOf(row, time));
        if (id !== undefined) ids.add(id);
      }
  }
  return [...ids];
}

/** Incidents that are stored as issues, too, are derived with those. */
async function deriveIncidents(run: Run): Promise<void> {
  const { changed, reader, context } = run;
  if (changed.incidents === 'none') return;
  for await (const rows of reader.rows('incidents', INCIDENT_COLUMNS, whereOf(changed.incidents))) {
    run.signal.throwIfAborted();
    const ids = rows.map((row) => textOf(row, 'incident_id'));
    const issues = await reader.storedIssues(ids.filter(isIssueNumber).map(Number));
    const others = rows.filter((_, index) => !issues.has(Number(ids[index])));
    await writeOrRemove(run, others, (row) => ({
      unit: incidentUnit(context, row),
      ids: [unitId(context.repoId, 'incident', textOf(row, 'incident_id'))],
    }));
  }
}

/** Stores which requests close changed issues, and derives what follows the plans of these issues. */
async function updateClosings(run: Run): Promise<void> {
  const { changed, reader, context } = run;
  if (changed.issues === 'none') return;
  const isFollowed = context.hasEpics && changed.commits !== 'all';
  for await (const rows of reader.rows('issues', ['number', 'closing_requests'], whereOf(changed.issues))) {
    run.signal.throwIfAborted();
    const numbers = rows.map((row) => numberOf(row, 'number'));
    const former = await replaceClosings(run, rows.flatMap(closingsOfIssue), ['issue', numbers, ['listed']]);
    if (!isFollowed) continue;
    const closings = [...former, ...(await reader.closings('issue', numbers, CLOSING_KINDS))];
    const isOfCommit = ({ kind }: StoredClosing): boolean => COMMIT_KINDS.includes(kind);
    for (const closing of closings) if (!isOfCommit(closing)) run.affected.add(Number(closing.closer));
    const hashes = new Set(closings.filter(isOfCommit).map(({ closer }) => closer));
    await rewriteCommits(run, [...hashes], { added: [], removed: [] });
  }
}

async function deriveIssues(run: Run): Promise<void> {
  const { changed, reader, context } = run;
  if (changed.issues === 'none') return;
  for await (const rows of reader.rows('issues', ISSUE_COLUMNS, whereOf(changed.issues))) {
    run.signal.throwIfAborted();
    // An issue that became an incident, or is none any more, loses its other unit.
    await writeOrRemove(run, rows, (row) => ({
      unit: issueUnit(context, row),
      ids: (['issue', 'incident'] as const).map((type) => unitId(context.repoId, type, numberOf(row, 'number'))),
    }));
  }
}

/**
 * Writes the units of rows.
 *
 * @param derive `unit` is what a row is now, and `ids` is what it may have been. The others of them are removed
 */
async function writeOrRemove(
  { writer, isFirst }: Run,
  rows: readonly AnyRow[],
  derive: (row: AnyRow) => { readonly unit: WorkUnit | undefined; readonly ids: readonly string[] },
): Promise<void> {
  const derived = rows.map(derive);
  const units = derived.flatMap(({ unit }) => unit ?? []);
  const removed = derived.flatMap(({ unit, ids }) => ids.filter((id) => id !== unit?.id));
  await writer.write(units, isFirst ? [] : removed);
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
