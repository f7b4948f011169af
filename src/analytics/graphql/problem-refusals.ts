import type { ProblemReply } from '@plumbline/contract/contract-types';
import type { ErrorDetails } from '../../../generated/graphql/errors.js';
import { Refusal } from './refusal.js';

/** Converts a problem of the pipeline to the documented GraphQL error with the same status. */
export function refusalOfProblem({ status, body }: ProblemReply): Refusal {
  const members: Readonly<Record<string, unknown>> = body;
  return new Refusal(textOf(members['message']), detailsOf(status, members), status);
}

function detailsOf(status: number, members: Readonly<Record<string, unknown>>): ErrorDetails {
  switch (status) {
    case 401:
    case 403:
      return { code: 'AUTHORIZATION_ERROR' };
    case 405:
      return { code: 'METHOD_NOT_ALLOWED' };
    case 406:
      return { code: 'NOT_ACCEPTABLE' };
    case 413:
      return { code: 'PAYLOAD_TOO_LARGE', max_bytes: numberOf(members['max_bytes']) };
    case 415:
      return { code: 'UNSUPPORTED_MEDIA_TYPE' };
    case 429:
      return { code: 'RATE_LIMITED', retry_after_seconds: numberOf(members['retry_after_seconds']) };
    case 503:
      return { code: 'SERVICE_UNAVAILABLE', retry_after_seconds: numberOf(members['retry_after_seconds']) };
    default:
      return { code: 'INTERNAL_ERROR' };
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
