/** The error families of orchestration: ComposeWaitError and OrchestratorError of the compose error catalogue. */
import type { DependencyCondition } from '../model/service.js';

export type WaitFailure =
  | {
      readonly case: 'timeout';
      readonly containerName: string;
      readonly condition: DependencyCondition;
      readonly seconds: number;
    }
  | { readonly case: 'nonZeroExitCode'; readonly containerName: string; readonly exitCode: number };

/** A condition of `depends_on` that was not met. */
export class ComposeWaitError extends Error {
  override readonly name = 'ComposeWaitError';
  readonly failure: WaitFailure;

  constructor(failure: WaitFailure) {
    super(
      failure.case === 'timeout'
        ? `Timed out after ${failure.seconds}s waiting for container '${failure.containerName}' to satisfy condition '${failure.condition}'.`
        : `Container '${failure.containerName}' exited with non-zero status ${failure.exitCode}; service_completed_successfully condition not satisfied.`,
    );
    this.failure = failure;
  }
}

export type OrchestratorFailure =
  /** No container belongs to a project of that name. */
  | { readonly case: 'projectNotFound'; readonly name: string }
  /** Names of services are case sensitive. */
  | { readonly case: 'serviceNotFound'; readonly project: string; readonly service: string }
  | { readonly case: 'invalidReplicaCount'; readonly replicas: number };

/** A request about a project, service or number of replicas that cannot be. */
export class OrchestratorError extends Error {
  override readonly name = 'OrchestratorError';
  readonly failure: OrchestratorFailure;

  constructor(failure: OrchestratorFailure) {
    super(describe(failure));
    this.failure = failure;
  }
}

function describe(failure: OrchestratorFailure): string {
  switch (failure.case) {
    case 'projectNotFound':
      return `No containers of a project '${failure.name}' exist.`;
    case 'serviceNotFound':
      return `No service '${failure.service}' in project '${failure.project}'.`;
    case 'invalidReplicaCount':
      return `${failure.replicas} is not a number of replicas: a whole number, zero or more.`;
  }
}
