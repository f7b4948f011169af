import { validationProblem } from '@plumbline/contract/violations';
import type { GetCalendarHandler, Schemas, UpdateCalendarHandler } from '../../../../generated/platform/operations.js';
import { calendarAsText, type OrganizationCalendar } from '../../../analytics/organization-calendar.js';
import { isTimeZone } from '../../../analytics/time-zone.js';
import { storedCalendar } from '../../../sync/work-units/stored-calendar.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { storeText } from './store-text.js';

export const getCalendar: GetCalendarHandler<PlatformDependencies> = async ({ principal }, { records }) => {
  return { status: 200, body: bodyOf(await records.of(principal.org_id, storedCalendar)) };
};

export const updateCalendar: UpdateCalendarHandler<PlatformDependencies> = async (request, dependencies) => {
  const { org_id: orgId } = request.principal;
  const { week_starts_on: weekStartsOn, time_zone: timeZone } = request.body;
  if (!isTimeZone(timeZone)) {
    const message = 'must be the name of a time zone, such as Europe/Berlin';
    return validationProblem([{ path: '/body/time_zone', rule: 'time_zone', message }]);
  }
  const calendar: OrganizationCalendar = { weekStartsOn: upper(weekStartsOn), timeZone };
  await storeText(
    dependencies,
    request,
    { resourceKind: 'CALENDAR', note: `weeks from ${weekStartsOn}, days of ${timeZone}` },
    (resources) => resources.records.writeFile('calendar', orgId, calendarAsText(calendar)),
  );
  return { status: 200, body: bodyOf(calendar) };
};

function bodyOf({ weekStartsOn, timeZone }: OrganizationCalendar): Schemas['Calendar'] {
  return { week_starts_on: lower(weekStartsOn), time_zone: timeZone };
}

function upper<Word extends string>(word: Word): Uppercase<Word> {
  return word.toUpperCase() as Uppercase<Word>; // as its type says
}

function lower<Word extends string>(word: Word): Lowercase<Word> {
  return word.toLowerCase() as Lowercase<Word>; // as its type says
}
