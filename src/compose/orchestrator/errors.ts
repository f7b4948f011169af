/** The error families ComposeWaitError and OrchestratorError of the compose error catalogue. */
import { failureMessage, type FailureCase, type FailureFields } from '../../../generated/failures.js';

type Failure<Family extends 'ComposeWaitError' | 'OrchestratorError'> = {
  [Case in FailureCase<Family>]: { readonly case: Case } & FailureFields[Family][Case];
}[FailureCase<Family>];

export type WaitFailure = Failure<'ComposeWaitError'>;

/** An unmet `depends_on` condition. */
export class ComposeWaitError extends Error {
  override readonly name = 'ComposeWaitError';
  readonly failure: WaitFailure;

  constructor(failure: WaitFailure) {
    super(failureMessage('ComposeWaitError', failure.case, failure));
    this.failure = failure;
  }
}

export type OrchestratorFailure = Failure<'OrchestratorError'>;

/** A request with an unknown project or service, or an invalid number of replicas. */
export class OrchestratorError extends Error {
  override readonly name = 'OrchestratorError';
  readonly failure: OrchestratorFailure;

  constructor(failure: OrchestratorFailure) {
    super(failureMessage('OrchestratorError', failure.case, failure));
    this.failure = failure;
  }
}
