import type { Schemas } from '../../../../generated/platform/operations.js';
import {
  insufficientRole,
  viewNotFound,
  type InsufficientRole,
  type ViewNotFound,
} from '../../../../generated/problems.js';
import { isCalendarDate, isTooLong } from '../../../analytics/graphql/calendar.js';
import { FIRST_DAY, LAST_DAY } from '../../../analytics/store/rows.js';
import type { Violation } from '@plumbline/contract/violations';
import type { OrganizationPrincipal } from '../../identity/accounts/actor.js';
import { reaches } from '../../identity/accounts/permissions.js';

/** Maximum number of views per organization. */
export const mostViews = 200;

export const nameTaken: Violation = {
  path: '/body/name',
  rule: 'unique',
  message: 'is the name of another view',
};

/**
 * The violations of a definition that its schema cannot express.
 *
 * @param maxDays the Analytics API rejects longer periods
 */
export function violationsOfDefinition(
  definition: Schemas['ViewDefinition'] | undefined,
  maxDays: number,
): readonly Violation[] {
  if (definition === undefined || 'preset' in definition.period) return [];
  const { start_date: start, end_date: end } = definition.period;
  const unknown = (
    [
      ['start_date', start],
      ['end_date', end],
    ] as const
  ).filter(([, day]) => !isCalendarDate(day));
  if (unknown.length > 0) {
    const message = `must be a day from ${FIRST_DAY} to ${LAST_DAY}`;
    return unknown.map(([name]) => ({ path: `/body/definition/period/${name}`, rule: 'format', message }));
  }
  const path = '/body/definition/period/end_date';
  const range = { startDate: start, endDate: end };
  if (end < start) return [{ path, rule: 'minimum', message: 'must not be before start_date' }];
  if (isTooLong(range, maxDays)) {
    return [{ path, rule: 'maximum', message: `must be at most ${maxDays} days after start_date` }];
  }
  return [];
}

/** The reason why a caller cannot change a view; null: the caller can. */
export function refusalToChange(
  view: { readonly created_by: string | null } | null,
  caller: OrganizationPrincipal,
): ViewNotFound | InsufficientRole | null {
  if (view === null) return viewNotFound({ message: 'The organization has no such view.' });
  // A token acts for the organization. Only admins, who may change all views, can grant it `views:write`.
  if ('service_token_id' in caller || view.created_by === caller.user_id || reaches(caller.role, 'admin')) return null;
  const message = 'Another member has saved this view. Only that member and admins can change it.';
  return insufficientRole({ message, required_role: 'admin' });
}
