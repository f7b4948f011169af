/** Turns what the runtime, the model and the orchestrator throw into the problems that the contract documents. */
import type { ProblemReply } from '../../../generated/contract.js';
import { failureProblems } from '../../../generated/problems.js';
import { ComposeFailure } from '../model/errors.js';
import { ComposeWaitError, OrchestratorError } from '../orchestrator/errors.js';
import { RuntimeError, TerminalError } from '../runtime/errors.js';

type Makers = typeof failureProblems;

/** `RuntimeError.notFound`, `YamlError.malformed` and so on: all that a server can answer. */
export type FailureKey = {
  [Family in keyof Makers]: `${Family}.${keyof Makers[Family] & string}`;
}[keyof Makers];

/** The problems of some failures. */
export type ProblemOf<Key extends FailureKey> = Key extends `${infer Family extends keyof Makers}.${infer Case}`
  ? Case extends keyof Makers[Family]
    ? Makers[Family][Case] extends (...args: never[]) => infer Problem
      ? Problem
      : never
    : never
  : never;

/**
 * Acts, and answers those failures that the operation documents; all others are thrown on.
 *
 * @param timeoutStatus what RuntimeError.timeout is answered with: 408 where the caller said how long to wait
 */
export async function answering<Reply, Key extends FailureKey>(
  documented: readonly Key[],
  act: () => Promise<Reply>,
  timeoutStatus: 408 | 504 = 504,
): Promise<Reply | ProblemOf<Key>> {
  try {
    return await act();
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null || !documented.some((key) => key === `${failure.error}.${failure.case}`)) throw error;
    // The constructor of the case that was just found among the documented ones makes the problem of that case.
    return problemOf(failure, timeoutStatus) as ProblemOf<Key>;
  }
}

/** An entry of the error catalogue as it was thrown. */
export interface ThrownFailure {
  readonly error: string;
  readonly case: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly location: { readonly line: number; readonly column: number } | null;
  readonly cause: unknown;
}

/** null for what is no entry of the catalogue. */
export function failureOf(error: unknown): ThrownFailure | null {
  if (error instanceof ComposeFailure) {
    const { error: family, case: failureCase, fields, message, location, cause } = error;
    const at = location === undefined ? null : { line: location.line, column: location.column };
    return { error: family, case: failureCase, fields, message, location: at, cause };
  }
  const isKnown =
    error instanceof RuntimeError ||
    error instanceof TerminalError ||
    error instanceof OrchestratorError ||
    error instanceof ComposeWaitError;
  if (!isKnown) return null;
  const { case: failureCase, ...fields } = error.failure;
  const { name, message, cause } = error;
  return { error: name, case: failureCase, fields, message, location: null, cause };
}

/**
 * The problems that stand for the state of the server itself, and that every operation that reaches the backend or the
 * disk documents; null for others, which no operation foresees.
 */
export function problemOfServer(error: unknown): ProblemReply | null {
  const failure = failureOf(error);
  const isOfServer = failure !== null && ofServer.has(`${failure.error}.${failure.case}`);
  return isOfServer ? problemOf(failure, 504) : null;
}

const ofServer: ReadonlySet<string> = new Set<FailureKey>([
  'RuntimeError.backendFailure',
  'RuntimeError.persistenceFailure',
  'TerminalError.commandFailed',
]);

type MakeProblem = (members: Readonly<Record<string, unknown>>, options: { cause?: unknown }) => ProblemReply;

function problemOf(failure: ThrownFailure, timeoutStatus: 408 | 504): ProblemReply {
  // Each constructor takes the fields of its own case, which is what the failure has; by name, the compiler cannot tell.
  const makers = failureProblems as unknown as Readonly<Record<string, Readonly<Record<string, MakeProblem>>>>;
  const make = makers[failure.error]?.[failure.case];
  if (make === undefined) throw new Error(`${failure.error}.${failure.case} has no problem`);
  const { fields, message, location, cause } = failure;
  return make({ ...fields, status: timeoutStatus, message, location }, cause === undefined ? {} : { cause });
}
