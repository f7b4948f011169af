import type { Schemas } from '../../../../generated/platform/operations.js';
import type { SyncFailure, SyncFailureCode } from '../../../sync/failures.js';
import type { RepositorySummary } from '../../../sync/summary.js';
import type { ProviderName, Target } from '../../../sync/targets.js';

/** What one run has to do. It is plain data, because it travels to a process of its own. */
export interface SyncJob {
  /** Stamped on each record. */
  readonly orgId: string;
  readonly provider: ProviderName;
  readonly targets: readonly Target[];
  /** As the configuration has them: names, ids, directories, patterns. */
  readonly repositories: readonly string[];
  /** null: the provider needs none. */
  readonly credential: { readonly token: string; readonly baseUrl: string | null } | null;
  /** Connection string of the database that is filled. */
  readonly store: string;
  /** Connection string of the PostgreSQL in which repositories are locked; null: the store has locks of its own. */
  readonly locks: string | null;
  /** Networks (CIDR) beside the public addresses in which code hosts may be. */
  readonly integrationNetworks: readonly string[];
  /** The folder whose repositories `local` may read; null: none. */
  readonly localRoot: string | null;
  /** By which work units are classified; null: the rules that come with Plumbline. */
  readonly rulesFile: string | null;
  /** Whether it fills an organization with demo data, which come with teams. */
  readonly isDemo: boolean;
  /** What earlier attempts have finished, which is not done again. */
  readonly finished: readonly StepResult[];
  /** How many records earlier attempts have stored. */
  readonly recordsBefore: number;
}

/** What came of one target of one repository, or of all repositories of a pattern. */
export interface StepResult {
  /** As the configuration has it, or as a pattern led to it. */
  readonly selected: string;
  readonly target: Target;
  readonly repositories: readonly RepositorySummary[];
  /** Why the step could not even begin; null: it did. */
  readonly error: SyncFailure | null;
}

/** Told what happens in a job while it happens. */
export interface JobReport {
  readonly progress: (progress: Schemas['SyncProgress']) => void;
  readonly step: (step: StepResult) => void;
}

/** A job under way, in this process or another. */
export interface SyncExecution {
  /** Never rejected. */
  readonly ended: Promise<ExecutionEnd>;
  /** Lets the page under way finish. */
  stop(): void;
  /** Ends it at once. */
  kill(): void;
}

export type ExecutionEnd =
  /** It came to its end; the steps say what came of it. */
  | { readonly kind: 'finished' }
  /** It was asked to stop, and can be gone on with. */
  | { readonly kind: 'stopped' }
  /** The process died. */
  | { readonly kind: 'died'; readonly reason: string };

/** A run that has come to its end, for those who count them. */
export interface EndedRun {
  readonly provider: ProviderName;
  readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
  /** From when it was first taken up; 0: it never was. */
  readonly durationSeconds: number;
}

/** @param startedAt when it was taken up first; null: it never was */
export function endedRun(
  provider: ProviderName,
  status: EndedRun['status'],
  startedAt: Date | null,
  now: Date,
): EndedRun {
  const milliseconds = startedAt === null ? 0 : Math.max(0, now.getTime() - startedAt.getTime());
  return { provider, status, durationSeconds: milliseconds / 1000 };
}

/** Starts a job. */
export type StartExecution = (job: SyncJob, report: JobReport) => SyncExecution;

/** What may go away by itself: worth another attempt. */
const passing: readonly SyncFailureCode[] = ['host_unavailable', 'rate_limited', 'database_failed', 'lock_lost'];

export function isPassing({ code }: SyncFailure): boolean {
  return passing.includes(code);
}

/** Everything that went wrong in a step, with the repository that it concerns. */
export function failuresOf(step: StepResult): { readonly name: string; readonly failure: SyncFailure }[] {
  const ofRepositories = step.repositories.flatMap(({ name, error }) =>
    error === null ? [] : [{ name, failure: error }],
  );
  return step.error === null ? ofRepositories : [{ name: step.selected, failure: step.error }, ...ofRepositories];
}

/** Whether another attempt has nothing to do here: all is read, or what is not never will be. */
export function isSettled(step: StepResult): boolean {
  return !failuresOf(step).some(({ failure }) => isPassing(failure));
}

/** Whether something was read. */
export function hasSucceeded(step: StepResult): boolean {
  return step.error === null && step.repositories.some(({ status }) => status === 'ok');
}

/** Tells the steps of a job apart. */
export function stepKey({ selected, target }: Pick<StepResult, 'selected' | 'target'>): string {
  return `${target} ${selected}`;
}
