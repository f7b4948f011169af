import { updateCalendar } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLimits, weekDays } from '../analytics/calendar.js';
import type { Calendar } from '../analytics/period.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Select } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';

/** The calendar that figures follow. Only those who may change it see it. */
export function CalendarCard({ orgId }: { orgId: string }): JSX.Element {
  return (
    <section class="card">
      <h2>Calendar</h2>
      <View query={useLimits()} what="the calendar">
        {({ calendar }) => <CalendarForm orgId={orgId} calendar={calendar} />}
      </View>
    </section>
  );
}

function CalendarForm({ orgId, calendar }: { orgId: string; calendar: Calendar }): JSX.Element {
  const [weekStartsOn, setWeekStartsOn] = useState(calendar.weekStartsOn);
  return (
    <Form
      button="Save the calendar"
      send={({ time_zone = '' }) =>
        updateCalendar(platform, {
          params: { org_id: orgId },
          body: { week_starts_on: lower(weekStartsOn), time_zone },
        })
      }
      done={() => {
        announce('The calendar is saved.');
        void queries.invalidateQueries();
      }}
    >
      <Select
        name="week_starts_on"
        label="Weeks begin on"
        options={weekDays}
        value={weekStartsOn}
        onChange={setWeekStartsOn}
      />
      <Field
        name="time_zone"
        label="Time zone"
        hint="Days begin at midnight there. After a change, all work is assigned to its new days in the background."
        value={calendar.timeZone}
        offered={timeZones}
        maxLength={64}
        autocomplete="off"
        required
      />
    </Form>
  );
}

const timeZones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')];

function lower<Word extends string>(word: Word): Lowercase<Word> {
  return word.toLowerCase() as Lowercase<Word>; // as its type says
}
