import type { ErrorDetails, LimitName } from '../../../generated/graphql/errors.js';

/** A documented error, with the members of its code. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: ErrorDetails;
  /** The status of the reply if the code alone does not determine it. */
  readonly status: number | null;

  /** @param message for people; it must not contain data of other callers or text of a driver */
  constructor(message: string, details: ErrorDetails, status: number | null = null) {
    super(message);
    this.details = details;
    this.status = status;
  }
}

/** @param field the path of the invalid value, for example `batch.breakdowns[1].topN` */
export function invalid(field: string, message: string): Refusal {
  return new Refusal(message, { code: 'VALIDATION_ERROR', field });
}

/** The request exceeds a limit. */
export function tooCostly(limit: LimitName, what: string, allowed: number, requested: number): Refusal {
  return new Refusal(`${requested} ${what} were requested, and at most ${allowed} are allowed (${limit}).`, {
    code: 'COST_LIMIT_EXCEEDED',
    limit_name: limit,
    limit_value: allowed,
    requested_value: requested,
  });
}

/** The organization of the request is the problem. */
export function unauthorized(message: string): Refusal {
  return new Refusal(message, { code: 'AUTHORIZATION_ERROR' });
}
