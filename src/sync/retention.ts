/**
 * Removes records that ended before a period, with their work units. RETENTION.md says which ones, and why figures stay
 * true.
 *
 * The units of a repository are at any time those that its stored records give, so that no later derivation changes a
 * figure. Old records that units of the period depend on therefore stay. Units are removed first and records last: a run
 * that is killed finds again what it has not completed.
 */
import { dayNumber, dayText } from '../analytics/planner/buckets.js';
import { timeZoneOf } from '../analytics/time-zone.js';
import type { WorkType } from '../analytics/vocabulary.js';
import type { SyncDependencies } from './dependencies.js';
import { systemRandom } from './random.js';
import { tableNamed, type AnyRow, type TableName } from './records.js';
import { ifIdle, latestSource } from './repository-locks.js';
import type { Sink, StoredKey, SyncState } from './sinks/sink.js';
import { COMMIT_KINDS, REQUEST_KINDS } from './work-units/derivation/closings.js';
import type { Where } from './work-units/derivation/database/records.js';
import { unitId } from './work-units/derivation/derive.js';
import { repositoryContext } from './work-units/derivation/plan.js';
import { OlderCode, PRODUCTION_COLUMNS } from './work-units/derivation/production-deployments.js';
import { RecordReader } from './work-units/derivation/read.js';
import { mergedAt } from './work-units/derivation/request-facts.js';
import type { CorrectableResources } from './work-units/derivation/resources.js';
import { numberOf, numberOrNull, textOf } from './work-units/row-values.js';
import { storedCalendar } from './work-units/stored-calendar.js';

/** A database of records. */
export interface RetainedDatabase {
  readonly orgId: string;
  readonly sink: Sink;
  /** Undefined for a database without work units. */
  readonly resources: CorrectableResources | undefined;
  readonly dependencies: Pick<SyncDependencies, 'now' | 'signal'>;
}

export interface RetentionOptions {
  /** Records that ended earlier than so many days before today are removed. */
  readonly days: number;
  /** Only counts. Default: false. */
  readonly dryRun?: boolean;
  /** Records that are removed together. Default: 1,000. */
  readonly batchSize?: number;
  /**
   * Asked after each batch that was removed: whether to stop, and to leave the rest to the next call, which continues there.
   * Absent: all is done at once.
   */
  readonly isTimeUp?: () => boolean;
}

/** What was removed from the records of an organization. */
export interface RemovedRecords {
  /** The number of records by table; what goes with them, such as the files of commits, is not counted. */
  readonly records: Readonly<Partial<Record<RemovableTable, number>>>;
  /** The names of repositories that were left alone, because a sync or another change holds them. */
  readonly busy: readonly string[];
  /** False: time was up. */
  readonly isComplete: boolean;
}

/** Removes the old records of an organization. If it is interrupted, the next call completes it. */
export async function removeOldRecords(database: RetainedDatabase, options: RetentionOptions): Promise<RemovedRecords> {
  const { orgId, sink, resources, dependencies } = database;
  const before = await horizon(database, options.days);
  const records: Partial<Record<RemovableTable, number>> = {};
  const busy: string[] = [];
  let isComplete = true;
  for (const { id, name } of await sink.repositories(orgId)) {
    dependencies.signal.throwIfAborted();
    const source = await latestSource(sink, id);
    if (source === undefined) continue;
    if (options.isTimeUp !== undefined && (await readRetention(sink, id)).examined === before) continue;
    const remove = (assertHeld: () => Promise<void>): Promise<boolean> =>
      new RepositoryRetention(database, id, before, options, records, assertHeld).run();
    const isDone =
      options.dryRun === true
        ? await remove(() => Promise.resolve())
        : await ifIdle(sink, { repoId: id, source }, dependencies, remove);
    if (isDone === undefined) busy.push(name);
    if (isDone === false) {
      isComplete = false;
      break;
    }
  }
  if (Object.keys(records).length > 0 && options.dryRun !== true) await resources?.store.settle?.();
  return { records, busy, isComplete };
}

/** The start of the first day of the period, in the time zone of the organization. Epoch milliseconds. */
async function horizon({ resources, dependencies }: RetainedDatabase, days: number): Promise<number> {
  const zone = timeZoneOf(resources === undefined ? 'UTC' : (await storedCalendar(resources)).timeZone);
  return zone.startOf(dayText(dayNumber(zone.dayOf(dependencies.now())) - days));
}

interface Retention {
  /** Records that ended before it may have been removed; undefined: none was. Epoch milliseconds. */
  readonly before: number | undefined;
  /** The horizon of the last removal that was completed. */
  readonly examined: number | undefined;
}

/** The moment before which records of a repository may have been removed; undefined: none was. Epoch milliseconds. */
export async function removedBefore(sink: Pick<Sink, 'readState'>, repoId: string): Promise<number | undefined> {
  return (await readRetention(sink, repoId)).before;
}

/** The same from the stored position of the state. */
export function retentionOf(position: unknown): Retention {
  if (typeof position !== 'object' || position === null) return { before: undefined, examined: undefined };
  const moment = (name: keyof Retention): number | undefined => {
    const value: unknown = Reflect.get(position, name);
    return typeof value === 'number' ? value : undefined;
  };
  return { before: moment('before'), examined: moment('examined') };
}

async function readRetention(sink: Pick<Sink, 'readState'>, repoId: string): Promise<Retention> {
  return retentionOf((await sink.readState(keyOf(repoId)))?.position);
}

function keyOf(repoId: string): StoredKey {
  return { repoId, target: 'retention', source: 'local' };
}

/** The records that are removed by their age. The others go with them. */
const REMOVABLE = [
  'git_pull_requests',
  'git_commits',
  'issues',
  'incidents',
  'ci_pipeline_runs',
  'deployments',
] as const satisfies readonly TableName[];
export type RemovableTable = (typeof REMOVABLE)[number];

interface Kind {
  /** The column that identifies a record in its repository. */
  readonly key: string;
  /** The columns that `endOf` reads. */
  readonly times: readonly string[];
  /** Selects at least the old records. */
  readonly where: (before: number) => Where;
  /** When a record ended, in epoch milliseconds; null: it has not. */
  readonly endOf: (row: AnyRow) => number | null;
  /** The units that the record may be. */
  readonly units: readonly WorkType[];
  /** The tables of what belongs to the record, with their columns of its key. */
  readonly parts: readonly (readonly [TableName, string])[];
}

const begunIn =
  (column: string) =>
  (until: number): Where => ({ kind: 'before', column, until });
const all = (): Where => ({ kind: 'all' });

const KINDS: Readonly<Record<RemovableTable, Kind>> = {
  git_pull_requests: {
    key: 'number',
    times: ['state', 'created_at', 'updated_at', 'merged_at', 'closed_at'],
    where: begunIn('created_at'),
    // The end of a request that was not merged is its day in figures.
    endOf: (row) =>
      textOf(row, 'state') === 'open'
        ? null
        : (mergedAt(row) ?? latestOf(row, ['created_at', 'updated_at', 'closed_at'])),
    units: ['pull_request'],
    parts: [['git_pull_request_reviews', 'number']],
  },
  git_commits: {
    key: 'hash',
    times: ['author_when', 'committer_when'],
    where: begunIn('committer_when'),
    endOf: (row) => latestOf(row, ['author_when', 'committer_when']),
    units: ['commit'],
    parts: [['git_commit_stats', 'commit_hash']],
  },
  issues: {
    key: 'number',
    times: ['state', 'closed_at', 'updated_at'],
    where: begunIn('created_at'),
    endOf: (row) =>
      textOf(row, 'state') === 'open' ? null : (numberOrNull(row, 'closed_at') ?? numberOf(row, 'updated_at')),
    units: ['issue', 'incident'],
    parts: [['issue_state_changes', 'number']],
  },
  incidents: {
    key: 'incident_id',
    times: ['resolved_at'],
    where: begunIn('started_at'),
    endOf: (row) => numberOrNull(row, 'resolved_at'),
    units: ['incident'],
    parts: [],
  },
  ci_pipeline_runs: {
    key: 'run_id',
    times: ['queued_at', 'started_at', 'finished_at'],
    where: begunIn('started_at'),
    endOf: (row) => latestOf(row, ['queued_at', 'started_at', 'finished_at']),
    units: [],
    parts: [],
  },
  deployments: {
    key: 'deployment_id',
    times: [...PRODUCTION_COLUMNS, 'last_synced'],
    where: all,
    // One without any time has no unit, and ends when it was stored.
    endOf: (row) =>
      latestOf(row, ['started_at', 'finished_at', 'deployed_at', 'merged_at', 'committed_at']) ??
      numberOrNull(row, 'last_synced'),
    units: ['deployment'],
    parts: [],
  },
};

function latestOf(row: AnyRow, columns: readonly string[]): number | null {
  const times = columns.flatMap((column) => numberOrNull(row, column) ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

type Keys = readonly string[] | readonly number[];

/** Removes the old records of one repository. */
class RepositoryRetention {
  readonly #database: RetainedDatabase;
  readonly #repoId: string;
  readonly #before: number;
  readonly #options: RetentionOptions;
  readonly #counts: Partial<Record<RemovableTable, number>>;
  readonly #assertHeld: () => Promise<void>;
  #reader: RecordReader | undefined;
  #isAnnounced = false;
  /** Ids of units with a correction. */
  #corrected: ReadonlySet<string> | undefined;
  /** Requests that are removed: their commits go with them. */
  readonly #removedRequests = new Set<number>();

  constructor(
    database: RetainedDatabase,
    repoId: string,
    before: number,
    options: RetentionOptions,
    counts: Partial<Record<RemovableTable, number>>,
    assertHeld: () => Promise<void>,
  ) {
    this.#database = database;
    this.#repoId = repoId;
    this.#before = before;
    this.#options = options;
    this.#counts = counts;
    this.#assertHeld = assertHeld;
  }

  /** @returns false: time was up */
  async run(): Promise<boolean> {
    const { resources } = this.#database;
    if (resources !== undefined) {
      const { records } = resources;
      const context = await repositoryContext(resources, this.#repoId, await records.readProgress(this.#repoId));
      this.#reader = context === undefined ? undefined : new RecordReader(records, context);
    }
    const { batchSize = 1000, isTimeUp = () => false } = this.#options;
    for (const table of REMOVABLE) {
      const kept = table === 'deployments' ? await this.#neededDeployments() : new Set<string | number>();
      for await (const rows of this.#oldRows(table)) {
        for (let start = 0; start < rows.length; start += batchSize) {
          const keys = keysOf(table, rows.slice(start, start + batchSize));
          // What is kept is examined by each attempt, so that it must not end one: the next attempt would come no further.
          if ((await this.#removeBatch(table, keys, kept)) && isTimeUp()) return false;
        }
      }
    }
    if (this.#options.dryRun === true) return true;
    const { sink } = this.#database;
    await this.#store({ ...(await readRetention(sink, this.#repoId)), examined: this.#before });
    return true;
  }

  async *#oldRows(name: RemovableTable): AsyncGenerator<readonly AnyRow[]> {
    const { key, times, where, endOf } = KINDS[name];
    for await (const rows of this.#rows(name, [key, ...times], where(this.#before))) {
      await this.#assertHeld();
      const old = rows.filter((row) => this.#isOld(endOf(row)));
      if (old.length > 0) yield old;
    }
  }

  #isOld(end: number | null): boolean {
    return end !== null && end < this.#before;
  }

  /** All rows are read where the database cannot read a part of them. */
  #rows(name: TableName, columns: readonly string[], where: Where): AsyncIterable<readonly AnyRow[]> {
    const { sink } = this.#database;
    const table = tableNamed(name);
    const unique = [...new Set(columns)];
    return (
      sink.derivation?.rows({ table, repoId: this.#repoId, columns: unique, where }) ?? sink.scan(table, this.#repoId)
    );
  }

  /** @returns whether it had something to remove */
  async #removeBatch(name: RemovableTable, keys: Keys, kept: ReadonlySet<string | number>): Promise<boolean> {
    const needed = await this.#neededAmong(name, keys);
    const isRemoved = (key: string | number): boolean => !kept.has(key) && !needed.has(key);
    const removed = isNumbers(keys) ? keys.filter(isRemoved) : keys.filter(isRemoved);
    if (removed.length === 0) return false;
    if (name === 'git_pull_requests') for (const key of removed) this.#removedRequests.add(Number(key));
    this.#counts[name] = (this.#counts[name] ?? 0) + removed.length;
    if (this.#options.dryRun === true) return true;
    await this.#assertHeld();
    await this.#announce();
    await this.#removeUnits(name, removed);
    const { sink } = this.#database;
    for (const [part, column] of KINDS[name].parts)
      await sink.remove(tableNamed(part), this.#repoId, { [column]: removed });
    await sink.remove(tableNamed(name), this.#repoId, { [KINDS[name].key]: removed });
    return true;
  }

  /** Stored before anything is removed, so that no figure ever takes a removed day for one without work. */
  async #announce(): Promise<void> {
    if (this.#isAnnounced) return;
    const stored = await readRetention(this.#database.sink, this.#repoId);
    await this.#store({ ...stored, before: Math.max(stored.before ?? this.#before, this.#before) });
    this.#isAnnounced = true;
  }

  async #store({ before, examined }: Retention): Promise<void> {
    const position = {
      ...(before === undefined ? {} : { before }),
      ...(examined === undefined ? {} : { examined }),
    };
    const state: SyncState = { revision: systemRandom.newId(), request: '', position, done: true };
    await this.#database.sink.apply({ key: keyOf(this.#repoId), tables: [], blameLengths: [], state });
  }

  async #removeUnits(name: RemovableTable, keys: Keys): Promise<void> {
    const { orgId, resources } = this.#database;
    const reader = this.#reader;
    if (resources === undefined || reader === undefined) return;
    const repoId = this.#repoId;
    const ids = KINDS[name].units.flatMap((type) => [...keys].map((key) => unitId(repoId, type, key)));
    if (ids.length > 0) await resources.store.apply({ orgId, repoId, units: [], removed: ids });
    this.#corrected ??= await this.#corrections(resources);
    for (const id of ids) if (this.#corrected.has(id)) await resources.corrections.withdraw(orgId, id, undefined);
    await this.#removeNotes(name, keys, reader, resources);
  }

  /** Removes the links and closings of records. */
  async #removeNotes(
    name: RemovableTable,
    keys: Keys,
    reader: RecordReader,
    { records }: CorrectableResources,
  ): Promise<void> {
    const [texts, numbers] = [[...keys].map(String), [...keys].map(Number)];
    if (name === 'git_commits') {
      const links = await reader.links({ hashes: texts });
      if (links.length > 0) await records.writeLinks(this.#repoId, [], links);
    } else if (name === 'git_pull_requests') {
      // What a commit's message names stays as long as the commit.
      const links = (await reader.links({ numbers })).filter(({ kind }) => kind === 'listed' || kind === 'changing');
      if (links.length > 0) await records.writeLinks(this.#repoId, [], links);
    }
    const closings =
      name === 'git_commits'
        ? await reader.closings('closer', texts, COMMIT_KINDS)
        : name === 'git_pull_requests'
          ? await reader.closings('closer', texts, REQUEST_KINDS)
          : name === 'issues'
            ? await reader.closings('issue', numbers, ['listed'])
            : [];
    if (closings.length > 0) await records.writeClosings(this.#repoId, [], closings);
  }

  async #corrections({ orgId, corrections }: CorrectableResources): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const first = `${this.#repoId}:`;
    for (let after: string | undefined = first; after !== undefined;) {
      const page: readonly { readonly unitId: string }[] = await corrections.listCorrections(orgId, after, CORRECTIONS);
      for (const { unitId: id } of page) if (id.startsWith(first)) found.add(id);
      const last = page.at(-1)?.unitId;
      after = page.length < CORRECTIONS || last?.startsWith(first) !== true ? undefined : last;
    }
    return found;
  }

  /** The old records that the units of others depend on. */
  async #neededAmong(name: RemovableTable, keys: Keys): Promise<ReadonlySet<string | number>> {
    const reader = this.#reader;
    if (reader === undefined) return new Set();
    if (name === 'git_commits') return this.#neededCommits([...keys].map(String), reader);
    if (name === 'git_pull_requests') return this.#neededRequests([...keys].map(Number), reader);
    return new Set();
  }

  /** The commits of requests that stay. */
  async #neededCommits(hashes: readonly string[], reader: RecordReader): Promise<ReadonlySet<string>> {
    const links = await reader.links({ hashes });
    const numbers = [...new Set(links.map(({ number }) => number))].filter((each) => !this.#removedRequests.has(each));
    const stored = await reader.requestSources(numbers);
    return new Set(links.filter(({ number }) => stored.has(number)).map(({ hash }) => hash));
  }

  /**
   * Requests with a commit or a review that is not old, and those that share a commit with a request that is not: without
   * them the commit would be a unit, or count for the other request.
   */
  async #neededRequests(numbers: readonly number[], reader: RecordReader): Promise<ReadonlySet<number>> {
    const needed = new Set<number>();
    const links = await reader.links({ numbers });
    const hashes = new Set<string>();
    for (const some of inParts([...new Set(links.map(({ hash }) => hash))])) {
      const { times, endOf } = KINDS.git_commits;
      const where: Where = { kind: 'in', column: 'hash', values: some };
      for await (const rows of reader.rows('git_commits', ['hash', ...times], where))
        for (const row of rows) if (!this.#isOld(endOf(row))) hashes.add(textOf(row, 'hash'));
      const shared = await reader.links({ hashes: some });
      const recent = await this.#recentRequests([...new Set(shared.map(({ number }) => number))], reader);
      for (const { hash, number } of shared) if (recent.has(number)) hashes.add(hash);
    }
    for (const { hash, number } of links) if (hashes.has(hash)) needed.add(number);
    const where: Where = { kind: 'in', column: 'number', values: numbers };
    for await (const rows of reader.rows('git_pull_request_reviews', ['number', 'review_id', 'submitted_at'], where))
      for (const row of rows) if (!this.#isOld(numberOf(row, 'submitted_at'))) needed.add(numberOf(row, 'number'));
    return needed;
  }

  /** Those that are open, or ended in the period. */
  async #recentRequests(numbers: readonly number[], reader: RecordReader): Promise<ReadonlySet<number>> {
    const recent = new Set<number>();
    const { times, endOf } = KINDS.git_pull_requests;
    for (const some of inParts(numbers)) {
      const where: Where = { kind: 'in', column: 'number', values: some };
      for await (const rows of reader.rows('git_pull_requests', ['number', ...times], where))
        for (const row of rows) if (!this.#isOld(endOf(row))) recent.add(numberOf(row, 'number'));
    }
    return recent;
  }

  /** Without them, it would not be known which deployment was the first with a request of the period. */
  async #neededDeployments(): Promise<ReadonlySet<string>> {
    if (this.#reader === undefined) return new Set();
    const older = new OlderCode(this.#reader.context.delivery.production);
    for await (const rows of this.#oldRows('deployments')) for (const row of rows) older.add(row);
    return older.ids;
  }
}

/** Corrections of one page. */
const CORRECTIONS = 1000;
/** Values of one condition. */
const VALUES_AT_ONCE = 1000;

function* inParts<Value>(values: readonly Value[]): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += VALUES_AT_ONCE) yield values.slice(start, start + VALUES_AT_ONCE);
}

function keysOf(name: RemovableTable, rows: readonly AnyRow[]): Keys {
  const { key } = KINDS[name];
  return key === 'number' ? rows.map((row) => numberOf(row, key)) : rows.map((row) => textOf(row, key));
}

function isNumbers(keys: Keys): keys is readonly number[] {
  return typeof keys[0] === 'number';
}
