import type { ErrorDetails, LimitName } from '../../../generated/graphql/errors.js';

/** Something documented stands in the way: an error with the members that its code has. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly details: ErrorDetails;
  /** The status of the reply where the code alone does not tell it. */
  readonly status: number | null;

  /** @param message for people to read; it must not hold what another caller or a driver said */
  constructor(message: string, details: ErrorDetails, status: number | null = null) {
    super(message);
    this.details = details;
    this.status = status;
  }
}

/** @param field the way to what is invalid, for example `batch.breakdowns[1].topN` */
export function invalid(field: string, message: string): Refusal {
  return new Refusal(message, { code: 'VALIDATION_ERROR', field });
}

/** More than a limit allows. */
export function tooCostly(limit: LimitName, what: string, allowed: number, requested: number): Refusal {
  return new Refusal(`${requested} ${what} were requested, and at most ${allowed} are allowed (${limit}).`, {
    code: 'COST_LIMIT_EXCEEDED',
    limit_name: limit,
    limit_value: allowed,
    requested_value: requested,
  });
}

/** @param status 401 when the access token does not hold, 403 when it does and the organization is the trouble */
export function unauthorized(message: string, status: 401 | 403): Refusal {
  return new Refusal(message, { code: 'AUTHORIZATION_ERROR' }, status);
}
