/** Converts synthetic work to records, as a host would report them at a given time. */
import type { Records, Row } from '../../records.js';
import type { MadeCommit, MadeRequest, Repository } from './day.js';
import { DAY, FIRST_DAY, isWeekend, personFor, timeOn } from './day.js';
import { randomNamed } from './random.js';
import { FILES, PEOPLE } from './vocabulary.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export function commitRow(commit: MadeCommit): Row<'git_commits'> {
  return {
    hash: commit.hash,
    message: commit.title,
    author_name: commit.author.name,
    author_email: commit.author.email,
    author_when: commit.when,
    committer_name: commit.author.name,
    committer_email: commit.author.email,
    committer_when: commit.when,
    parents: 1,
  };
}

export function statsRows(commit: MadeCommit): Row<'git_commit_stats'>[] {
  return commit.files.map((file) => ({
    commit_hash: commit.hash,
    file_path: file.path,
    old_path: null,
    additions: file.additions,
    deletions: file.deletions,
    old_file_mode: '100644',
    new_file_mode: '100644',
  }));
}

/** A request in its state at `until`; later events are left out. */
export function requestRow(request: MadeRequest, until: number): Row<'git_pull_requests'> {
  const ended = request.ended !== null && request.ended < until ? request.ended : null;
  const reviews = request.reviews.filter((review) => review.when < until);
  const files = request.commits.flatMap((commit) => commit.files);
  const sum = (count: (file: (typeof files)[number]) => number): number =>
    files.reduce((total, file) => total + count(file), 0);
  return {
    number: request.number,
    title: request.change.title,
    body: null,
    state: ended === null ? 'open' : request.isMerged ? 'merged' : 'closed',
    author_name: request.author.login,
    author_email: request.author.email,
    created_at: request.created,
    updated_at: ended ?? reviews.at(-1)?.when ?? request.created,
    merged_at: request.isMerged ? ended : null,
    closed_at: ended,
    head_branch: `change-${request.number}`,
    base_branch: 'main',
    head_hash: request.commits.at(-1)?.hash ?? null,
    merge_hash: null,
    commit_hashes: request.commits.map((commit) => commit.hash),
    labels: [...request.change.labels],
    additions: sum((file) => file.additions),
    deletions: sum((file) => file.deletions),
    changed_files: new Set(files.map((file) => file.path)).size,
    first_commit_at: Math.min(request.created, ...request.commits.map((commit) => commit.when)),
    first_review_at: reviews[0]?.when ?? null,
    first_comment_at: request.comments > 0 ? (reviews[0]?.when ?? null) : null,
    changes_requested_count: reviews.filter((review) => review.state === 'CHANGES_REQUESTED').length,
    reviews_count: reviews.length,
    comments_count: request.comments,
    evidence: null,
    notes_read: null,
  };
}

export function reviewRows(request: MadeRequest, until: number): Row<'git_pull_request_reviews'>[] {
  return request.reviews
    .filter((review) => review.when < until)
    .map((review) => ({
      number: request.number,
      review_id: review.id,
      reviewer: review.reviewer.login,
      state: review.state,
      submitted_at: review.when,
    }));
}

/** Maximum per day: about two deployments a week and one incident a month. More would outnumber the changes. */
const MOST_PER_DAY = { cicd: 6, deployments: 0.4, incidents: 0.035 } as const;

/** The pipeline runs, deployments or incidents that begin on a day. Their number is proportional to that of commits. */
export function* eventsOf(
  target: 'cicd' | 'deployments' | 'incidents',
  repository: Repository,
  day: number,
  until: number,
): Generator<Records> {
  const random = randomNamed(`${repository.seed} ${repository.name} ${day} ${target}`);
  const density = repository.commitsPerDay / 5;
  const room = Math.ceil(Math.max(MOST_PER_DAY[target] * density, 1));
  const isQuiet = target === 'deployments' && isWeekend(day);
  const most = isQuiet ? 0 : MOST_PER_DAY[target] * density;
  const count = most < 1 ? Number(random.chance(most)) : Math.round((most * random.between(10, 100)) / 100);
  for (let index = 0; index < count; index += 1) {
    const id = String((day - FIRST_DAY) * room + index + 1);
    const begin = target === 'deployments' ? timeOn(day, random) : day * DAY + random.between(0, 24 * 60 - 1) * MINUTE;
    const atEnd = (duration: number): number | null => (begin + duration < until ? begin + duration : null);
    if (target === 'cicd') {
      const fate = random.between(1, 10);
      const started = begin + random.between(1, 30) * MINUTE;
      const finished = atEnd(started - begin + random.between(5, 60) * MINUTE);
      const status = finished === null ? 'in_progress' : fate <= 7 ? 'success' : fate <= 9 ? 'failure' : 'cancelled';
      yield {
        ci_pipeline_runs: [{ run_id: id, status, queued_at: begin, started_at: started, finished_at: finished }],
      };
    } else if (target === 'deployments') {
      const succeeds = random.chance(0.92);
      const finished = atEnd(random.between(2, 30) * MINUTE);
      const row: Row<'deployments'> = {
        deployment_id: id,
        status: finished === null ? 'in_progress' : succeeds ? 'success' : 'failure',
        environment: random.chance(0.8) ? 'production' : 'staging',
        tier: null,
        job: null,
        author_name: personFor(repository, random).person.login,
        started_at: begin,
        finished_at: finished,
        deployed_at: succeeds ? finished : null,
        merged_at: null,
        pull_request_number: null,
        release_ref: 'main',
        commit_hash: null,
        committed_at: null,
      };
      yield { deployments: [row] };
    } else {
      const resolves = random.chance(0.9);
      const resolved = resolves ? atEnd(random.between(1, random.between(2, 30)) * HOUR) : null;
      const row: Row<'incidents'> = {
        incident_id: id,
        title: random.pick(['Checkout is slow', 'Queue is not drained', 'Logins fail', 'Search answers with errors']),
        status: resolved === null ? 'open' : 'closed',
        author_name: personFor(repository, random).person.login,
        labels: ['incident'],
        severity: null,
        started_at: begin,
        resolved_at: resolved,
      };
      yield { incidents: [row] };
    }
  }
}

/** The latest time of any line, so that blame does not depend on the time of the sync. */
const BLAME_UNTIL = Date.UTC(2024, 0, 1);

/** The blame of all files: 10 to 200 lines each. */
export function* blameOf(repository: Repository): Generator<{ path: string; rows: Row<'git_blame'>[] }> {
  for (const path of FILES) {
    const random = randomNamed(`${repository.seed} ${repository.name} ${path} blame`);
    const rows = Array.from({ length: random.between(10, 200) }, (_, index): Row<'git_blame'> => {
      const author = random.pick(PEOPLE);
      return {
        path,
        line_no: index + 1,
        author_email: author.email,
        author_name: author.name,
        author_when: BLAME_UNTIL - random.between(1, 1000) * HOUR,
        commit_hash: random.hex(40),
        line: `line ${index + 1} of ${path}`,
      };
    });
    yield { path, rows };
  }
}
