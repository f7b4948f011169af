/** The synthetic provider: generated repositories. The same seed generates the same data. */
import { identityOfRemote } from '../../identity.js';
import type { JsonValue, Records, TableName } from '../../records.js';
import type { SyncRequest } from '../../sync-request.js';
import type { SyncDependencies } from '../../dependencies.js';
import { toAsyncIterable } from '@plumbline/contract/system/async-iterable';
import type { OpenRepository, Page, Provider, RepositorySource, Start } from '../provider.js';
import type { Repository } from './day.js';
import { DAY, FIRST_DAY, workOf } from './day.js';
import { issueOf } from './issues.js';
import { blameOf, commitRow, eventsOf, requestRow, reviewRows, statsRows } from './records.js';

/** The last 90 days, and as many before them, with which figures compare. */
export const DEFAULT_DAYS = 180;
const DEFAULT_COMMITS_PER_DAY = 5;

/** The next sync generates this many days again, because requests that were open may have ended. */
const UNSETTLED_DAYS = 14;

/** Opens the provider; `--max-repos` generates that many repositories instead of one. */
export function openSynthetic(
  repoName: string,
  seed: number,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Provider {
  return { repositories: () => toAsyncIterable(sources(repoName, seed, request, dependencies)) };
}

function* sources(
  repoName: string,
  seed: number,
  request: SyncRequest,
  dependencies: SyncDependencies,
): Generator<RepositorySource> {
  const count = request.batch.maxRepos ?? 1;
  for (let number = 1; number <= count; number += 1) {
    const name = number === 1 ? repoName : `${repoName}-${number}`;
    yield { name, open: () => Promise.resolve(openRepository(name, seed, request, dependencies)) };
  }
}

/** The remote address of a generated repository. It determines the identity; no server has it. */
export function addressOfMadeUp(name: string): string {
  return `https://synthetic.invalid/${name}`;
}

interface Span {
  /** Counted from 1970-01-01; the last day is included. */
  readonly firstDay: number;
  readonly lastDay: number;
}

function openRepository(
  name: string,
  seed: number,
  request: SyncRequest,
  dependencies: SyncDependencies,
): OpenRepository {
  const url = addressOfMadeUp(name);
  const span = spanOf(request, dependencies.now());
  const days = span.lastDay - span.firstDay + 1;
  // An explicit number of commits is reached exactly, because all days have equally many.
  const repository: Repository = {
    name,
    seed,
    commitsPerDay: request.maxCommits === undefined ? DEFAULT_COMMITS_PER_DAY : Math.ceil(request.maxCommits / days),
    isEven: request.maxCommits !== undefined,
  };
  return {
    identity: identityOfRemote(url) ?? { identity: `synthetic.invalid/${name.toLowerCase()}`, name },
    record: {
      repo: name,
      ref: 'main',
      url,
      default_branch: 'main',
      created_at: null,
      settings: { source: 'synthetic', seed },
      tags: ['synthetic'],
    },
    pages: (start) => pages(repository, span, request, start),
  };
}

function spanOf({ window }: SyncRequest, now: number): Span {
  const lastDay = Math.floor(((window.until ?? now + 1) - 1) / DAY);
  const firstDay = window.since === undefined ? lastDay - DEFAULT_DAYS + 1 : Math.floor(window.since / DAY);
  return { firstDay: Math.max(FIRST_DAY, Math.min(firstDay, lastDay)), lastDay };
}

interface Position {
  readonly day: number;
  /** The number of the day's items that are stored. */
  readonly offset: number;
  /** The number of leading records stored so far. */
  readonly count: number;
}

async function* pages(repository: Repository, span: Span, request: SyncRequest, start: Start): AsyncGenerator<Page> {
  const until = (span.lastDay + 1) * DAY;
  if (request.target === 'blame') {
    yield* toAsyncIterable(blamePages(repository));
    return;
  }
  let position = beginning(span, start);
  const most = request.target === 'git' ? (request.maxCommits ?? Infinity) : Infinity;
  let batch = new Batch();
  for (let { day, offset } = position; day <= span.lastDay && position.count < most; day += 1, offset = 0) {
    let index = 0;
    for (const records of itemsOf(repository, day, request.target, until)) {
      index += 1;
      if (index <= offset) continue;
      const leading = batch.add(records, most - position.count);
      position = { day, offset: index, count: position.count + leading };
      if (position.count >= most) break;
      if (batch.size < request.pageSize) continue;
      yield {
        records: batch.records,
        position: { ...position },
        done: false,
        ...(most === Infinity ? {} : { expected: most }),
      };
      batch = new Batch();
    }
  }
  // Commits never change. Other open work may have ended by the next sync.
  const settled = { day: Math.max(span.firstDay, span.lastDay - UNSETTLED_DAYS), offset: 0, count: 0 };
  yield { records: batch.records, position: request.target === 'git' ? { ...position } : settled, done: true };
}

function* itemsOf(
  repository: Repository,
  day: number,
  target: SyncRequest['target'],
  until: number,
): Generator<Records> {
  if (target === 'cicd' || target === 'deployments' || target === 'incidents') {
    yield* eventsOf(target, repository, day, until);
    return;
  }
  for (const work of workOf(repository, day)) {
    if (target === 'issues') {
      if ('request' in work) yield* issueOf(repository, work.request, until);
      continue;
    }
    if (target === 'prs') {
      if ('request' in work) {
        yield {
          git_pull_requests: [requestRow(work.request, until)],
          git_pull_request_reviews: reviewRows(work.request, until),
        };
      }
      continue;
    }
    const commits = 'request' in work ? work.request.commits : [work.commit];
    for (const commit of commits) yield { git_commits: [commitRow(commit)], git_commit_stats: statsRows(commit) };
  }
}

/** The records of one page. */
class Batch {
  readonly #tables = new Map<TableName, object[]>();
  size = 0;

  /** Adds records up to `room` leading ones. Returns the number of leading records added. */
  add(records: Records, room: number): number {
    if (room <= 0) return 0;
    for (const [name, rows] of Object.entries(records)) {
      // Object.entries widens the names of the tables to string.
      const table = name as TableName;
      const existing = this.#tables.get(table) ?? [];
      for (const row of rows) existing.push(row);
      this.#tables.set(table, existing);
    }
    this.size += 1;
    return 1;
  }

  get records(): Records {
    // The tables have the names of the added Records.
    return Object.fromEntries(this.#tables);
  }
}

function* blamePages(repository: Repository): Generator<Page> {
  for (const { path, rows } of blameOf(repository)) {
    const blameLengths = [{ path, lines: rows.length }];
    yield { records: { git_blame: rows }, blameLengths, position: null, done: false };
  }
  yield { records: {}, position: null, done: true };
}

function beginning(span: Span, start: Start): Position {
  const fresh: Position = { day: span.firstDay, offset: 0, count: 0 };
  const value: JsonValue = start?.position ?? null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fresh;
  const { day, offset, count } = value as Record<string, JsonValue | undefined>;
  if (typeof day !== 'number' || typeof offset !== 'number' || typeof count !== 'number') return fresh;
  return { day: Math.max(day, span.firstDay), offset, count };
}
