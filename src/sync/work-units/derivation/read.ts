/** Reads the records of a derivation in batches, in the form that the derivation needs. */
import type { AnyRow, TableName } from '../../records.js';
import { tableNamed } from '../../records.js';
import { readAhead } from '../../read-ahead.js';
import { inSlices, type Steps } from '@plumbline/contract/system/slices';
import { numberOf, textOf, textOrNull, textsOf } from '../row-values.js';
import { ChangeFailures } from './change-failures.js';
import { changesOf, COMMIT_COLUMNS, commitFacts, type CommitFacts } from './commits.js';
import type { ClosingKind, StoredClosing } from './closings.js';
import {
  CLOSINGS,
  inParts,
  LINKS,
  type ChangedCommit,
  type CommitsWhere,
  type DerivationRecords,
  type Where,
} from './database/records.js';
import { failureSigns } from './failure-signs.js';
import { withIssuesOfCommits, withIssuesOfRequests } from './issue-plans.js';
import { countsFor, linksByHash, type LinkKind, type RequestClaims, type StoredLink } from './links.js';
import { repeatedRequests, withoutNamesakes, type MergedRequest } from './namesakes.js';
import type { RepositoryContext } from './plan.js';
import { PRODUCTION_COLUMNS, ProductionDeployments, type Merged } from './production-deployments.js';
import { mergedAt, type RequestFacts, type Review } from './request-facts.js';

/** Selects commits: by their hashes, or by the requests that they are linked to. */
export type SelectedCommits = { readonly hashes: readonly string[] } | { readonly numbers: readonly number[] };

/** Selects links: by the commits' hashes, by a range of hashes in the database's order, or by requests. */
export type SelectedLinks = SelectedCommits | { readonly from: string; readonly to: string };

/** The columns that `requestUnit` reads. */
const REQUEST_COLUMNS = [
  'number', 'title', 'body', 'state', 'author_name', 'author_email', 'created_at', 'updated_at', 'merged_at',
  'closed_at', 'head_branch', 'head_hash', 'merge_hash', 'commit_hashes', 'labels', 'additions', 'deletions',
  'first_commit_at', 'evidence', 'source', 'notes_read',
] as const; // prettier-ignore

export const DEPLOYMENT_COLUMNS = [
  'deployment_id', 'status', 'environment', 'author_name', 'started_at', 'finished_at', 'deployed_at',
  'merged_at', 'release_ref',
] as const; // prettier-ignore

export const INCIDENT_COLUMNS = [
  'incident_id', 'title', 'author_name', 'labels', 'severity', 'started_at', 'resolved_at',
] as const; // prettier-ignore

export const ISSUE_COLUMNS = [
  'number', 'title', 'body', 'kind', 'state_reason', 'author_name', 'labels', 'severity', 'created_at', 'updated_at',
  'closed_at', 'closing_requests', 'epic_key', 'epic', 'initiative_key', 'initiative',
] as const; // prettier-ignore

/** What requests share. */
interface Sharing {
  /**
   * The request that brought in a commit, for commits of several requests: the one that was merged first. Commits of
   * which no request was merged are omitted.
   */
  readonly owners: ReadonlyMap<string, number>;
  /** See `repeatedRequests`. */
  readonly repeated: ReadonlySet<number>;
}

export class RecordReader {
  readonly context: RepositoryContext;
  readonly #records: DerivationRecords;
  #deploymentRows: Promise<readonly AnyRow[]> | undefined;
  #deployments: Promise<ProductionDeployments> | undefined;

  constructor(records: DerivationRecords, context: RepositoryContext) {
    this.#records = records;
    this.context = context;
  }

  /** Rows of a table, in batches. */
  rows(table: TableName, columns: readonly string[], where: Where): AsyncIterable<readonly AnyRow[]> {
    return this.#records.rows({ table: tableNamed(table), repoId: this.context.repoId, columns, where });
  }

  /** The commits that requests list, in groups of limited size. */
  async *claims(where: Where): AsyncGenerator<readonly RequestClaims[]> {
    const columns = ['number', 'head_hash', 'merge_hash', 'commit_hashes'];
    for await (const rows of this.rows('git_pull_requests', columns, where))
      yield* inGroups(rows.map((row) => ({ number: numberOf(row, 'number'), hashes: listedHashes(row) })));
  }

  /** Requests as rows for `requestUnit`, in groups small enough to be processed with their commits. */
  async *requests(where: Where): AsyncGenerator<readonly AnyRow[]> {
    for await (const rows of this.rows('git_pull_requests', REQUEST_COLUMNS, where)) {
      const sized = rows.map((row) => ({ row, hashes: listedHashes(row) }));
      for (const group of inGroups(sized)) yield group.map(({ row }) => row);
    }
  }

  /** The deployments to production. They are read once. */
  deployments(): Promise<ProductionDeployments> {
    this.#deployments ??= this.#productionRows().then(
      (rows) => new ProductionDeployments(rows, this.context.delivery.production),
    );
    return this.#deployments;
  }

  /** Which deployments failed. */
  async changeFailures(): Promise<ChangeFailures> {
    const { delivery } = this.context;
    const rows = await this.#productionRows();
    // Most repositories have no deployments. Their issues need not be read.
    const signs = rows.length === 0 ? [] : await failureSigns((...asked) => this.rows(...asked), delivery);
    return new ChangeFailures(rows, signs, delivery);
  }

  /** The numbers of those issues that are stored. */
  async storedIssues(numbers: readonly number[]): Promise<ReadonlySet<number>> {
    const stored = new Set<number>();
    if (numbers.length === 0) return stored;
    for await (const rows of this.rows('issues', ['number'], { kind: 'in', column: 'number', values: numbers }))
      for (const row of rows) stored.add(numberOf(row, 'number'));
    return stored;
  }

  /** Requests with their stored commits and reviews, in the order of the rows. Those that repeat others are omitted. */
  async requestFacts(rows: readonly AnyRow[]): Promise<readonly RequestFacts[]> {
    const numbers = rows.map((row) => numberOf(row, 'number'));
    const selected = { numbers };
    const [own, facts, reviews, deployments] = await Promise.all([
      this.links(selected),
      this.commits(selected).then((commits) => this.#factsWithoutIssues(commits)),
      this.#reviews(numbers),
      this.deployments(),
    ]);
    const links = withoutNamesakes(await this.#sharedLinks(own));
    const { owners, repeated } = await this.#sharing(links);
    const byHash = new Map(facts.map((commit) => [commit.hash, commit]));
    const byNumber = new Map<number, StoredLink[]>(numbers.map((number) => [number, []]));
    for (const link of links) byNumber.get(link.number)?.push(link);
    const counted = rows.filter((row) => !repeated.has(numberOf(row, 'number')));
    const found = counted.map((row) => {
      const number = numberOf(row, 'number');
      const source = textOf(row, 'source');
      const linked = (byNumber.get(number) ?? []).filter(({ kind }) => countsFor(kind, source));
      const isOwn = (hash: string): boolean => (owners.get(hash) ?? number) === number;
      const hashes = new Set(linked.map(({ hash }) => hash).filter(isOwn));
      const commits = [...hashes].flatMap((hash) => byHash.get(hash) ?? []);
      const branch = textsOf(row, 'commit_hashes');
      // A squash repeats the changes of the whole branch.
      const remaining = branch.every(isOwn) ? null : branch.filter((hash) => isOwn(hash) && hash !== row['merge_hash']);
      const merged = mergedAs(row);
      const deployedAt = merged === null ? null : deployments.firstWith(merged);
      return { row, commits, remaining, reviews: reviews.get(number) ?? [], deployedAt, issues: [] };
    });
    return withIssuesOfRequests(this, found);
  }

  /**
   * The requests of commits that several requests name.
   *
   * @param links all links of each of their commits
   */
  async #sharing(links: readonly StoredLink[]): Promise<Sharing> {
    const shared = [...linksByHash(links)].filter(([, claims]) => new Set(claims.map(({ number }) => number)).size > 1);
    const numbers = [...new Set(shared.flatMap(([, claims]) => claims.map(({ number }) => number)))];
    const merges = new Map<number, MergedRequest & { readonly at: number; readonly source: string }>();
    for (const where of inParts('number', numbers)) {
      for await (const rows of this.rows('git_pull_requests', [...MERGE_COLUMNS, 'source'], where))
        for (const row of rows) {
          const [number, merged] = [numberOf(row, 'number'), mergedAs(row)];
          if (merged !== null) merges.set(number, { number, ...merged, source: textOf(row, 'source') });
        }
    }
    const repeated = repeatedRequests([...merges.values()]);
    for (const number of repeated) merges.delete(number);
    const owners = new Map<string, number>();
    for (const [hash, claims] of shared) {
      const [owner] = claims
        .flatMap(({ number, kind }) => {
          const merge = merges.get(number);
          return merge !== undefined && countsFor(kind, merge.source) ? [merge] : [];
        })
        .sort((one, other) => one.at - other.at || one.number - other.number);
      if (owner !== undefined) owners.set(hash, owner.number);
    }
    return { owners, repeated };
  }

  /** All links of the commits that some links name. */
  async #sharedLinks(links: readonly StoredLink[]): Promise<readonly StoredLink[]> {
    const hashes = [...new Set(links.map(({ hash }) => hash))];
    const found: StoredLink[] = [];
    for (const { values } of inParts('hash', hashes)) found.push(...(await this.links({ hashes: values })));
    return found;
  }

  /** The requests that share commits with some requests, which may have brought them in. */
  async sharingWith(numbers: readonly number[]): Promise<readonly number[]> {
    const links = await this.#sharedLinks(await this.links({ numbers }));
    return links.map(({ number }) => number);
  }

  /** The sources of requests; requests that are not stored are omitted. */
  async requestSources(numbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const sources = new Map<number, string>();
    if (numbers.length === 0) return sources;
    const where: Where = { kind: 'in', column: 'number', values: numbers };
    for await (const rows of this.rows('git_pull_requests', ['number', 'source'], where))
      for (const row of rows) sources.set(numberOf(row, 'number'), textOf(row, 'source'));
    return sources;
  }

  /** All commits in key order, with their changes. Reads a batch while the previous one is processed. */
  allCommits(): AsyncIterable<readonly ChangedCommit[]> {
    return readAhead(this.#records.commits(this.context.repoId, COMMIT_COLUMNS, { kind: 'all' }), 1);
  }

  /** The commits that are stored, in key order, with their changes. */
  async commits(selected: SelectedCommits): Promise<readonly ChangedCommit[]> {
    const where: CommitsWhere =
      'numbers' in selected
        ? { kind: 'linked', column: 'hash', numbers: selected.numbers }
        : { kind: 'in', column: 'hash', values: selected.hashes };
    const found: ChangedCommit[] = [];
    for await (const batch of this.#records.commits(this.context.repoId, COMMIT_COLUMNS, where)) found.push(...batch);
    return found;
  }

  async commitFacts(selected: SelectedCommits): Promise<readonly CommitFacts[]> {
    return this.factsOf(await this.commits(selected));
  }

  /** The facts of commits that were read, with their issues. */
  async factsOf(commits: readonly ChangedCommit[]): Promise<readonly CommitFacts[]> {
    return withIssuesOfCommits(this, commits, await this.#factsWithoutIssues(commits));
  }

  /** The server serves other requests between two paths. */
  #factsWithoutIssues(commits: readonly ChangedCommit[]): Promise<readonly CommitFacts[]> {
    return inSlices(this.#factSteps(commits));
  }

  *#factSteps(commits: readonly ChangedCommit[]): Steps<readonly CommitFacts[]> {
    const { classifier, teams } = this.context;
    const facts: CommitFacts[] = [];
    for (const commit of commits) facts.push(commitFacts(commit.row, yield* changesOf(commit, classifier, teams)));
    return facts;
  }

  async links(selected: SelectedLinks): Promise<readonly StoredLink[]> {
    const where: Where =
      'numbers' in selected
        ? { kind: 'in', column: 'number', values: selected.numbers }
        : 'hashes' in selected
          ? { kind: 'in', column: 'hash', values: selected.hashes }
          : { kind: 'range', column: 'hash', ...selected };
    const found: StoredLink[] = [];
    const columns = ['hash', 'number', 'kind'];
    for await (const rows of this.#records.rows({ table: LINKS, repoId: this.context.repoId, columns, where })) {
      for (const row of rows)
        // Only `writeLinks` writes them.
        found.push({
          hash: textOf(row, 'hash'),
          number: numberOf(row, 'number'),
          kind: textOf(row, 'kind') as LinkKind,
        });
    }
    return found;
  }

  /** The stored closings of issues, or by closers. */
  async closings(
    column: 'issue' | 'closer',
    values: readonly (string | number)[],
    kinds: readonly ClosingKind[],
  ): Promise<readonly StoredClosing[]> {
    const found: StoredClosing[] = [];
    const where: Where = { kind: 'in', column, values };
    const columns = ['issue', 'closer', 'kind'];
    for await (const rows of this.#records.rows({ table: CLOSINGS, repoId: this.context.repoId, columns, where })) {
      for (const row of rows) {
        const kind = kinds.find((each) => each === row['kind']);
        if (kind !== undefined) found.push({ issue: numberOf(row, 'issue'), closer: textOf(row, 'closer'), kind });
      }
    }
    return found;
  }

  /** The reviews of requests, by number. */
  async #reviews(numbers: readonly number[]): Promise<ReadonlyMap<number, readonly Review[]>> {
    const found = new Map<number, Review[]>();
    const columns = ['number', 'review_id', 'reviewer', 'state', 'submitted_at'];
    const where: Where = { kind: 'in', column: 'number', values: numbers };
    for await (const rows of this.rows('git_pull_request_reviews', columns, where)) {
      for (const row of rows) {
        const number = numberOf(row, 'number');
        const all = found.get(number) ?? [];
        found.set(number, all);
        all.push({
          reviewer: textOf(row, 'reviewer'),
          state: textOf(row, 'state'),
          submittedAt: numberOf(row, 'submitted_at'),
        });
      }
    }
    return found;
  }

  #productionRows(): Promise<readonly AnyRow[]> {
    this.#deploymentRows ??= this.#readProductionRows();
    return this.#deploymentRows;
  }

  async #readProductionRows(): Promise<readonly AnyRow[]> {
    const all: AnyRow[] = [];
    for await (const rows of this.rows('deployments', PRODUCTION_COLUMNS, { kind: 'all' })) all.push(...rows);
    return all;
  }
}

/** The columns that `mergedAs` reads, and the key. */
export const MERGE_COLUMNS = ['number', 'state', 'merged_at', 'closed_at', 'merge_hash'] as const;

/** The commit that a request was merged as; null if it was not merged. */
export function mergedAs(row: AnyRow): Merged | null {
  const at = mergedAt(row);
  return at === null ? null : { at, hash: textOrNull(row, 'merge_hash') };
}

/** The hashes in a request's row: its commits, its head, and its merge commit. */
function listedHashes(row: AnyRow): ReadonlySet<string> {
  const hashes = [...textsOf(row, 'commit_hashes'), textOf(row, 'head_hash'), textOf(row, 'merge_hash')];
  return new Set(hashes.filter((hash) => hash !== ''));
}

const GROUP_REQUESTS = 1000;
const GROUP_HASHES = 5000;

function* inGroups<Item extends { readonly hashes: ReadonlySet<string> }>(
  items: readonly Item[],
): Generator<readonly Item[]> {
  let group: Item[] = [];
  let hashes = 0;
  for (const item of items) {
    group.push(item);
    hashes += item.hashes.size;
    if (group.length < GROUP_REQUESTS && hashes < GROUP_HASHES) continue;
    yield group;
    group = [];
    hashes = 0;
  }
  if (group.length > 0) yield group;
}
