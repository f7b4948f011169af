/** Records of a repository of any size: commits of one to five files, a quarter as many requests that list two each. */
import { createHash, randomUUID } from 'node:crypto';
import { outboundFetch } from '../../../src/contract/outbound/outbound-fetch.js';
import type { AnyRow } from '../../../src/sync/records.js';
import { tableNamed } from '../../../src/sync/records.js';
import { parseConnection } from '../../../src/sync/sinks/connection-string.js';
import { openSink } from '../../../src/sync/sinks/open.js';
import type { SyncDependencies } from '../../../src/sync/dependencies.js';

const PAGE = 2000;
const START = Date.UTC(2016, 0, 1);
const MINUTE = 60_000;
const TYPES = ['feat', 'fix', 'chore(deps)', 'docs', 'test', 'Change how', 'Mend the crash when'];

export function benchDependencies(): SyncDependencies {
  return {
    now: Date.now,
    random: Math.random,
    fetch: outboundFetch('any'),
    progress: {},
    environment: {},
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    signal: new AbortController().signal,
    newId: randomUUID,
  };
}

/** @returns the id of the repository */
export async function fillDatabase(uri: string, commits: number, withRequests: boolean): Promise<string> {
  const address = parseConnection(uri);
  if ('problem' in address) throw new Error(address.problem);
  const sink = await openSink(address, { now: Date.now, concurrency: 1, echo: undefined }, benchDependencies());
  const repoId = randomUUID();
  const everywhere = { org_id: 'bench', source: 'local', last_synced: START };
  try {
    await sink.ensureSchema();
    for (let first = 0; first < commits; first += PAGE) {
      const numbers = Array.from({ length: Math.min(PAGE, commits - first) }, (_, index) => first + index);
      const stamped = (rows: readonly AnyRow[]): AnyRow[] =>
        rows.map((row) => ({ repo_id: repoId, ...row, ...everywhere }));
      await sink.apply({
        key: { repoId, target: 'git', source: 'local' },
        tables: [
          { table: tableNamed('repos'), rows: [{ id: repoId, ...REPOSITORY, ...everywhere }] },
          { table: tableNamed('git_commits'), rows: stamped(numbers.map(commit)) },
          { table: tableNamed('git_commit_stats'), rows: stamped(numbers.flatMap(statistics)) },
          {
            table: tableNamed('git_pull_requests'),
            rows: withRequests ? stamped(numbers.filter((number) => number % 4 === 0).map(request)) : [],
          },
        ],
        blameLengths: [],
        state: { revision: String(first), request: '{}', position: null, done: first + PAGE >= commits },
      });
    }
  } finally {
    await sink.close();
  }
  return repoId;
}

const REPOSITORY = {
  repo: 'acme/bench',
  ref: 'main',
  url: null,
  default_branch: 'main',
  created_at: null,
  settings: {},
  tags: [],
};

function hashOf(number: number): string {
  return createHash('sha1').update(String(number)).digest('hex');
}

function commit(number: number): AnyRow {
  const author = `Author ${number % 47}`;
  return {
    hash: hashOf(number),
    message: `${TYPES[number % TYPES.length] ?? ''}: change number ${number} of the project\n\nA body that says why, in one line.\n`,
    author_name: author,
    author_email: `author${number % 47}@example.com`,
    author_when: START + number * 5 * MINUTE,
    committer_name: author,
    committer_email: `author${number % 47}@example.com`,
    committer_when: START + (number * 5 + 3) * MINUTE,
    parents: 1,
  };
}

function statistics(number: number): AnyRow[] {
  return Array.from({ length: 1 + (number % 5) }, (_, index) => {
    const file = (number * 7919 + index * 104_729) % 20_000;
    return {
      commit_hash: hashOf(number),
      file_path: `${['src', 'src', 'test', 'docs'][file % 4] ?? 'src'}/part${file % 40}/file${file}.${file % 9 === 0 ? 'md' : 'ts'}`,
      old_path: null,
      additions: number % 90,
      deletions: number % 41,
      old_file_mode: '100644',
      new_file_mode: '100644',
    };
  });
}

function request(number: number): AnyRow {
  const created = START + number * 5 * MINUTE;
  return {
    number: number / 4 + 1,
    title: `fix: request number ${number}`,
    body: 'What it does, and why.',
    state: 'merged',
    author_name: `author${number % 47}`,
    author_email: null,
    created_at: created,
    updated_at: created + 90 * MINUTE,
    merged_at: created + 90 * MINUTE,
    closed_at: created + 90 * MINUTE,
    head_branch: 'branch',
    base_branch: 'main',
    head_hash: hashOf(number + 1),
    merge_hash: hashOf(number + 2),
    commit_hashes: [hashOf(number), hashOf(number + 1)],
    labels: ['bug'],
    additions: null,
    deletions: null,
    changed_files: null,
    first_commit_at: null,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: 0,
    evidence: null,
    notes_read: null,
  };
}
