/**
 * Parses the output of `git log -z --raw --numstat` with {@link LOG_FORMAT}: per commit a header of NUL-terminated
 * fields, then, after a newline, the raw entries of its files and their line counts. It works on bytes and keeps only
 * the current commit.
 */
import { SyncError } from '../../failures.js';
import { storedPath } from './paths.js';

/** The header. U+0001 marks it, since nothing else in the stream begins with this character. */
export const LOG_FORMAT = '%x01%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B';

export interface LogCommit {
  readonly hash: string;
  /** Hashes of the parents. */
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  /** Epoch milliseconds. */
  readonly authorWhen: number;
  readonly committerName: string;
  readonly committerEmail: string;
  readonly committerWhen: number;
  readonly message: string;
}

export interface LogFile {
  readonly path: string;
  /** The path before a rename or copy. */
  readonly oldPath: string | null;
  /** Null for a binary file. */
  readonly additions: number | null;
  readonly deletions: number | null;
  readonly oldMode: string;
  readonly newMode: string;
}

/** Receives the parsed items, in order: each commit, then its files. */
export interface LogReceiver {
  commit(commit: LogCommit): void;
  file(file: LogFile): void;
}

const MARK = 0x01;
const NEWLINE = 0x0a;
const COLON = 0x3a;
const TAB = 0x09;
const DASH = 0x2d;
const FIELDS = 9;

/** The years 1 to 9999, which every database and RFC 3339 support. Broken commits may have any date. */
const EARLIEST = -62_135_596_800;
const LATEST = 253_402_300_799;

export class LogParser {
  readonly #receiver: LogReceiver;
  #rest: Buffer = Buffer.alloc(0);
  /** The modes of the current commit's files (old, new, old, new, ...), in the order of their line counts. */
  #modes: string[] = [];
  #counted = 0;

  constructor(receiver: LogReceiver) {
    this.#receiver = receiver;
  }

  /** Parses the next bytes. Complete items reach the receiver before this returns. */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let position = 0;
    while (position < bytes.length) {
      const next = this.#entry(bytes, position);
      if (next < 0) break;
      position = next;
    }
    this.#rest = position === bytes.length ? Buffer.alloc(0) : bytes.subarray(position);
  }

  /** Ends the input. */
  end(): void {
    if (this.#rest.length > 0) throw unexpected('it ends in the middle of an entry');
    this.#endFiles();
  }

  /** Parses the entry at `position`. Returns the start of the next one, or -1 if the entry is incomplete. */
  #entry(bytes: Buffer, position: number): number {
    switch (bytes[position] ?? -1) {
      case MARK:
        return this.#header(bytes, position + 1);
      case NEWLINE:
        return position + 1;
      case COLON:
        return this.#raw(bytes, position);
      default:
        return this.#counts(bytes, position);
    }
  }

  #header(bytes: Buffer, start: number): number {
    const ends: number[] = [];
    for (let from = start; ends.length < FIELDS;) {
      const end = bytes.indexOf(0, from);
      if (end < 0) return -1;
      ends.push(end);
      from = end + 1;
    }
    this.#endFiles();
    const field = (index: number): string =>
      bytes.toString('utf8', index === 0 ? start : (ends[index - 1] ?? 0) + 1, ends[index] ?? 0);
    const parents = field(1);
    this.#receiver.commit({
      hash: field(0),
      parents: parents === '' ? [] : parents.split(' '),
      authorName: field(2),
      authorEmail: field(3),
      authorWhen: gitMoment(field(4)),
      committerName: field(5),
      committerEmail: field(6),
      committerWhen: gitMoment(field(7)),
      message: field(8).replace(/\n+$/, ''),
    });
    return (ends[FIELDS - 1] ?? 0) + 1;
  }

  /** `:100644 100755 <hash> <hash> M` and one path; two paths after R and C. */
  #raw(bytes: Buffer, start: number): number {
    const end = bytes.indexOf(0, start);
    if (end < 0) return -1;
    const status = bytes[bytes.lastIndexOf(0x20, end) + 1];
    const firstPath = bytes.indexOf(0, end + 1);
    if (firstPath < 0) return -1;
    const isPair = status === 0x52 || status === 0x43;
    const last = isPair ? bytes.indexOf(0, firstPath + 1) : firstPath;
    if (last < 0) return -1;
    this.#modes.push(bytes.toString('latin1', start + 1, start + 7), bytes.toString('latin1', start + 8, start + 14));
    return last + 1;
  }

  /**
   * `3<TAB>1<TAB>path`, or `3<TAB>1<TAB>` followed by the old and the new path; `-` instead of counts for a binary
   * file.
   */
  #counts(bytes: Buffer, start: number): number {
    const firstTab = bytes.indexOf(TAB, start);
    const secondTab = firstTab < 0 ? -1 : bytes.indexOf(TAB, firstTab + 1);
    if (secondTab < 0) return -1;
    let pathStart = secondTab + 1;
    let pathEnd = bytes.indexOf(0, pathStart);
    if (pathEnd < 0) return -1;
    let oldPath: string | null = null;
    if (pathEnd === pathStart) {
      const oldEnd = bytes.indexOf(0, pathStart + 1);
      const newEnd = oldEnd < 0 ? -1 : bytes.indexOf(0, oldEnd + 1);
      if (newEnd < 0) return -1;
      oldPath = storedPath(bytes, pathStart + 1, oldEnd);
      pathStart = oldEnd + 1;
      pathEnd = newEnd;
    }
    const oldMode = this.#modes[this.#counted];
    const newMode = this.#modes[this.#counted + 1];
    if (oldMode === undefined || newMode === undefined) throw unexpected('a file has line counts but no modes');
    this.#counted += 2;
    this.#receiver.file({
      path: storedPath(bytes, pathStart, pathEnd),
      oldPath,
      additions: count(bytes, start, firstTab),
      deletions: count(bytes, firstTab + 1, secondTab),
      oldMode,
      newMode,
    });
    return pathEnd + 1;
  }

  #endFiles(): void {
    if (this.#counted !== this.#modes.length) throw unexpected('a file has modes but no line counts');
    if (this.#counted > 0) {
      this.#modes = [];
      this.#counted = 0;
    }
  }
}

function count(bytes: Buffer, start: number, end: number): number | null {
  if (bytes[start] === DASH) return null;
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = (bytes[index] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) throw unexpected('a line count is not a number');
    value = value * 10 + digit;
  }
  return value;
}

/** Epoch milliseconds of a date in seconds, within the storable years. */
export function gitMoment(seconds: string | number): number {
  const value = Number(seconds);
  return Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value), EARLIEST), LATEST) * 1000 : 0;
}

function unexpected(what: string): SyncError {
  return new SyncError('repository_unreadable', `git printed a log that cannot be read: ${what}`);
}
