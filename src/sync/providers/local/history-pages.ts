/** Gathers what the log parser reads into pages of bounded size. */
import type { Row } from '../../records.js';
import type { Page } from '../provider.js';
import type { Position } from './history-position.js';
import { asJson } from './history-position.js';
import type { LogCommit, LogFile, LogReceiver } from './log-parser.js';

/** Statistics rows for each commit of a page after which it is stored even in the middle of a commit. */
const ROWS_PER_COMMIT = 50;

/** Gathers commits and files into pages of bounded size. */
export class PageBuilder implements LogReceiver {
  /** After the last commit that is complete in a page taken. */
  position: Position;
  readonly #pageSize: number;
  readonly #boundary: ReadonlyMap<string, number>;
  #ready: Page[] = [];
  #commits: Row<'git_commits'>[] = [];
  #stats: Row<'git_commit_stats'>[] = [];
  /** The commit whose files are being read, and whether its files are a change at all. */
  #current: { readonly hash: string; readonly isBoundary: boolean } | undefined;

  constructor(position: Position, pageSize: number, boundary: ReadonlyMap<string, number>) {
    this.position = position;
    this.#pageSize = pageSize;
    this.#boundary = boundary;
  }

  commit(commit: LogCommit): void {
    this.#completeCurrent();
    if (this.#commits.length >= this.#pageSize) this.#flush();
    const trueParents = this.#boundary.get(commit.hash);
    this.#current = { hash: commit.hash, isBoundary: trueParents !== undefined };
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
    // Against nothing, a shallow clone's last commits would seem to have written every file there is.
    if (this.#current === undefined || this.#current.isBoundary) return;
    this.#stats.push({
      commit_hash: this.#current.hash,
      file_path: file.path,
      old_path: file.oldPath,
      additions: file.additions,
      deletions: file.deletions,
      old_file_mode: file.oldMode,
      new_file_mode: file.newMode,
    });
    // A commit of very many files is stored in parts; its position moves on with the last of them.
    if (this.#stats.length >= this.#pageSize * ROWS_PER_COMMIT) this.#flush();
  }

  /** The pages that are full, each once. */
  takeReady(): readonly Page[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** What is left when the log has ended. */
  takeRest(): Page | undefined {
    this.#completeCurrent();
    this.#flush();
    return this.takeReady()[0];
  }

  #completeCurrent(): void {
    if (this.#current === undefined) return;
    this.position = { ...this.position, count: this.position.count + 1, last: this.#current.hash };
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
