import { cleanedUp } from '../../../../sync/cleaned-up.js';
import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { failureOf, type SyncFailure } from '../../../../sync/failures.js';
import { describedProvider } from '../../../../sync/providers/registry.js';
import { parseSyncRequest } from '../../../../sync/request.js';
import { runSync } from '../../../../sync/run.js';
import type { SyncRequest } from '../../../../sync/sync-request.js';
import { openPostgresLocks } from '../../../../sync/sinks/postgres-locks.js';
import type { SyncDependencies } from '../../../../sync/dependencies.js';
import type { Target } from '../../../../sync/targets.js';
import { giveDemoTeams } from '../../../figures/demo/give-demo-teams.js';
import { limitedFetch } from './limited-fetch.js';
import { renewingFetch } from './renewing-fetch.js';
import { partsOf, type JobPart } from './job-parts.js';
import { createJobProgress, type JobProgress } from './job-progress.js';
import {
  failuresOf,
  hasSucceeded,
  isSettled,
  stepKey,
  type JobReport,
  type StepResult,
  type SyncJob,
} from './sync-job.js';

type StepDependencies = Omit<SyncDependencies, 'progress' | 'resolveEmbedded'>;

/**
 * The external dependencies of a job. The job creates its own progress reports and an HTTP client limited to its
 * organization.
 */
export type JobDependencies = Omit<StepDependencies, 'fetch' | 'localRoot'>;

/** After this many consecutive steps without a reply from host or database, another attempt continues. */
const mostFailuresInARow = 3;

/**
 * Runs a job step by step: every target of every repository, through the sync engine. A failed step is reported, and
 * the following steps still run unless they would fail for the same reason.
 *
 * @throws the abort signal's reason, once it is aborted
 * @throws RunLimitError after more requests than the job may send
 */
export async function runSyncJob(job: SyncJob, outside: JobDependencies, report: JobReport): Promise<void> {
  const sent = outboundFetch({ networks: job.integrationNetworks });
  const fetch = renewingFetch(sent, job.credential, report.freshToken, () => outside.now());
  const dependencies = {
    ...outside,
    ...limitedFetch(fetch, job.mostRequests, outside.signal),
    ...(job.localRoot === null ? {} : { localRoot: job.localRoot }),
  };
  if (job.locks === null) return runSteps(job, dependencies, report);
  const locks = openPostgresLocks(job.locks);
  return cleanedUp(
    () => runSteps(job, { ...dependencies, locks }, report),
    () => locks.close(),
  );
}

async function runSteps(job: SyncJob, dependencies: StepDependencies, report: JobReport): Promise<void> {
  // Before any data exist, so that each work unit has its team from the start.
  if (job.isDemo) await giveDemoTeams(job, dependencies);
  const parts = await partsOf(job);
  const steps = new Map<string, StepResult>();
  const progress = createJobProgress(job, parts, steps, report);
  for (const step of job.finished) if (isSettled(step)) steps.set(stepKey(step), step);

  let failuresInARow = 0;
  for (const part of parts) {
    const begun = job.targets.filter((target) => !steps.has(stepKey({ selected: part.selected, target })));
    if (begun.length === 0) continue;
    const listed = await list(part, begun, job, dependencies, progress);
    for (const target of begun) {
      dependencies.signal.throwIfAborted();
      const step = await stepOf(part, target, listed, job, dependencies, progress);
      steps.set(stepKey(step), step);
      progress.stepEnded();
      report.step(step);
      failuresInARow = isSettled(step) ? 0 : failuresInARow + 1;
      if (failuresInARow >= mostFailuresInARow || isHopeless(step, steps)) return;
    }
  }
}

/**
 * The database is down, a package is missing, or the credential is invalid: the next steps would fail in the same way.
 */
function isHopeless(step: StepResult, steps: ReadonlyMap<string, StepResult>): boolean {
  const codes = failuresOf(step).map(({ failure }) => failure.code);
  if (codes.includes('database_failed') || codes.includes('connectors_missing')) return true;
  return codes.includes('unauthorized') && ![...steps.values()].some(hasSucceeded);
}

/**
 * Counts the repositories of a pattern by listing their names, so that the progress knows the total.
 *
 * @returns null: the steps can start
 */
async function list(
  part: JobPart,
  [target]: readonly Target[],
  job: SyncJob,
  dependencies: Omit<SyncDependencies, 'progress'>,
  progress: JobProgress,
): Promise<SyncFailure | null> {
  if (part.error !== null || !part.isPattern || target === undefined) return part.error;
  const read = requestOf(part, target, job);
  if ('error' in read) return read.error;
  try {
    const provider = await read.request.selection.open(read.request, { ...dependencies, progress: {} });
    let count = 0;
    for await (const source of provider.repositories()) if (source.name !== '') count += 1;
    progress.counted(part.selected, count);
    return count > 0 ? null : { code: 'not_found', message: `${job.provider} has no repository like this.` };
  } catch (error) {
    dependencies.signal.throwIfAborted();
    return failureOf(error, read.request.secrets);
  }
}

async function stepOf(
  part: JobPart,
  target: Target,
  listed: SyncFailure | null,
  job: SyncJob,
  dependencies: Omit<SyncDependencies, 'progress'>,
  progress: JobProgress,
): Promise<StepResult> {
  const failed = (error: SyncFailure): StepResult => ({ selected: part.selected, target, repositories: [], error });
  if (listed !== null) return failed(listed);
  const read = requestOf(part, target, job);
  if ('error' in read) return failed(read.error);
  try {
    const isLast = target === job.targets.at(-1);
    const summary = await runSync(read.request, { ...dependencies, progress: progress.stepBegun(isLast) });
    return { selected: part.selected, target, repositories: summary.repositories, error: null };
  } catch (error) {
    dependencies.signal.throwIfAborted();
    return failed(failureOf(error, read.request.secrets));
  }
}

/** The environment is omitted, so that no other credential can replace that of the organization. */
function requestOf(
  { options }: JobPart,
  target: Target,
  { prune, provider, periodDays, recordDays }: SyncJob,
): { readonly request: SyncRequest } | { readonly error: SyncFailure } {
  // The configuration decides for all of its targets and providers; only the history of some can be rewritten.
  const { isGenerated = false } = describedProvider(provider);
  const isPruned = prune && target === 'git' && !isGenerated;
  // Generated data are as many as the configuration says.
  const period = isGenerated ? {} : { period: String(periodDays) };
  const kept = recordDays === null ? {} : { recordDays: String(recordDays) };
  const parsed = parseSyncRequest({ ...options, ...period, ...kept, target, prune: isPruned }, {});
  if (parsed.ok) return { request: parsed.request };
  return { error: { code: 'internal', message: parsed.problems.join('; ') } };
}
