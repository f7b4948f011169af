/** Merge commits, and what the hosts' merge messages say about the request that was merged. */
import { SyncError } from '../../failures.js';
import { nulTerminated } from './nul-terminated.js';

/** U+0001 marks a commit; the numstat entries of its files follow it. */
export const MERGE_FORMAT = '%x01%H%x00%P%x00%an%x00%ae%x00%ct%x00%B';

export interface MergeCommit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  /** Epoch milliseconds. */
  readonly when: number;
  readonly message: string;
  /** Against the first parent; binary files count as changed files only. */
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

export interface MergedRequest {
  readonly merge: MergeCommit;
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly headBranch: string | null;
  readonly baseBranch: string | null;
}

/** Reads a log in {@link MERGE_FORMAT} with `-z --numstat`. */
export async function* parseMergeLog(chunks: AsyncIterable<Buffer>): AsyncGenerator<MergeCommit> {
  let fields: string[] = [];
  for await (const bytes of nulTerminated(chunks)) {
    const field = bytes.toString('utf8');
    if (field.startsWith('\u0001') && fields.length > 0) {
      yield mergeCommit(fields);
      fields = [];
    }
    fields.push(field);
  }
  if (fields.length > 0) yield mergeCommit(fields);
}

/** The request that a merge message names, in the words of either host. */
export function mergedRequest(merge: MergeCommit): MergedRequest | undefined {
  const [subject = '', ...rest] = merge.message.split('\n');
  const pull = /^Merge pull request #(\d{1,9}) from (\S+)/.exec(subject);
  const text = rest.join('\n').trim();
  if (pull?.[1] !== undefined) {
    const [title = '', ...body] = text.split('\n');
    const from = pull[2] ?? '';
    return {
      merge,
      number: Number(pull[1]),
      title: title === '' ? subject : title,
      body: body.join('\n').trim() || null,
      headBranch: from.slice(from.indexOf('/') + 1) || null,
      baseBranch: null,
    };
  }
  const see = /^See merge request (?:\S*)!(\d{1,9})\s*$/m.exec(text);
  if (see?.[1] === undefined) return undefined;
  const branches = /^Merge branch '(.+?)' into '(.+?)'/.exec(subject);
  const [title = '', ...body] = text.slice(0, see.index).trim().split('\n');
  return {
    merge,
    number: Number(see[1]),
    title: title === '' ? subject : title,
    body: body.join('\n').trim() || null,
    headBranch: branches?.[1] ?? null,
    baseBranch: branches?.[2] ?? null,
  };
}

function mergeCommit(fields: readonly string[]): MergeCommit {
  const [hash, parents, authorName, authorEmail, when, message, ...entries] = fields;
  if (
    hash === undefined ||
    parents === undefined ||
    authorName === undefined ||
    authorEmail === undefined ||
    message === undefined
  ) {
    throw new SyncError('repository_unreadable', 'git printed a log of merges that cannot be read');
  }
  const counts = entries.map((entry) => /^\n?(\d+|-)\t(\d+|-)\t/.exec(entry)).filter((match) => match !== null);
  const sum = (group: 1 | 2): number => counts.reduce((total, match) => total + (Number(match[group]) || 0), 0);
  return {
    hash: hash.slice(1),
    parents: parents === '' ? [] : parents.split(' '),
    authorName,
    authorEmail,
    when: Number(when) * 1000,
    message: message.trim(),
    additions: sum(1),
    deletions: sum(2),
    changedFiles: counts.length,
  };
}
