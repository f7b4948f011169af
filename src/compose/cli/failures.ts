/** Error messages and exit codes of commands. */
import { ComposeFailure, describeFailure, exitCodeOfFailure } from '../model/errors.js';
import { RegistryError } from '../registry/errors.js';
import { ComposeWaitError, OrchestratorError } from '../orchestrator/errors.js';
import { RuntimeError, TerminalError } from '../runtime/errors.js';
import { BackendConflictError, UnknownBackendError } from '../runtime/select.js';
import { InvalidClient, ListenError, ListenOptionsError } from '../service/refusals.js';
import { RemoteFailure } from './remote/failures.js';

export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;
/** 128 + SIGINT: the user interrupted the command. */
export const EXIT_INTERRUPTED = 130;

/** An invalid command line that the argument parser cannot detect. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The abort reason of an interrupted command. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  constructor() {
    super('Interrupted.');
  }
}

/** An error with lines that explain it. */
export class Explained extends Error {
  override readonly name = 'Explained';
  readonly lines: readonly string[];

  constructor(cause: unknown, lines: readonly string[]) {
    super('Explained.', { cause });
    this.lines = lines;
  }
}

/** One line for errors of the catalogue; the full error for a bug. */
export function describe(error: unknown): string {
  if (error instanceof Explained) return [describe(error.cause), ...error.lines].join('\n');
  if (error instanceof ComposeFailure) return describeFailure(error);
  if (isExpected(error)) return error.message;
  return `Unexpected failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof Explained) return exitCodeFor(error.cause);
  if (error instanceof Interrupted) return EXIT_INTERRUPTED;
  if (error instanceof ComposeFailure) return exitCodeOfFailure(error) ?? EXIT_FAILURE;
  return WRONG_USAGE.some((known) => error instanceof known) ? EXIT_USAGE : EXIT_FAILURE;
}

const WRONG_USAGE = [UsageError, UnknownBackendError, BackendConflictError, ListenOptionsError, InvalidClient] as const;

function isExpected(error: unknown): error is Error {
  return [
    RuntimeError,
    TerminalError,
    ComposeWaitError,
    OrchestratorError,
    ...WRONG_USAGE,
    ListenError,
    RemoteFailure,
    RegistryError,
    Interrupted,
  ].some((known) => error instanceof known);
}
