import type { Schemas } from '../../../../generated/platform/operations.js';
import type { ExecutionEnd, StepResult, SyncJob } from './sync-job.js';

/** What the server tells the process of a job. It never travels through arguments or the environment: it holds secrets. */
export type MessageToProcess = { readonly kind: 'start'; readonly job: SyncJob } | { readonly kind: 'stop' };

/** What the process of a job tells the server. */
export type MessageToServer =
  | { readonly kind: 'progress'; readonly progress: Schemas['SyncProgress'] }
  | { readonly kind: 'step'; readonly step: StepResult }
  | { readonly kind: 'end'; readonly end: ExecutionEnd };
