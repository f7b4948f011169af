import type { ExecutionResult, GraphQLError } from 'graphql';
import type { ErrorDetails } from '../../../generated/graphql/errors.js';
import { QueryTimeout } from '../analytics.js';
import { fieldOf } from './error-field.js';
import { Refusal } from './refusal.js';

/** What a reply says. */
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

export interface PayloadSurroundings {
  readonly requestId: string;
  /** Whether a failure means that a database is out of reach. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Told of every failure whose cause is kept from the caller. */
  readonly report: (error: unknown, code: 'SERVICE_UNAVAILABLE' | 'INTERNAL_ERROR') => void;
}

/** Turns what graphql-js gives into what is sent: every error has its code, and none says what a driver said. */
export function payloadOf({ data, errors }: ExecutionResult, surroundings: PayloadSurroundings): Payload {
  return {
    ...(errors === undefined ? {} : { errors: errors.map((error) => payloadError(error, surroundings)) }),
    ...(data === undefined ? {} : { data }),
  };
}

/** One error of a request that never got to graphql-js. */
export function refusalPayload(error: unknown, surroundings: PayloadSurroundings): Payload {
  const { message, details } = known(error, surroundings);
  return { errors: [{ message, extensions: { ...details, request_id: surroundings.requestId } }] };
}

function payloadError(error: GraphQLError, surroundings: PayloadSurroundings): PayloadError {
  const { originalError, locations, path } = error;
  // Only what comes of executing a field has a path: all else says that the request is wrong, in graphql-js's words.
  const isOfRequest = path === undefined && !(originalError instanceof Refusal);
  const { message, details }: Known = isOfRequest
    ? { message: plainMessage(error.message), details: { code: 'VALIDATION_ERROR', field: fieldOf(error) } }
    : known(originalError ?? error, surroundings);
  return {
    message,
    ...(locations === undefined ? {} : { locations: locations.map(({ line, column }) => ({ line, column })) }),
    ...(path === undefined ? {} : { path }),
    extensions: { ...details, request_id: surroundings.requestId },
  };
}

interface Known {
  readonly message: string;
  readonly details: ErrorDetails;
}

function known(error: unknown, { isUnavailable, report }: PayloadSurroundings): Known {
  if (error instanceof Refusal) return { message: error.message, details: error.details };
  if (error instanceof QueryTimeout) {
    return { message: error.message, details: { code: 'QUERY_TIMEOUT', timeout_seconds: error.timeoutSeconds } };
  }
  const code = isUnavailable(error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR';
  report(error, code);
  return code === 'SERVICE_UNAVAILABLE'
    ? { message: 'A database is out of reach. Try again soon.', details: { code, retry_after_seconds: 2 } }
    : { message: 'The server failed. Its log tells why, under the id of this request.', details: { code } };
}

/** Without suggestions, which would spell out the schema, and short although it may quote what the caller sent. */
function plainMessage(message: string): string {
  const text = message.replace(/ Did you mean .*$/s, '');
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
