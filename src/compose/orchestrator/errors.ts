/** The error families of orchestration: ComposeWaitError and OrchestratorError of the compose error catalogue. */
import { failureMessage, type FailureCase, type FailureFields } from '../../../generated/failures.js';

type Failure<Family extends 'ComposeWaitError' | 'OrchestratorError'> = {
  [Case in FailureCase<Family>]: { readonly case: Case } & FailureFields[Family][Case];
}[FailureCase<Family>];

export type WaitFailure = Failure<'ComposeWaitError'>;

/** A condition of `depends_on` that was not met. */
export class ComposeWaitError extends Error {
  override readonly name = 'ComposeWaitError';
  readonly failure: WaitFailure;

  constructor(failure: WaitFailure) {
    super(failureMessage('ComposeWaitError', failure.case, failure));
    this.failure = failure;
  }
}

export type OrchestratorFailure = Failure<'OrchestratorError'>;

/** A request about a project, service or number of replicas that cannot be. */
export class OrchestratorError extends Error {
  override readonly name = 'OrchestratorError';
  readonly failure: OrchestratorFailure;

  constructor(failure: OrchestratorFailure) {
    super(failureMessage('OrchestratorError', failure.case, failure));
    this.failure = failure;
  }
}
