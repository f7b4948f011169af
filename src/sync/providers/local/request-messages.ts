/** Detects the requests that commits end, by the commits' messages. */
import { SyncError } from '../../failures.js';
import type { RequestEvidence } from '../../records.js';
import { nulTerminated } from './nul-terminated.js';

/** U+0001 marks a commit; the numstat entries of its files follow it. */
const FORMAT = '%x01%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B';
const FIELDS = 9;

/** The arguments of `git log` for {@link parseRequestLog}. */
export const REQUEST_LOG = ['log', '-z', `--format=${FORMAT}`, '--no-color', '--no-notes', '--no-mailmap'];

/** A commit that may end a request. */
export interface EndingCommit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly authorName: string;
  readonly authorEmail: string;
  /** Epoch milliseconds. */
  readonly authorWhen: number;
  readonly committerName: string;
  readonly committerEmail: string;
  readonly when: number;
  readonly message: string;
  /** Compared with the first parent. Binary files count as changed files only. */
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

export interface EndedRequest {
  readonly commit: EndingCommit;
  readonly number: number;
  readonly evidence: RequestEvidence;
  readonly title: string;
  readonly body: string | null;
  readonly headBranch: string | null;
  readonly baseBranch: string | null;
}

/** Parses the output of {@link REQUEST_LOG} with `--numstat` or `--no-patch`. */
export async function* parseRequestLog(chunks: AsyncIterable<Buffer>): AsyncGenerator<EndingCommit> {
  let fields: string[] = [];
  for await (const bytes of nulTerminated(chunks)) {
    const field = bytes.toString('utf8');
    if (field.startsWith('\u0001') && fields.length > 0) {
      yield endingCommit(fields);
      fields = [];
    }
    fields.push(field);
  }
  if (fields.length > 0) yield endingCommit(fields);
}

/**
 * The request that a commit ends, detected by the message formats of both hosts.
 *
 * `(#12)` at the end of a title means a request if the host created the commit, or if author and committer differ. In
 * other commits it often means an issue. A cherry-pick repeats the message of an earlier commit that ended the request.
 */
export function endedRequest(commit: EndingCommit): EndedRequest | undefined {
  const [subject = '', ...rest] = commit.message.split('\n');
  const text = rest.join('\n').trim();
  const isMerge = commit.parents.length > 1;
  const pull = isMerge ? /^Merge pull request #(\d{1,9}) from (\S+)/.exec(subject) : null;
  if (pull?.[1] !== undefined) {
    const from = pull[2] ?? '';
    return request(commit, pull[1], 'merge', text, { subject, headBranch: from.slice(from.indexOf('/') + 1) || null });
  }
  if (!isMerge && /^\(cherry picked from commit /m.test(text)) return undefined;
  const see = /^See merge request (?:\S*)!(\d{1,9})\s*$/m.exec(text);
  if (see?.[1] !== undefined) {
    const above = text.slice(0, see.index).trim();
    if (!isMerge) return request(commit, see[1], 'trailer', `${subject}\n${above}`, { subject, headBranch: null });
    const branches = /^Merge branch '(.+?)' into '(.+?)'/.exec(subject);
    const names = { headBranch: branches?.[1] ?? null, baseBranch: branches?.[2] ?? null };
    return request(commit, see[1], 'merge', above, { subject, ...names });
  }
  const squash = /^(.*\S)\s*\(#(\d{1,9})\)\s*$/.exec(subject);
  if (squash?.[1] === undefined || squash[2] === undefined) return undefined;
  const byHost = commit.committerEmail === 'noreply@github.com';
  if (!byHost && (isMerge || isByItsAuthor(commit) || NAMES_AN_ISSUE.test(squash[1]))) return undefined;
  const evidence = !byHost ? 'title' : isMerge ? 'merge' : 'squash';
  return request(commit, squash[2], evidence, `${squash[1]}\n${text}`, { subject, headBranch: null });
}

/** `Fix a thing, closes (#12)`. */
const NAMES_AN_ISSUE = /\b(?:issues?|bug|close[sd]?|fix(?:es|ed)?|resolve[sd]?|refs?|references|see|re):?$/i;

function isByItsAuthor({ authorName, authorEmail, committerName, committerEmail }: EndingCommit): boolean {
  return authorEmail.toLowerCase() === committerEmail.toLowerCase() || authorName === committerName;
}

function request(
  commit: EndingCommit,
  number: string,
  evidence: RequestEvidence,
  text: string,
  more: { readonly subject: string; readonly headBranch: string | null; readonly baseBranch?: string | null },
): EndedRequest {
  const [title = '', ...body] = text.split('\n');
  return {
    commit,
    number: Number(number),
    evidence,
    title: title === '' ? more.subject : title,
    body: body.join('\n').trim() || null,
    headBranch: more.headBranch,
    baseBranch: more.baseBranch ?? null,
  };
}

function endingCommit(fields: readonly string[]): EndingCommit {
  const [hash = '', parents = '', authorName = '', authorEmail = '', written, name = '', email = '', when] = fields;
  const message = fields[FIELDS - 1];
  if (message === undefined)
    throw new SyncError('repository_unreadable', 'git printed a log of requests that cannot be read');
  const counts = fields
    .slice(FIELDS)
    .map((entry) => /^\n?(\d+|-)\t(\d+|-)\t/.exec(entry))
    .filter((match) => match !== null);
  const sum = (group: 1 | 2): number => counts.reduce((total, match) => total + (Number(match[group]) || 0), 0);
  return {
    hash: hash.slice(1),
    parents: parents === '' ? [] : parents.split(' '),
    authorName,
    authorEmail,
    authorWhen: Number(written) * 1000,
    committerName: name,
    committerEmail: email,
    when: Number(when) * 1000,
    message: message.trim(),
    additions: sum(1),
    deletions: sum(2),
    changedFiles: counts.length,
  };
}
