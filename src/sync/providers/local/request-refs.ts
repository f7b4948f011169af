/** Requests that were fetched as refs but not merged into HEAD. */
import type { Row } from '../../records.js';
import type { Git } from './git.js';
import { runGit } from './git.js';
import { gitMoment } from './log-parser.js';

const PATTERNS = [
  'refs/pull/*/head',
  'refs/merge-requests/*/head',
  'refs/remotes/*/pull/*/head',
  'refs/remotes/*/merge-requests/*/head',
];

const FORMAT = ['refname', 'objectname', 'authorname', 'authoremail:trim', 'committerdate:unix', 'subject', 'body'];

/** Refs that HEAD does not contain: their requests count as open, because a clone has no other information. */
export async function openRequests(git: Git, tip: string): Promise<readonly Row<'git_pull_requests'>[]> {
  const format = `${FORMAT.map((field) => `%(${field})`).join('%00')}%00`;
  const fields = (await runGit(git, ['for-each-ref', `--format=${format}`, `--no-merged=${tip}`, ...PATTERNS]))
    .toString('utf8')
    .split('\0');
  const rows = new Map<number, Row<'git_pull_requests'>>();
  for (let index = 0; index + FORMAT.length <= fields.length - 1; index += FORMAT.length) {
    const row = requestRow(fields.slice(index, index + FORMAT.length));
    if (row !== undefined) rows.set(row.number, row);
  }
  return [...rows.values()];
}

function requestRow(fields: readonly string[]): Row<'git_pull_requests'> | undefined {
  // for-each-ref ends each line with a newline, which therefore precedes the name of the next ref.
  const [name = '', hash = '', authorName = '', authorEmail = '', date = '', subject = '', body = ''] = fields;
  const number = /\/(\d{1,9})\/head$/.exec(name.trim())?.[1];
  if (number === undefined || !/^\d+$/.test(date)) return undefined;
  const when = gitMoment(date);
  return {
    number: Number(number),
    title: subject,
    body: body.trim() || null,
    state: 'open',
    author_name: authorName,
    author_email: authorEmail,
    created_at: when,
    updated_at: when,
    merged_at: null,
    closed_at: null,
    head_branch: null,
    base_branch: null,
    head_hash: hash,
    merge_hash: null,
    commit_hashes: [hash],
    labels: [],
    additions: null,
    deletions: null,
    changed_files: null,
    first_commit_at: null,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: 0,
    evidence: 'ref',
    notes_read: null,
  };
}
