import type { Schemas } from '../../../../../generated/platform/operations.js';
import type { SyncFailure, SyncFailureCode } from '../../../../sync/failures.js';
import type { RepositorySummary } from '../../../../sync/summary.js';
import type { ProviderName } from '../../../../sync/providers/registry.js';
import type { Target } from '../../../../sync/targets.js';

/** The work of one run. It is plain data, because it is sent to a separate process. */
export interface SyncJob {
  /** Stored with each record. */
  readonly orgId: string;
  readonly provider: ProviderName;
  readonly targets: readonly Target[];
  /** The names, ids, directories and patterns as they are configured. */
  readonly repositories: readonly string[];
  /** null: the provider needs none. */
  readonly credential: {
    readonly token: string;
    readonly baseUrl: string | null;
    /** When the token of an installation ends, in milliseconds since 1970; null: the token stays the same. */
    readonly expiresAt: number | null;
  } | null;
  /** Connection string of the target database. */
  readonly store: string;
  /** Connection string of the PostgreSQL that holds repository locks; null: the store has its own locks. */
  readonly locks: string | null;
  /** Additional networks (CIDR) for code hosts, besides public addresses. */
  readonly integrationNetworks: readonly string[];
  /** The directory whose repositories `local` may read; null: none. */
  readonly localRoot: string | null;
  /** The rules that classify work units; null: the built-in rules. */
  readonly rulesFile: string | null;
  /** Whether to remove commits that a rewritten history no longer has. */
  readonly prune: boolean;
  /** Whether it fills an organization with demo data, which include teams. */
  readonly isDemo: boolean;
  /** How many days before now the first sync of a repository begins. */
  readonly periodDays: number;
  /** Days before today of which records are kept; null: all. */
  readonly recordDays: number | null;
  /** Maximum number of requests of this attempt to the code host. */
  readonly mostRequests: number;
  /** Steps finished by earlier attempts, which are not repeated. */
  readonly finished: readonly StepResult[];
  /** The number of records stored by earlier attempts. */
  readonly recordsBefore: number;
}

/** The outcome of one target of one repository, or of all repositories of a pattern. */
export interface StepResult {
  /** The repository as it is configured, or as a pattern resolved to it. */
  readonly selected: string;
  readonly target: Target;
  readonly repositories: readonly RepositorySummary[];
  /** Why the step could not start; null: it started. */
  readonly error: SyncFailure | null;
}

/** A token of an installation, or why there is none. `isPassing`: another attempt may succeed. */
export type JobToken =
  { readonly token: string; readonly expiresAt: number } | { readonly failure: string; readonly isPassing: boolean };

/** What a job tells and asks the server. */
export interface JobReport {
  readonly progress: (progress: Schemas['SyncProgress']) => void;
  readonly step: (step: StepResult) => void;
  /** A message for users, in one line. */
  readonly note: (text: string) => void;
  /** A token for the job's credential other than this one. Never rejects. */
  readonly freshToken: (used: string) => Promise<JobToken>;
}

/** A job in progress, in this process or another. */
export interface SyncExecution {
  /** Never rejects. */
  readonly ended: Promise<ExecutionEnd>;
  /** Stops after the current page. */
  stop(): void;
  /** Ends it immediately. */
  kill(): void;
}

export type ExecutionEnd =
  /** It ran to completion; the steps hold the outcomes. */
  | { readonly kind: 'finished' }
  /** It was asked to stop, and can be resumed. */
  | { readonly kind: 'stopped' }
  /** It reached a limit set by the operator; the reason is a message for users. */
  | { readonly kind: 'exhausted'; readonly reason: string }
  /** The process died. */
  | { readonly kind: 'died'; readonly reason: string };

/** A finished run, for metrics. */
export interface EndedRun {
  readonly provider: ProviderName;
  readonly status: 'complete' | 'partial' | 'failed' | 'cancelled';
  /** Since it was first taken; 0: it never was. */
  readonly durationSeconds: number;
}

/** @param startedAt when it was first taken; null: it never was */
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

/** Temporary failures that are worth another attempt. */
const passing: readonly SyncFailureCode[] = ['host_unavailable', 'rate_limited', 'database_failed', 'lock_lost'];

function isPassing({ code }: SyncFailure): boolean {
  return passing.includes(code);
}

/** All failures of a step with their repositories. */
export function failuresOf(step: StepResult): { readonly name: string; readonly failure: SyncFailure }[] {
  const ofRepositories = step.repositories.flatMap(({ name, error }) =>
    error === null ? [] : [{ name, failure: error }],
  );
  return step.error === null ? ofRepositories : [{ name: step.selected, failure: step.error }, ...ofRepositories];
}

/** Whether retrying is pointless: everything was read, or the failure is permanent. */
export function isSettled(step: StepResult): boolean {
  return !failuresOf(step).some(({ failure }) => isPassing(failure));
}

/** Whether any data was read. */
export function hasSucceeded(step: StepResult): boolean {
  return step.error === null && step.repositories.some(({ status }) => status === 'ok');
}

/** Identifies a step of a job. */
export function stepKey({ selected, target }: Pick<StepResult, 'selected' | 'target'>): string {
  return `${target} ${selected}`;
}
