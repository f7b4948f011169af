/** Collects the output of the log parser in pages of bounded size. */
import type { Row } from '../../records.js';
import { noChanges } from '../no-changes.js';
import type { Page } from '../provider.js';
import type { Position } from './history-position.js';
import { asJson } from './history-position.js';
import type { LogCommit, LogFile, LogReceiver } from './log-parser.js';

/**
 * Maximum number of statistics rows in a page, per commit of the page size. A larger page is split, even within a
 * commit.
 */
const ROWS_PER_COMMIT = 50;

interface CurrentCommit {
  readonly hash: string;
  /** Whether it is the boundary of a shallow clone. */
  readonly isBoundary: boolean;
  readonly isMerge: boolean;
  hasFiles: boolean;
}

/** Collects commits and files in pages of bounded size. */
export class PageBuilder implements LogReceiver {
  /** The position after the last complete commit of a returned page. */
  position: Position;
  readonly #pageSize: number;
  readonly #boundary: ReadonlyMap<string, number>;
  readonly #withStats: boolean;
  #ready: Page[] = [];
  #commits: Row<'git_commits'>[] = [];
  #stats: Row<'git_commit_stats'>[] = [];
  /** The commit whose files are being read. */
  #current: CurrentCommit | undefined;

  /** @param withStats whether the log has the files of each commit that is not a merge */
  constructor(position: Position, pageSize: number, boundary: ReadonlyMap<string, number>, withStats: boolean) {
    this.position = position;
    this.#pageSize = pageSize;
    this.#boundary = boundary;
    this.#withStats = withStats;
  }

  commit(commit: LogCommit): void {
    this.#completeCurrent();
    if (this.#commits.length >= this.#pageSize) this.#flush();
    const trueParents = this.#boundary.get(commit.hash);
    const isMerge = commit.parents.length > 1;
    this.#current = { hash: commit.hash, isBoundary: trueParents !== undefined, isMerge, hasFiles: false };
    this.#commits.push({
      hash: commit.hash,
      message: commit.message,
      author_name: commit.authorName,
      author_email: commit.authorEmail,
      author_when: commit.authorWhen,
      committer_name: commit.committerName,
      committer_email: commit.committerEmail,
      committer_when: commit.committerWhen,
      parents: trueParents ?? commit.parents.length,
    });
  }

  file(file: LogFile): void {
    // A boundary commit of a shallow clone has no parents to compare with, so it would seem to add every file.
    if (this.#current === undefined || this.#current.isBoundary) return;
    this.#current.hasFiles = true;
    this.#stats.push({
      commit_hash: this.#current.hash,
      file_path: file.path,
      old_path: file.oldPath,
      additions: file.additions,
      deletions: file.deletions,
      old_file_mode: file.oldMode,
      new_file_mode: file.newMode,
    });
    // A commit with very many files is stored in parts; the position advances with the last part.
    if (this.#stats.length >= this.#pageSize * ROWS_PER_COMMIT) this.#flush();
  }

  /** Returns the full pages, each once. */
  takeReady(): readonly Page[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** Returns the remaining rows after the end of the log. */
  takeRest(): Page | undefined {
    this.#completeCurrent();
    this.#flush();
    return this.takeReady()[0];
  }

  #completeCurrent(): void {
    if (this.#current === undefined) return;
    const { hash, isBoundary, isMerge, hasFiles } = this.#current;
    if (this.#withStats && !isBoundary && !isMerge && !hasFiles) this.#stats.push(noChanges(hash));
    this.position = { ...this.position, count: this.position.count + 1, last: hash };
    this.#current = undefined;
  }

  #flush(): void {
    if (this.#commits.length === 0 && this.#stats.length === 0) return;
    this.#ready.push({
      records: { git_commits: this.#commits, git_commit_stats: this.#stats },
      position: asJson(this.position),
      done: false,
    });
    this.#commits = [];
    this.#stats = [];
  }
}
