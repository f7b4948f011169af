import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Select } from '../ui/fields.js';
import { Field } from '../ui/form.js';

type Schedule = Schemas['SyncConfig']['schedule'];

/** How often a sync runs, as the form offers it. */
const rhythms = { daily: 'Every day', hourly: 'Every hour', cron: 'At other times', none: 'Only when it is started' };
type Rhythm = keyof typeof rhythms;

/** Chooses when a sync runs. `scheduleOf` reads the choice. */
export function ScheduleFields({ value }: { value: Schedule }): JSX.Element {
  const [rhythm, setRhythm] = useState<Rhythm>(rhythmOf(value));
  return (
    <>
      <Select name="rhythm" label="Runs" options={rhythms} value={rhythm} onChange={setRhythm} />
      {rhythm === 'cron' && (
        <Field
          name="schedule"
          label="Cron expression"
          value={rhythmOf(value) === 'cron' ? (value ?? '') : '30 6 * * 1-5'}
          maxLength={100}
          hint="Minute, hour, day of the month, month and day of the week, in UTC; at least 15 minutes apart."
          required
        />
      )}
    </>
  );
}

/** The schedule that was chosen in `ScheduleFields`. */
export function scheduleOf({ rhythm, schedule }: Readonly<Partial<Record<string, string>>>): Schedule {
  if (rhythm === 'none') return null;
  return rhythm === 'cron' ? (schedule ?? '') : (rhythm ?? null);
}

/** A schedule in words. */
export function scheduleText(schedule: Schedule): string {
  return rhythmOf(schedule) === 'cron' ? `At ${schedule} (cron, UTC)` : rhythms[rhythmOf(schedule)];
}

function rhythmOf(schedule: Schedule): Rhythm {
  if (schedule === null) return 'none';
  return schedule === 'daily' || schedule === 'hourly' ? schedule : 'cron';
}
