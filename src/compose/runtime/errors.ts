/**
 * The closed catalogue of runtime errors: the eight cases of RuntimeError in the compose error catalogue, and
 * TerminalError where the engine is a program. A backend throws nothing else, except the reason of an AbortSignal that
 * the caller fired.
 */
import { failureMessage, type FailureCase, type FailureFields } from '../../../generated/failures.js';

import { withoutUserinfo } from './scrub.js';

type Fields = FailureFields['RuntimeError'];

/** The names of the backends in `notSupported`. */
export type Conformer = Fields['notSupported']['conformer'];

export type RuntimeFailureCase = FailureCase<'RuntimeError'>;

/** One case with its fields. openapi/problems.yaml documents each one. */
export type RuntimeFailure = {
  [Case in RuntimeFailureCase]: { readonly case: Case } & Fields[Case];
}[RuntimeFailureCase];

export interface FailureOptions extends ErrorOptions {
  /** What the engine or the registry said, where the message of the case does not have it. */
  readonly reason?: string;
  /** Values that the text may contain. A server removes them before it replies (see scrub.ts). */
  readonly secrets?: readonly string[];
}

/** A failed runtime operation. Switch on `error.failure.case`; the message is for users. */
export class RuntimeError extends Error {
  readonly failure: RuntimeFailure;

  readonly secrets: readonly string[];

  constructor(failure: RuntimeFailure, options: FailureOptions = {}) {
    const message = failureMessage('RuntimeError', failure.case, failure);
    super(options.reason ? `${message} ${options.reason}` : message, options);
    this.name = 'RuntimeError';
    this.failure = failure;
    this.secrets = options.secrets ?? [];
  }
}

/** Whether this is a RuntimeError, optionally of the given case. */
export function isRuntimeError<C extends RuntimeFailureCase>(
  error: unknown,
  wanted?: C,
): error is RuntimeError & { readonly failure: Extract<RuntimeFailure, { case: C }> } {
  return error instanceof RuntimeError && (wanted === undefined || error.failure.case === wanted);
}

/** commandFailed: a program failed or could not be run, and no case of RuntimeError applies. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly failure: { readonly case: 'commandFailed' } & FailureFields['TerminalError']['commandFailed'];

  readonly secrets: readonly string[];

  constructor(message: string, options: Pick<FailureOptions, 'cause' | 'secrets'> = {}) {
    super(failureMessage('TerminalError', 'commandFailed', { message }), options);
    this.secrets = options.secrets ?? [];
    this.failure = { case: 'commandFailed', message };
  }
}

/** Whether the engine failed in a way that no other case describes. */
export function isEngineFailure(error: unknown): error is RuntimeError | TerminalError {
  return error instanceof TerminalError || isRuntimeError(error, 'backendFailure');
}

/** The result of an operation, or undefined if its subject is notFound. */
export async function unlessNotFound<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isRuntimeError(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Whether two failures have the same case and fields. */
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

/** `secrets` are values that the message may contain. The cause is for logs only. */
export const backendFailure = (message: string, cause?: unknown, secrets: readonly string[] = []): RuntimeError =>
  new RuntimeError({ case: 'backendFailure', message: withoutUserinfo(message) }, { cause, secrets });

/** Like backendFailure, for a program. */
export const commandFailed = (message: string, cause?: unknown, secrets: readonly string[] = []): TerminalError =>
  new TerminalError(withoutUserinfo(message), { cause, secrets });

/** An image that a registry did not supply, with the reason: a missing tag, denied access, a rate limit, no network. */
export const cannotBePulled = (reference: string, reason: string, secrets: readonly string[] = []): RuntimeError =>
  new RuntimeError(
    { case: 'imageNotFound', reference },
    { cause: new Error(reason), reason: withoutUserinfo(reason), secrets },
  );
