/**
 * Commits with their changes, in three forms: as the database sums them up, as pages contain them, and as the input of
 * units.
 */
import type { AnyRow } from '../../records.js';
import { AGGREGATE_PATH } from '../../records.js';
import type { SinkPage } from '../../sinks/sink.js';
import { marksOf } from '../../providers/registry.js';
import type { Classifier } from '../classify/classifier.js';
import { numberOf, numberOrNull, textOf, textOrNull } from '../row-values.js';
import type { Steps } from '@plumbline/contract/system/slices';
import type { TeamAssigner } from '../teams/assign.js';
import type { ChangedCommit } from './database/records.js';
import type { IssuePlan } from './epics.js';

/** The data of a commit that work units depend on. */
export interface CommitFacts {
  readonly hash: string;
  readonly message: string;
  readonly authorName: string | null;
  readonly authorEmail: string | null;
  /** Epoch milliseconds. */
  readonly authorWhen: number;
  readonly committerWhen: number;
  readonly isMerge: boolean;
  readonly changes: Changes;
  /** The issues that its message closes, or else refers to. Empty where no issue of its repository names an epic. */
  readonly issues: readonly IssuePlan[];
}

/** The changes of a commit. The changes of a merge are counted with the commits that it merges. */
export interface Changes {
  /** Lines; null if unknown. */
  readonly churn: number | null;
  /** Files by the rule that names them, and by the team that owns them. */
  readonly files: ReadonlyMap<number, number>;
  readonly owners: ReadonlyMap<string, number>;
}

export const COMMIT_COLUMNS = [
  'hash',
  'message',
  'author_name',
  'author_email',
  'author_when',
  'committer_when',
  'parents',
  'source',
] as const;

const NO_CHANGES: Changes = { churn: 0, files: new Map(), owners: new Map() };

/** A row with {@link COMMIT_COLUMNS} and its changes. */
export function commitFacts(row: AnyRow, changes: Changes, issues: readonly IssuePlan[] = []): CommitFacts {
  const merges = isMerge(row);
  return {
    hash: textOf(row, 'hash'),
    message: textOf(row, 'message'),
    authorName: textOrNull(row, 'author_name'),
    authorEmail: textOrNull(row, 'author_email'),
    authorWhen: numberOf(row, 'author_when'),
    committerWhen: numberOf(row, 'committer_when'),
    isMerge: merges,
    changes: merges ? NO_CHANGES : changes,
    issues,
  };
}

/** Whether the row of a commit is a merge. */
export function isMerge(row: AnyRow): boolean {
  return numberOf(row, 'parents') > 1;
}

/**
 * The changes of a commit, with its files counted by rule and by team. A step is a path: a commit has up to thousands, and
 * patterns of an organization or a CODEOWNERS file can make each take milliseconds.
 */
export function* changesOf(
  { row, churn, aggregate, paths }: ChangedCommit,
  classifier: Pick<Classifier, 'ruleOfPath'>,
  teams: Pick<TeamAssigner, 'ownerOfPath'>,
): Steps<Changes> {
  const files = new Map<number, number>();
  const owners = new Map<string, number>();
  for (const path of paths) {
    count(files, classifier.ruleOfPath(path));
    count(owners, yield* teams.ownerOfPath(path));
    yield;
  }
  // The host's sum is used only if there are no files. If there is neither, the commit is older than those whose
  // statistics are read.
  const isKnown = paths.length > 0 || aggregate !== null || reportsAllFiles(textOf(row, 'source'));
  return { churn: !isKnown ? null : paths.length > 0 ? churn : (aggregate ?? 0), files, owners };
}

/**
 * Whether a source reports the statistics of every commit; a commit without statistics changed nothing then. Not a clone:
 * unless it is asked for more, it is read like a host, with the files of the latest commits only.
 */
export function reportsAllFiles(source: string): boolean {
  return marksOf(source).hasAllFiles === true;
}

function count<Key>(tally: Map<Key, number>, key: Key): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

/** Collects the statistics of commits page by page. The last commit of a page may continue in the next page. */
export class WholeCommits {
  #last: Gathered | undefined;

  /** Returns the commits that the page completes. */
  take(page: SinkPage): readonly ChangedCommit[] {
    const gathered = this.#last === undefined ? [] : [this.#last];
    for (const row of rowsOf(page, 'git_commits')) gathered.push({ row, churn: 0, aggregate: null, paths: [] });
    const byHash = new Map(gathered.map((commit) => [textOf(commit.row, 'hash'), commit]));
    for (const row of rowsOf(page, 'git_commit_stats')) {
      const commit = byHash.get(textOf(row, 'commit_hash'));
      if (commit === undefined) throw new Error('A page holds statistics of a commit that came before the last one');
      add(commit, row);
    }
    this.#last = gathered.pop();
    return gathered;
  }

  /** Returns the last commit, after the last page. */
  takeLast(): readonly ChangedCommit[] {
    const last = this.#last;
    this.#last = undefined;
    return last === undefined ? [] : [last];
  }
}

interface Gathered extends ChangedCommit {
  churn: number;
  aggregate: number | null;
  readonly paths: string[];
}

function add(commit: Gathered, row: AnyRow): void {
  const path = textOf(row, 'file_path');
  const lines = (numberOrNull(row, 'additions') ?? 0) + (numberOrNull(row, 'deletions') ?? 0);
  if (path === AGGREGATE_PATH) {
    commit.aggregate = (commit.aggregate ?? 0) + lines;
    return;
  }
  commit.churn += lines;
  commit.paths.push(path);
}

function rowsOf({ tables }: SinkPage, name: 'git_commits' | 'git_commit_stats'): readonly AnyRow[] {
  return tables.find(({ table }) => table.name === name)?.rows ?? [];
}
