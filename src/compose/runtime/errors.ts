/**
 * The closed catalogue of what a container runtime can answer instead of a result: the eight cases of
 * RuntimeError in the compose error catalogue. Nothing else leaves a backend, except the reason of an
 * AbortSignal that the caller fired.
 */
import type { ContainerStatus } from './records.js';

/** The names of the backends, as `notSupported` gives them. */
export type Conformer = 'mock' | 'bridge' | 'native';

export type RuntimeFailure =
  /** No container, network, volume or secret has that id. */
  | { readonly case: 'notFound'; readonly id: string }
  /** A resource with that id or name exists, and replacing it is not allowed. */
  | { readonly case: 'alreadyExists'; readonly id: string }
  /** The container is in another status than the operation needs; `expected` is the one to bring it to. */
  | {
      readonly case: 'invalidState';
      readonly id: string;
      readonly expected: ContainerStatus;
      readonly actual: ContainerStatus;
    }
  /** A blocking wait did not finish in time. */
  | { readonly case: 'timeout'; readonly id: string; readonly seconds: number }
  /** The image is not here and cannot be pulled. */
  | { readonly case: 'imageNotFound'; readonly reference: string }
  /** The backend does not implement the operation. */
  | { readonly case: 'notSupported'; readonly operation: string; readonly conformer: Conformer }
  /** The engine failed in a way that no other case describes; `message` is free of paths and environment values. */
  | { readonly case: 'backendFailure'; readonly message: string }
  /** A durable state write failed. */
  | { readonly case: 'persistenceFailure'; readonly message: string };

export type RuntimeFailureCase = RuntimeFailure['case'];

/** A failed runtime operation. Switch on `error.failure.case`; the message is for people. */
export class RuntimeError extends Error {
  readonly failure: RuntimeFailure;

  constructor(failure: RuntimeFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.name = 'RuntimeError';
    this.failure = failure;
  }
}

/** Is this a RuntimeError, and of this case when one is named? */
export function isRuntimeError<C extends RuntimeFailureCase>(
  error: unknown,
  wanted?: C,
): error is RuntimeError & { readonly failure: Extract<RuntimeFailure, { case: C }> } {
  return error instanceof RuntimeError && (wanted === undefined || error.failure.case === wanted);
}

/** RuntimeErrors are equatable: the same case with the same fields is the same failure. */
export function sameFailure(one: RuntimeFailure, other: RuntimeFailure): boolean {
  const fields = Object.entries(one);
  const others = new Map<string, unknown>(Object.entries(other));
  return fields.length === others.size && fields.every(([name, value]) => others.get(name) === value);
}

export const notFound = (id: string): RuntimeError => new RuntimeError({ case: 'notFound', id });

export const alreadyExists = (id: string): RuntimeError => new RuntimeError({ case: 'alreadyExists', id });

export const imageNotFound = (reference: string): RuntimeError =>
  new RuntimeError({ case: 'imageNotFound', reference });

export const notSupported = (operation: string, conformer: Conformer): RuntimeError =>
  new RuntimeError({ case: 'notSupported', operation, conformer });

/** `message` must already be scrubbed (see scrub.ts); the cause stays for the log. */
export const backendFailure = (message: string, cause?: unknown): RuntimeError =>
  new RuntimeError({ case: 'backendFailure', message }, { cause });

function describe(failure: RuntimeFailure): string {
  switch (failure.case) {
    case 'notFound':
      return `'${failure.id}' was not found.`;
    case 'alreadyExists':
      return `'${failure.id}' already exists.`;
    case 'invalidState':
      return `Container '${failure.id}' is ${failure.actual}; the operation needs it ${failure.expected}.`;
    case 'timeout':
      return `Timed out after ${failure.seconds}s waiting for '${failure.id}'.`;
    case 'imageNotFound':
      return `Image '${failure.reference}' is not here and cannot be pulled.`;
    case 'notSupported':
      return `The ${failure.conformer} backend does not support '${failure.operation}'.`;
    case 'backendFailure':
    case 'persistenceFailure':
      return failure.message;
  }
}
