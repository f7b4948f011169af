/** The summary of a sync, or the problems of its request, as text. */
import type { SyncFailure } from '../sync/failures.js';
import type { SyncRequest } from '../sync/sync-request.js';
import type { CountedName, RepositorySummary, SyncSummary } from '../sync/summary.js';
import { oneLine } from './one-line.js';

type Counts = Readonly<Partial<Record<CountedName, number>>>;

/** All problems of the input, one per line. */
export function describeProblems(problems: readonly string[]): string {
  const head = problems.length === 1 ? 'invalid input' : `invalid input, ${problems.length} problems`;
  return `plumbline sync: ${head}:\n${problems.map((problem) => `  ${problem}\n`).join('')}(add --help for the options)\n`;
}

/** The last lines: the number of repositories, the stored records, and the failures with their reasons. */
export function describeSummary({ target, provider, repositories, duration_ms: duration }: SyncSummary): string {
  const failed = repositories.filter(({ status }) => status === 'failed');
  const done = repositories.length - failed.length;
  const counts: Partial<Record<CountedName, number>> = {};
  for (const { records } of repositories) {
    for (const table of tablesOf(records)) counts[table] = (counts[table] ?? 0) + (records[table] ?? 0);
  }
  const outcome = failed.length === 0 ? '' : `, ${failed.length} failed`;
  const head = `sync ${target} from ${provider}: ${counted(done, 'repos')} done${outcome}`;
  return `${head}; ${describeCounts(counts)}${describeRemoved(repositories)} in ${(duration / 1000).toFixed(1)} s\n${failed.map(describeFailure).join('')}`;
}

/** `, 12 commits removed` after a prune that removed some. */
function describeRemoved(repositories: readonly RepositorySummary[]): string {
  const commits = repositories.reduce((sum, { removed }) => sum + (removed?.commits ?? 0), 0);
  return commits === 0 ? '' : `, ${counted(commits, 'git_commits')} removed`;
}

/** `1,204 commits, 3 reviews`; does not count rows of repositories. */
export function describeCounts(counts: Counts): string {
  const parts = tablesOf(counts)
    .filter((table) => table !== 'repos')
    .map((table) => counted(counts[table] ?? 0, table));
  return parts.length === 0 ? 'nothing new' : parts.join(', ');
}

/** The summary of a sync that could not start, or was stopped: it failed. */
export function summaryOfFailure(request: SyncRequest, error: SyncFailure, duration: number): SyncSummary {
  const repository: RepositorySummary = {
    id: null,
    name: request.selection.name,
    status: 'failed',
    records: {},
    error,
  };
  return {
    target: request.target,
    provider: request.provider,
    org_id: request.orgId,
    repositories: [repository],
    duration_ms: duration,
  };
}

const LABELS: Readonly<Record<CountedName, readonly [one: string, more: string]>> = {
  repos: ['repository', 'repositories'],
  git_commits: ['commit', 'commits'],
  git_commit_stats: ['file statistic', 'file statistics'],
  git_blame: ['line', 'lines'],
  git_pull_requests: ['request', 'requests'],
  git_pull_request_reviews: ['review', 'reviews'],
  ci_pipeline_runs: ['pipeline run', 'pipeline runs'],
  deployments: ['deployment', 'deployments'],
  incidents: ['incident', 'incidents'],
  issues: ['issue', 'issues'],
  issue_state_changes: ['state change', 'state changes'],
  work_units: ['work unit', 'work units'],
};

function counted(count: number, table: CountedName): string {
  return `${count.toLocaleString('en-US')} ${LABELS[table][count === 1 ? 0 : 1]}`;
}

function tablesOf(counts: Counts): readonly CountedName[] {
  // Object.keys returns strings.
  return Object.keys(counts) as CountedName[];
}

function describeFailure({ name, error }: RepositorySummary): string {
  return `  failed: ${oneLine(name)}: ${oneLine(error?.message ?? 'no reason was given')}\n`;
}
