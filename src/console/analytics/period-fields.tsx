import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useLimits } from './calendar.js';
import { faultOfRange, presets, type Period } from './period.js';
import type { SearchParts } from './search-parts.js';

export interface PeriodFieldsProps {
  readonly period: Period;
  /** Called with the parts of the query string that change. */
  readonly onChange: (parts: SearchParts) => void;
}

/** Chooses the period of a page. */
export function PeriodFields({ period, onChange }: PeriodFieldsProps): JSX.Element {
  const [isCustom, setCustom] = useState(period.name === 'custom');
  const id = useId();
  useEffect(() => {
    setCustom(period.name === 'custom');
  }, [period.name]);
  return (
    <>
      <div class="field">
        <label for={id}>Period</label>
        <select
          id={id}
          value={isCustom ? 'custom' : period.name}
          onChange={({ currentTarget: { value } }) => {
            setCustom(value === 'custom');
            if (value !== 'custom') onChange({ range: value, start: null, end: null });
          }}
        >
          {Object.entries(presets).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
          <option value="custom">From … to …</option>
        </select>
      </div>
      {isCustom && <Days period={period} onChange={onChange} />}
    </>
  );
}

function Days({ period: { range }, onChange }: PeriodFieldsProps): JSX.Element {
  const [start, setStart] = useState(range.startDate);
  const [end, setEnd] = useState(range.endDate);
  const [startId, endId, faultId] = [useId(), useId(), useId()];
  const maxDays = useLimits().data?.limits.maxDays ?? Infinity; // the server refuses what is too long
  const fault = faultOfRange(start, end, maxDays);
  useEffect(() => {
    setStart(range.startDate);
    setEnd(range.endDate);
  }, [range.startDate, range.endDate]);
  const choose = (from: string, to: string): void => {
    setStart(from);
    setEnd(to);
    if (faultOfRange(from, to, maxDays) === null) onChange({ range: 'custom', start: from, end: to });
  };
  return (
    <>
      <div class="field">
        <label for={startId}>First day</label>
        <input
          id={startId}
          type="date"
          value={start}
          aria-describedby={faultId}
          aria-invalid={fault !== null}
          onChange={({ currentTarget: { value } }) => {
            choose(value, end);
          }}
        />
      </div>
      <div class="field">
        <label for={endId}>Last day</label>
        <input
          id={endId}
          type="date"
          value={end}
          aria-describedby={faultId}
          aria-invalid={fault !== null}
          onChange={({ currentTarget: { value } }) => {
            choose(start, value);
          }}
        />
      </div>
      <p id={faultId} class="field-error" role="status">
        {fault}
      </p>
    </>
  );
}
