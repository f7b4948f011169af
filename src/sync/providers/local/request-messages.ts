/** Detects the requests that commits end, by the commits' messages. */
import type { RequestEvidence } from '../../records.js';
import { LOG_FORMAT, LogParser, type LogCommit } from './log-parser.js';

/** The arguments of `git log` for {@link parseRequestLog}. */
export const REQUEST_LOG = ['log', '-z', `--format=${LOG_FORMAT}`, '--no-color', '--no-notes', '--no-mailmap'];

/** A commit that may end a request. */
export interface EndingCommit extends LogCommit {
  /** Compared with the first parent. Binary files count as changed files only. */
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

export interface EndedRequest {
  readonly commit: EndingCommit;
  readonly number: number;
  /**
   * What a merge names besides the number: the branch with its owner, the project, or the title. Another repository has
   * other requests with the same numbers. Null for other evidence, which does not name it reliably.
   */
  readonly origin: string | null;
  readonly evidence: RequestEvidence;
  readonly title: string;
  readonly body: string | null;
  readonly headBranch: string | null;
  readonly baseBranch: string | null;
}

/** Parses the output of {@link REQUEST_LOG} with `--raw --numstat` or `--no-patch`. */
export async function* parseRequestLog(chunks: AsyncIterable<Buffer>): AsyncGenerator<EndingCommit> {
  const commits: EndingCommit[] = [];
  const parser = new LogParser({
    commit: (commit) => commits.push({ ...commit, additions: 0, deletions: 0, changedFiles: 0 }),
    file: ({ additions, deletions }) => {
      const commit = commits.pop();
      if (commit === undefined) return;
      commits.push({
        ...commit,
        additions: commit.additions + (additions ?? 0),
        deletions: commit.deletions + (deletions ?? 0),
        changedFiles: commit.changedFiles + 1,
      });
    },
  });
  for await (const chunk of chunks) {
    parser.push(chunk);
    // The last one may have more files.
    yield* commits.splice(0, commits.length - 1);
  }
  parser.end();
  yield* commits;
}

/**
 * The request that a commit ends, detected by the message formats of both hosts.
 *
 * `(#12)` at the end of a title means a request if the host created the commit, or if author and committer differ. In
 * other commits it often means an issue. A cherry-pick repeats the message of an earlier commit that ended the request.
 */
export function endedRequest(commit: EndingCommit): EndedRequest | undefined {
  const [subject = '', ...rest] = commit.message.trim().split('\n');
  const text = rest.join('\n').trim();
  const isMerge = commit.parents.length > 1;
  const pull = isMerge ? /^Merge pull request #(\d{1,9}) from (\S+)/.exec(subject) : null;
  if (pull?.[1] !== undefined) {
    const from = pull[2] ?? '';
    const headBranch = from.slice(from.indexOf('/') + 1) || null;
    return request(commit, pull[1], 'merge', text, { subject, origin: `#${from}`, headBranch });
  }
  if (!isMerge && /^\(cherry picked from commit /m.test(text)) return undefined;
  const see = /^See merge request (\S*)!(\d{1,9})\s*$/m.exec(text);
  if (see?.[2] !== undefined) {
    const above = text.slice(0, see.index).trim();
    const origin = `!${see[1] ?? ''}`;
    if (!isMerge)
      return request(commit, see[2], 'trailer', `${subject}\n${above}`, { subject, origin, headBranch: null });
    const branches = /^Merge branch '(.+?)' into '(.+?)'/.exec(subject);
    const names = { headBranch: branches?.[1] ?? null, baseBranch: branches?.[2] ?? null };
    return request(commit, see[2], 'merge', above, { subject, origin, ...names });
  }
  const squash = /^(.*\S)\s*\(#(\d{1,9})\)\s*$/.exec(subject);
  if (squash?.[1] === undefined || squash[2] === undefined) return undefined;
  const byHost = commit.committerEmail === 'noreply@github.com';
  if (!byHost && (isMerge || isByItsAuthor(commit) || NAMES_AN_ISSUE.test(squash[1]))) return undefined;
  const evidence = !byHost ? 'title' : isMerge ? 'merge' : 'squash';
  const origin = evidence === 'merge' ? `#${subject}` : null;
  return request(commit, squash[2], evidence, `${squash[1]}\n${text}`, { subject, origin, headBranch: null });
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
  more: Pick<EndedRequest, 'origin' | 'headBranch'> & { readonly subject: string; readonly baseBranch?: string | null },
): EndedRequest {
  const [title = '', ...body] = text.split('\n');
  return {
    commit,
    number: Number(number),
    origin: more.origin,
    evidence,
    title: title === '' ? more.subject : title,
    body: body.join('\n').trim() || null,
    headBranch: more.headBranch,
    baseBranch: more.baseBranch ?? null,
  };
}
