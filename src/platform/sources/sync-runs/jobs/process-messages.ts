import type { Schemas } from '../../../../../generated/platform/operations.js';
import type { ExecutionEnd, JobToken, StepResult, SyncJob } from './sync-job.js';

/**
 * Messages from the server to a job's process. They contain secrets and therefore never use arguments or the
 * environment.
 */
export type MessageToProcess =
  | { readonly kind: 'start'; readonly job: SyncJob }
  | { readonly kind: 'stop' }
  /** The answer to `fresh-token`. */
  | { readonly kind: 'token'; readonly answer: JobToken };

/** Messages from a job's process to the server. */
export type MessageToServer =
  | { readonly kind: 'progress'; readonly progress: Schemas['SyncProgress'] }
  | { readonly kind: 'step'; readonly step: StepResult }
  | { readonly kind: 'note'; readonly text: string }
  /** Asks for a token other than this one. One question at a time. */
  | { readonly kind: 'fresh-token'; readonly used: string }
  | { readonly kind: 'end'; readonly end: ExecutionEnd };
