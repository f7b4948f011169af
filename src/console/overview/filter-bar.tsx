import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useFilterValues } from './analytics.js';
import { faultOfRange, presets, type Period } from './period.js';
import { levels, textOf, type Scope } from './scope.js';

export interface FilterBarProps {
  readonly orgId: string;
  readonly period: Period;
  readonly scope: Scope | null;
  /** Called with the parts of the query string that change; null: the part is removed. */
  readonly onChange: (parts: Readonly<Record<string, string | null>>) => void;
}

/** Chooses the period and what the page is narrowed down to. */
export function FilterBar({ orgId, period, scope, onChange }: FilterBarProps): JSX.Element {
  const [isCustom, setCustom] = useState(period.name === 'custom');
  const [periodId, scopeId] = [useId(), useId()];
  const values = useFilterValues(orgId).data;
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <div class="field">
        <label for={periodId}>Period</label>
        <select
          id={periodId}
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
      <div class="field">
        <label for={scopeId}>Show</label>
        <select
          id={scopeId}
          value={scope === null ? '' : textOf(scope)}
          onChange={({ currentTarget: { value } }) => {
            onChange({ scope: value === '' ? null : value });
          }}
        >
          <option value="">The whole organization</option>
          {levels.map(({ level, label }) => {
            // The value of a link is offered although the catalog may not list it.
            const listed = (values?.[level] ?? []).filter(({ value }) => value !== '').map(({ value }) => value);
            const all = scope?.level === level && !listed.includes(scope.id) ? [scope.id, ...listed] : listed;
            return (
              <optgroup key={level} label={label}>
                {all.map((id) => (
                  <option key={id} value={textOf({ level, id })}>
                    {id}
                  </option>
                ))}
              </optgroup>
            );
          })}
        </select>
      </div>
    </form>
  );
}

function Days({ period: { range }, onChange }: Pick<FilterBarProps, 'period' | 'onChange'>): JSX.Element {
  const [start, setStart] = useState(range.startDate);
  const [end, setEnd] = useState(range.endDate);
  const [startId, endId, faultId] = [useId(), useId(), useId()];
  const fault = faultOfRange(start, end);
  const choose = (from: string, to: string): void => {
    setStart(from);
    setEnd(to);
    if (faultOfRange(from, to) === null) onChange({ range: 'custom', start: from, end: to });
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
