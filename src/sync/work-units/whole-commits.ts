/** Commits with their changes, out of the pages that a provider gives in the order of the history. */
import type { AnyRow } from '../records.js';
import { AGGREGATE_PATH } from '../records.js';
import type { ChangedCommit } from './derivation/database/records.js';
import type { SinkPage } from '../sinks/sink.js';
import { numberOrNull, textOf } from './row-values.js';

/** Adds up what databases add up otherwise; the statistics of a page's last commit may go on in the next page. */
export class WholeCommits {
  #last: Gathered | undefined;

  /** The commits that the page completes. */
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

  /** The commit that no later page continues. */
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
