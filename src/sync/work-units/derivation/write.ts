/**
 * Derives the work units of one repository again from its changed records, in four steps:
 *
 * 1. Requests that changed: the links to the commits that they list are brought up to date. A commit that a request
 *    takes loses its own unit; one that it gives back gets one again.
 * 2. Commits that changed: each that belongs to no request and is no merge becomes a unit. (What a merge brings is
 *    counted with the commits that it merges; its record stays.)
 * 3. Requests that changed, or whose commits or reviews did, become units.
 * 4. Deployments and incidents that changed become units.
 *
 * Each step works in batches, so that memory stays flat, and can be repeated after it was killed. Where that is not
 * enough (a request may list other commits by then), a link says that it is changing, from before the first unit is
 * touched for it until it is what it says: whatever is found changing is looked at again.
 */
import type { WorkUnit, WorkUnitStore } from '../../../analytics/work-unit.js';
import type { AnyRow, TableName } from '../../records.js';
import type { ChangedCommit, Derivation, Where } from './database/records.js';
import {
  commitUnit,
  DEPLOYMENT_COLUMNS,
  deploymentUnit,
  INCIDENT_COLUMNS,
  incidentUnit,
  requestUnit,
  unitId,
} from './derive.js';
import type { RepositoryContext } from './derive.js';
import { holds, mentionOf } from './links.js';
import { isMerge } from '../facts.js';
import type { RequestClaims, SelectedLinks, StoredLink } from './read.js';
import { RecordReader } from './read.js';
import { numberOf, textOf } from '../row-values.js';
import { UnitWriter } from '../unit-writer.js';

/** How much of a kind of records is looked at: since a time in epoch milliseconds, that included. */
export type Extent = 'none' | 'all' | { readonly since: number };

/** What may have changed since the last derivation. */
export interface Changed {
  readonly commits: Extent;
  readonly requests: Extent;
  readonly deployments: Extent;
  readonly incidents: Extent;
}

export interface RepositoryDerivation {
  readonly orgId: string;
  readonly context: RepositoryContext;
  readonly records: Derivation;
  readonly store: WorkUnitStore;
  readonly changed: Changed;
  /** No unit of this repository was ever stored: there is nothing to take away. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** More requests than these are not remembered one by one: all are derived. */
const MOST_REMEMBERED = 100_000;

/**
 * Brings the units of a repository up to date. Only one derivation of a repository may run at a time.
 *
 * @returns how many units were written
 */
export async function deriveRepository(derivation: RepositoryDerivation): Promise<number> {
  const { context, changed } = derivation;
  const run = begin(derivation);
  await updateClaims(run);
  await deriveCommits(run);
  await deriveRequests(run);
  await deriveEach(run, 'deployments', changed.deployments, DEPLOYMENT_COLUMNS, (row) => deploymentUnit(context, row));
  await deriveEach(run, 'incidents', changed.incidents, INCIDENT_COLUMNS, (row) => incidentUnit(context, row));
  await run.writer.flush();
  return run.writer.written;
}

/** Commits of a repository of which no unit and no link was ever stored, as they arrive. */
export interface NewCommits {
  /** Makes units of commits that came with no other call; they are stored. */
  write(commits: readonly ChangedCommit[]): Promise<void>;
  /** @returns how many units were written, when all are */
  finish(): Promise<number>;
}

/** Writes the units of new commits. The rest of the repository is to be derived when all have come. */
export function beginNewCommits(derivation: Omit<RepositoryDerivation, 'changed' | 'isFirst'>): NewCommits {
  const run = begin({ ...derivation, changed: EVERYTHING, isFirst: true });
  return {
    write: (commits) => writeAlone(run, commits, []),
    async finish() {
      await run.writer.flush();
      return run.writer.written;
    },
  };
}

export const EVERYTHING: Changed = { commits: 'all', requests: 'all', deployments: 'all', incidents: 'all' };

function begin(derivation: RepositoryDerivation): Run {
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

async function updateClaims(run: Run): Promise<void> {
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
      // A request that arrives, or comes from another source now, also takes the commits whose messages name it.
      const named = stored.filter(({ kind }) => kind !== 'listed');
      const touched = new Set([...changing, ...named].map(({ hash }) => hash));
      await considerAgain(run, [...touched], change);
    }
    const gone = [...removed, ...begun];
    if (added.length + gone.length > 0) await records.writeLinks(context.repoId, added, gone);
  }
}

interface LinkChange {
  readonly added: readonly StoredLink[];
  readonly removed: readonly StoredLink[];
}

function differences(claims: readonly RequestClaims[], stored: readonly StoredLink[]): LinkChange {
  const before = new Map<number, Set<string>>(claims.map(({ number }) => [number, new Set()]));
  for (const { number, hash, kind } of stored) if (kind === 'listed') before.get(number)?.add(hash);
  const added: StoredLink[] = [];
  const removed: StoredLink[] = [];
  for (const { number, hashes } of claims) {
    const known = before.get(number) ?? new Set();
    for (const hash of hashes) if (!known.has(hash)) added.push({ hash, number, kind: 'listed' });
    for (const hash of known) if (!hashes.has(hash)) removed.push({ hash, number, kind: 'listed' });
  }
  return { added, removed };
}

const CONSIDERED_AT_ONCE = 2000;

/** Commits whose links change: they gain or lose their own units. */
async function considerAgain(run: Run, hashes: readonly string[], change: LinkChange): Promise<void> {
  const key = ({ hash, number, kind }: StoredLink): string => `${hash} ${number} ${kind}`;
  const gone = new Set(change.removed.map(key));
  for (let start = 0; start < hashes.length; start += CONSIDERED_AT_ONCE) {
    const some = hashes.slice(start, start + CONSIDERED_AT_ONCE);
    const selected = { hashes: some };
    const [commits, stored] = await Promise.all([run.reader.commits(selected), run.reader.links(selected)]);
    const among = new Set(some);
    const links = [
      ...stored.filter((link) => !gone.has(key(link))),
      ...change.added.filter(({ hash }) => among.has(hash)),
    ];
    const { alone, linked, merges } = await divide(run, commits, links);
    await run.writer.write(unitsOf(run, alone), commitIds(run, [...linked, ...merges]));
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
  const { alone, merges } = await divide(run, commits, links);
  // A commit that belongs to a request has no unit: none was made, or the request's claim took it away. A merge may have
  // one that an earlier release made.
  await run.writer.write(unitsOf(run, alone), run.isFirst ? [] : commitIds(run, merges));
}

function commitIds({ context }: Run, hashes: readonly string[]): readonly string[] {
  return hashes.map((hash) => unitId(context.repoId, 'commit', hash));
}

interface Divided {
  /** Commits that are units: no merges, and in no request. */
  readonly alone: readonly ChangedCommit[];
  /** Hashes of those that belong to a request. */
  readonly linked: readonly string[];
  /** Hashes of merges that belong to none. */
  readonly merges: readonly string[];
}

/** Tells which commits belong to a request; what their messages say is noted for requests that come later. */
async function divide(run: Run, commits: readonly ChangedCommit[], links: readonly StoredLink[]): Promise<Divided> {
  const byHash = new Map<string, StoredLink[]>();
  for (const link of links) {
    const others = byHash.get(link.hash);
    if (others === undefined) byHash.set(link.hash, [link]);
    else others.push(link);
  }
  const named = commits.map((commit) => ({
    commit,
    hash: textOf(commit.row, 'hash'),
    mention: mentionOf(textOf(commit.row, 'message')),
  }));
  const unnoted: StoredLink[] = [];
  const mentioned = new Set<number>();
  for (const { hash, mention } of named) {
    if (mention === undefined) continue;
    mentioned.add(mention.number);
    const isNoted = byHash.get(hash)?.some(({ number, kind }) => number === mention.number && kind === mention.kind);
    if (isNoted !== true) unnoted.push({ hash, ...mention });
  }
  // Before any unit is written: a request that arrives next must find every commit that names it.
  if (unnoted.length > 0) await run.records.writeLinks(run.context.repoId, unnoted, []);
  const sources = await run.reader.requestSources([...mentioned]);
  const alone: ChangedCommit[] = [];
  const linked: string[] = [];
  const merges: string[] = [];
  for (const { commit, hash, mention } of named) {
    const numbers = (byHash.get(hash) ?? []).filter(({ kind }) => kind === 'listed').map(({ number }) => number);
    const source = mention === undefined ? undefined : sources.get(mention.number);
    if (mention !== undefined && source !== undefined && holds(mention.kind, source)) numbers.push(mention.number);
    if (numbers.length > 0) linked.push(hash);
    else if (isMerge(commit.row)) merges.push(hash);
    else alone.push(commit);
    if (!derivesAllRequests(run)) for (const number of numbers) run.affected.add(number);
  }
  return { alone, linked, merges };
}

function unitsOf({ reader, context }: Run, commits: readonly ChangedCommit[]): readonly WorkUnit[] {
  return commits.map((commit) => commitUnit(context, reader.factsOf(commit)));
}

function derivesAllRequests({ changed, affected }: Run): boolean {
  return changed.requests === 'all' || changed.commits === 'all' || affected.size > MOST_REMEMBERED;
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
  if (derivesAllRequests(run)) {
    await writeRequests(run, { kind: 'all' });
    return;
  }
  const numbers = [...affected].sort((a, b) => a - b);
  for (let start = 0; start < numbers.length; start += REQUESTS_AT_ONCE)
    await writeRequests(run, { kind: 'in', column: 'number', values: numbers.slice(start, start + REQUESTS_AT_ONCE) });
}

const REQUESTS_AT_ONCE = 1000;

async function writeRequests(run: Run, where: Where): Promise<void> {
  for await (const rows of run.reader.requests(where)) {
    run.signal.throwIfAborted();
    await run.writer.write(await requestUnits(run.reader, rows));
  }
}

/** The units of requests, from their rows and what is stored of their commits and reviews. */
export async function requestUnits(
  reader: RecordReader,
  rows: readonly AnyRow[],
  explain?: Parameters<typeof requestUnit>[4],
): Promise<readonly WorkUnit[]> {
  const numbers = rows.map((row) => numberOf(row, 'number'));
  const selected = { numbers };
  const [links, facts, reviews] = await Promise.all([
    reader.links(selected),
    reader.commitFacts(selected),
    reader.lastReviews(numbers),
  ]);
  const byHash = new Map(facts.map((commit) => [commit.hash, commit]));
  const byNumber = new Map<number, StoredLink[]>(numbers.map((number) => [number, []]));
  for (const link of links) byNumber.get(link.number)?.push(link);
  return rows.map((row) => {
    const number = numberOf(row, 'number');
    const source = textOf(row, 'source');
    const own = (byNumber.get(number) ?? []).filter(({ kind }) => holds(kind, source));
    const commits = [...new Set(own.map(({ hash }) => hash))].flatMap((hash) => byHash.get(hash) ?? []);
    return requestUnit(reader.context, row, commits, reviews.get(number) ?? null, explain);
  });
}

async function deriveEach(
  run: Run,
  table: TableName,
  extent: Extent,
  columns: readonly string[],
  unit: (row: AnyRow) => WorkUnit | undefined,
): Promise<void> {
  if (extent === 'none') return;
  for await (const rows of run.reader.rows(table, columns, whereOf(extent))) {
    run.signal.throwIfAborted();
    await run.writer.write(rows.map(unit).filter((each) => each !== undefined));
  }
}
