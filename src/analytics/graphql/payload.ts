import type { ExecutionResult, GraphQLError } from 'graphql';
import type { ErrorDetails } from '../../../generated/graphql/errors.js';
import { QueryTimeout } from '../analytics.js';
import { fieldOf } from './error-field.js';
import { Refusal } from './refusal.js';

/** The content of a reply. */
export interface Payload {
  readonly data?: unknown;
  readonly errors?: readonly PayloadError[];
}

export interface PayloadError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions: ErrorDetails & { readonly request_id: string };
}

export interface ErrorReporting {
  readonly requestId: string;
  /** Whether an error means that a database is unreachable. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Called for every error whose cause is hidden from the caller. */
  readonly report: (error: unknown, code: 'SERVICE_UNAVAILABLE' | 'INTERNAL_ERROR') => void;
}

/** Converts graphql-js results to replies: every error gets its code, and no message reveals a driver's text. */
export function payloadOf({ data, errors }: ExecutionResult, reporting: ErrorReporting): Payload {
  return {
    ...(errors === undefined ? {} : { errors: errors.map((error) => payloadError(error, reporting)) }),
    ...(data === undefined ? {} : { data }),
  };
}

/** The payload for an error before graphql-js runs. */
export function refusalPayload(error: unknown, reporting: ErrorReporting): Payload {
  const { message, details } = known(error, reporting);
  return { errors: [{ message, extensions: { ...details, request_id: reporting.requestId } }] };
}

function payloadError(error: GraphQLError, reporting: ErrorReporting): PayloadError {
  const { originalError, locations, path } = error;
  // Only errors of field execution have a path. All others are errors of the request, with graphql-js's message.
  const isOfRequest = path === undefined && !(originalError instanceof Refusal);
  const { message, details }: Known = isOfRequest
    ? { message: plainMessage(error.message), details: { code: 'VALIDATION_ERROR', field: fieldOf(error) } }
    : known(originalError ?? error, reporting);
  return {
    message,
    ...(locations === undefined ? {} : { locations: locations.map(({ line, column }) => ({ line, column })) }),
    ...(path === undefined ? {} : { path }),
    extensions: { ...details, request_id: reporting.requestId },
  };
}

interface Known {
  readonly message: string;
  readonly details: ErrorDetails;
}

function known(error: unknown, { isUnavailable, report }: ErrorReporting): Known {
  if (error instanceof Refusal) return { message: error.message, details: error.details };
  if (error instanceof QueryTimeout) {
    return { message: error.message, details: { code: 'QUERY_TIMEOUT', timeout_seconds: error.timeoutSeconds } };
  }
  const code = isUnavailable(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR';
  report(error, code);
  return code === 'SERVICE_UNAVAILABLE'
    ? { message: 'A database is unreachable. Try again soon.', details: { code, retry_after_seconds: 2 } }
    : { message: 'The server failed. Its log has the cause under the id of this request.', details: { code } };
}

/** Removes suggestions, which would reveal the schema, and shortens messages, which may quote the caller's text. */
function plainMessage(message: string): string {
  const text = message.replace(/ Did you mean .*$/s, '');
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
