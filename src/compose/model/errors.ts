import { failureCatalogue, failureMessage } from '../../../generated/failures.js';
import type {
  FailureCase as CaseOf,
  FailureFamily as AnyFamily,
  FailureFields as FieldsOf,
} from '../../../generated/failures.js';
import type { Place } from './node.js';

/**
 * The families of the error catalogue (openapi/problems.yaml) that are thrown as a `ComposeFailure`: those of files,
 * addresses and the auth store. No field may contain a value produced by interpolation.
 */
export type FailureFamily = Exclude<
  AnyFamily,
  'RuntimeError' | 'TerminalError' | 'ComposeWaitError' | 'OrchestratorError'
>;
export type FailureCase<F extends FailureFamily> = CaseOf<F>;
export type FailureFields<F extends FailureFamily, C extends FailureCase<F>> = FieldsOf[F][C] &
  Readonly<Record<string, unknown>>;

/** A compose project that cannot be loaded. `error` and `case` name the catalogue entry, `location` the place. */
export class ComposeFailure extends Error {
  override readonly name = 'ComposeFailure';
  readonly error: FailureFamily;
  readonly case: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly location: Place | undefined;

  constructor(
    error: FailureFamily,
    failureCase: string,
    fields: Readonly<Record<string, unknown>>,
    message: string,
    location?: Place,
  ) {
    super(message);
    this.error = error;
    this.case = failureCase;
    this.fields = fields;
    this.location = location;
  }
}

/**
 * Creates the failure of one catalogue entry.
 *
 * @param location the place in the file, if known
 */
export function failure<F extends FailureFamily, C extends FailureCase<F>>(
  family: F,
  failureCase: C,
  fields: FailureFields<F, C>,
  location?: Place,
): ComposeFailure {
  return new ComposeFailure(family, failureCase, fields, failureMessage(family, failureCase, fields), location);
}

/** One line for a terminal: `file:line:column: message`. */
export function describeFailure(problem: ComposeFailure): string {
  const { location } = problem;
  if (location === undefined) return problem.message;
  return `${location.file}:${String(location.line)}:${String(location.column)}: ${problem.message}`;
}

/** The exit code of a command that fails with this failure. */
export function exitCodeOfFailure({ error, case: failureCase }: ComposeFailure): number | undefined {
  const cases: Readonly<Record<string, { readonly exitCode: number }>> = failureCatalogue[error];
  return cases[failureCase]?.exitCode;
}
