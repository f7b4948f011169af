import { createThreshold, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Picked } from '../analytics/picked.js';
import type { Picks } from '../analytics/picks.js';
import { workFiltersOf } from '../analytics/work-filters.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { NumberField, Select } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { refreshThresholds } from './queries.js';
import { directions, measures } from './words.js';

export interface NewThresholdDialogProps {
  readonly orgId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Creates a threshold. */
export function NewThresholdDialog({ orgId, open, onClose }: NewThresholdDialogProps): JSX.Element {
  return (
    <Dialog title="New threshold" open={open} onClose={onClose}>
      <NewThreshold orgId={orgId} onClose={onClose} />
    </Dialog>
  );
}

function NewThreshold({ orgId, onClose }: Omit<NewThresholdDialogProps, 'open'>): JSX.Element {
  const [measure, setMeasure] = useState<Schemas['ThresholdMeasure']>('cycle_time_hours');
  const [direction, setDirection] = useState<Schemas['ThresholdDirection']>('above');
  const [picks, setPicks] = useState<Picks>({});
  return (
    <Form
      button="Create"
      beside={<CancelButton onClick={onClose} />}
      send={({ name = '', value, window_days: days }) =>
        createThreshold(platform, {
          params: { org_id: orgId },
          body: {
            name,
            definition: {
              measure,
              direction,
              value: Number(value),
              window_days: Number(days),
              filters: workFiltersOf(picks),
            },
          },
        })
      }
      done={({ name }) => {
        announce(`${name} is created.`);
        void refreshThresholds();
        onClose();
      }}
    >
      <Field name="name" label="Name" hint="Such as “Slow reviews”." autocomplete="off" maxLength={100} required />
      <Select name="measure" label="Measure" options={measures} value={measure} onChange={setMeasure} />
      <Select
        name="direction"
        label="Crossed when it is"
        options={directions}
        value={direction}
        onChange={setDirection}
      />
      <NumberField name="value" label="Value" max={1_000_000_000_000} step="any" />
      <NumberField
        name="window_days"
        label="Days"
        min={1}
        max={365}
        value={30}
        hint="How many days are looked at, with the day of the evaluation (UTC)."
      />
      <Picked orgId={orgId} picks={picks} onChange={setPicks} />
    </Form>
  );
}
