/** Converts errors of the runtime, the model and the orchestrator to the problems in the contract. */
import type { ProblemReply } from '@plumbline/contract/contract-types';
import { failureProblems } from '../../../generated/problems.js';
import { ComposeFailure } from '../model/errors.js';
import { ComposeWaitError, OrchestratorError } from '../orchestrator/errors.js';
import { RuntimeError, TerminalError } from '../runtime/errors.js';
import { scrub } from '../runtime/scrub.js';
import { problemOfBusy, ServerBusy } from './server-busy.js';

type Makers = typeof failureProblems;

/** `RuntimeError.notFound`, `YamlError.malformed` and so on: all failures that a server can return. */
export type FailureKey = {
  [Family in keyof Makers]: `${Family}.${keyof Makers[Family] & string}`;
}[keyof Makers];

/** The problems of a failure. */
export type ProblemOf<Key extends FailureKey> = Key extends `${infer Family extends keyof Makers}.${infer Case}`
  ? Case extends keyof Makers[Family]
    ? Makers[Family][Case] extends (...args: never[]) => infer Problem
      ? Problem
      : never
    : never
  : never;

/**
 * Runs an action and converts the failures that the operation documents to problems. Rethrows all others.
 *
 * @param timeoutStatus the status for RuntimeError.timeout: 408 if the caller set the timeout
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
    // The case was found among the documented ones, so its constructor makes a documented problem.
    return problemOf(failure, timeoutStatus) as ProblemOf<Key>;
  }
}

/** An entry of the error catalogue, as thrown. */
export interface ThrownFailure {
  readonly error: string;
  readonly case: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly location: { readonly line: number; readonly column: number } | null;
  readonly cause: unknown;
}

/** Null for an error outside the catalogue. */
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
  // An engine's text has paths of the server and values of its environment, which callers must not see.
  if (error instanceof RuntimeError || error instanceof TerminalError) {
    const clean = (text: string): string => scrub(text, error.secrets);
    const shown = hasEngineText.has(failureCase);
    const cleanFields = shown && 'message' in fields ? { ...fields, message: clean(fields.message) } : fields;
    return {
      error: name,
      case: failureCase,
      fields: cleanFields,
      message: shown ? clean(message) : message,
      location: null,
      cause,
    };
  }
  return { error: name, case: failureCase, fields, message, location: null, cause };
}

/** The cases whose message is, or ends with, what an engine or a registry said. */
const hasEngineText: ReadonlySet<string> = new Set(['backendFailure', 'commandFailed', 'imageNotFound']);

/**
 * The problem for a failure of the server itself, which the operations that use the backend or the disk document.
 * Null for other failures.
 */
export function problemOfServer(error: unknown): ProblemReply | null {
  if (error instanceof ServerBusy) return problemOfBusy(error);
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
  // Each constructor takes the fields of its case, which the failure has. The compiler cannot infer this from a name.
  const makers = failureProblems as unknown as Readonly<Record<string, Readonly<Record<string, MakeProblem>>>>;
  const make = makers[failure.error]?.[failure.case];
  if (make === undefined) throw new Error(`${failure.error}.${failure.case} has no problem`);
  const { fields, message, location, cause } = failure;
  return make({ ...fields, status: timeoutStatus, message, location }, cause === undefined ? {} : { cause });
}
