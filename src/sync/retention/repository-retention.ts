/** Removes the old records of one repository, with their work units, links and closings. */
import type { SyncDependencies } from '../dependencies.js';
import { tableNamed, type AnyRow, type TableName } from '../records.js';
import type { Sink } from '../sinks/sink.js';
import { COMMIT_KINDS, REQUEST_KINDS } from '../work-units/derivation/closings.js';
import { inParts, type Where } from '../work-units/derivation/database/records.js';
import { unitId } from '../work-units/derivation/derive.js';
import { storedKeys } from '../work-units/derivation/issue-keys.js';
import { repositoryContext } from '../work-units/derivation/plan.js';
import { OlderCode } from '../work-units/derivation/production-deployments.js';
import { RecordReader } from '../work-units/derivation/read.js';
import type { CorrectableResources } from '../work-units/derivation/resources.js';
import { numberOf, textOf } from '../work-units/row-values.js';
import { isNumbers, keysOf, KINDS, REMOVABLE, type Keys, type RemovableTable } from './kinds.js';
import { readRetention, writeRetention } from './state.js';

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

/** Removes the old records of one repository. */
export class RepositoryRetention {
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
    await writeRetention(sink, this.#repoId, { ...(await readRetention(sink, this.#repoId)), examined: this.#before });
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
    const { sink } = this.#database;
    const stored = await readRetention(sink, this.#repoId);
    const before = Math.max(stored.before ?? this.#before, this.#before);
    await writeRetention(sink, this.#repoId, { ...stored, before });
    this.#isAnnounced = true;
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
    const keysOfIssues =
      name === 'git_commits' || name === 'git_pull_requests' ? await storedKeys(records, this.#repoId, texts) : [];
    const removed = [...closings, ...keysOfIssues];
    if (removed.length > 0) await records.writeClosings(this.#repoId, [], removed);
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
    for (const where of inParts('hash', [...new Set(links.map(({ hash }) => hash))])) {
      const { times, endOf } = KINDS.git_commits;
      for await (const rows of reader.rows('git_commits', ['hash', ...times], where))
        for (const row of rows) if (!this.#isOld(endOf(row))) hashes.add(textOf(row, 'hash'));
      const shared = await reader.links({ hashes: where.values });
      const recent = await this.#recentRequests([...new Set(shared.map(({ number }) => number))], reader);
      for (const { hash, number } of shared) if (recent.has(number)) hashes.add(hash);
    }
    for (const { hash, number } of links) if (hashes.has(hash)) needed.add(number);
    const where: Where = { kind: 'in', column: 'number', values: numbers };
    for await (const rows of reader.rows('git_pull_request_reviews', ['number', 'review_id', 'submitted_at'], where))
      for (const row of rows) if (!this.#isOld(numberOf(row, 'submitted_at'))) needed.add(numberOf(row, 'number'));
    return needed;
  }

  /** Which of the requests are open, or ended in the period. */
  async #recentRequests(numbers: readonly number[], reader: RecordReader): Promise<ReadonlySet<number>> {
    const recent = new Set<number>();
    const { times, endOf } = KINDS.git_pull_requests;
    for (const where of inParts('number', numbers)) {
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
