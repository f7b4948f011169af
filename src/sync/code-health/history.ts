/** Reads the commits of a repository and the files that each changed, in the order of time. */
import { AGGREGATE_PATH, tableNamed, type AnyRow } from '../records.js';
import { marksOf } from '../providers/registry.js';
import { namedIn } from '../work-units/assistants/assistants.js';
import { isMerge, reportsAllFiles } from '../work-units/derivation/commits.js';
import type { DerivationRecords } from '../work-units/derivation/database/records.js';
import { coAuthorsOf } from '../work-units/derivation/participants.js';
import type { RepositoryContext } from '../work-units/derivation/plan.js';
import { numberOf, numberOrNull, textOf, textOrNull } from '../work-units/row-values.js';

/** More commits than a year of most repositories has; of more, the newest are read. */
export const MOST_COMMITS = 20_000;
/** Their files are read together. */
const COMMITS_AT_ONCE = 500;

/** A commit of a person that is not a merge. */
export interface PersonalCommit {
  readonly hash: string;
  /** The time of the commit in epoch milliseconds. */
  readonly at: number;
  readonly source: string;
  /** The author, named like that of a unit ('' if unknown), and the co-authors. */
  readonly people: readonly string[];
}

export interface FileChange {
  readonly path: string;
  /** The path before a rename or copy; otherwise null. */
  readonly oldPath: string | null;
  /** 0 for a binary file. */
  readonly added: number;
  readonly deleted: number;
}

/** A commit with its files; null: the source did not report them. */
export interface FileChanges {
  readonly commit: PersonalCommit;
  readonly files: readonly FileChange[] | null;
}

const COLUMNS = [
  ...(['hash', 'message', 'author_name', 'author_email', 'author_when', 'committer_when', 'parents'] as const),
  'source',
] as const;

/** The commits of people between two moments (epoch milliseconds, the second excluded), oldest first. */
export async function personalCommits(
  records: DerivationRecords,
  { repoId, authors }: RepositoryContext,
  from: number,
  until: number,
): Promise<readonly PersonalCommit[]> {
  const found: PersonalCommit[] = [];
  const where = { kind: 'during', column: 'committer_when', from, until } as const;
  for await (const rows of records.rows({ table: tableNamed('git_commits'), repoId, columns: COLUMNS, where })) {
    for (const row of rows) {
      const identity = authors.identify(textOrNull(row, 'author_email'), textOrNull(row, 'author_name'));
      if (isMerge(row) || identity.author.endsWith('[bot]')) continue;
      const people = [identity.author, ...coAuthorsOf([namedIn(textOf(row, 'message'))], identity, authors)];
      const at = numberOf(row, 'committer_when');
      found.push({ hash: textOf(row, 'hash'), at, source: textOf(row, 'source'), people });
    }
  }
  // Commits of one moment, such as a rebase makes, have no order; that of their hashes is the same each time.
  return found.sort((one, other) => one.at - other.at || (one.hash < other.hash ? -1 : 1));
}

/** The files of the newest commits, in the order of the commits. */
export async function* fileChanges(
  records: DerivationRecords,
  repoId: string,
  commits: readonly PersonalCommit[],
): AsyncGenerator<readonly FileChanges[]> {
  for (let start = Math.max(0, commits.length - MOST_COMMITS); start < commits.length; start += COMMITS_AT_ONCE) {
    const some = commits.slice(start, start + COMMITS_AT_ONCE);
    const files = await filesOf(records, repoId, some);
    yield some.map((commit) => ({ commit, files: knownFiles(commit, files.get(commit.hash)) }));
  }
}

async function filesOf(
  records: DerivationRecords,
  repoId: string,
  commits: readonly PersonalCommit[],
): Promise<ReadonlyMap<string, readonly AnyRow[]>> {
  const byHash = new Map<string, AnyRow[]>();
  const where = { kind: 'in', column: 'commit_hash', values: commits.map(({ hash }) => hash) } as const;
  const columns = ['commit_hash', 'file_path', 'old_path', 'additions', 'deletions', 'source'];
  for await (const rows of records.rows({ table: tableNamed('git_commit_stats'), repoId, columns, where })) {
    for (const row of rows) {
      const hash = textOf(row, 'commit_hash');
      const known = byHash.get(hash) ?? [];
      byHash.set(hash, known);
      known.push(row);
    }
  }
  return byHash;
}

/** GitLab reports the sum of a commit and no files. The sum of another source says that the commit changed nothing. */
function knownFiles(commit: PersonalCommit, rows: readonly AnyRow[] = []): readonly FileChange[] | null {
  const files = rows.filter((row) => textOf(row, 'file_path') !== AGGREGATE_PATH).map(fileChange);
  if (files.length > 0) return files;
  const hasNone =
    rows.length === 0
      ? reportsAllFiles(commit.source)
      : rows.every((row) => marksOf(textOf(row, 'source')).hasOnlySums !== true);
  return hasNone ? [] : null;
}

function fileChange(row: AnyRow): FileChange {
  return {
    path: textOf(row, 'file_path'),
    oldPath: textOrNull(row, 'old_path'),
    added: numberOrNull(row, 'additions') ?? 0,
    deleted: numberOrNull(row, 'deletions') ?? 0,
  };
}
