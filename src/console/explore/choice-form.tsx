import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { PeriodFields } from '../analytics/period-fields.js';
import { bucketsOf } from '../analytics/period.js';
import { dimensions } from '../analytics/picks.js';
import type { SearchParts } from '../analytics/search-parts.js';
import { intervals, measures, type Catalog, type Choices } from './choices.js';

export interface ChoiceFormProps {
  readonly choices: Choices;
  readonly catalog: Catalog;
  /** Called with the parts of the query string that change. */
  readonly onChange: (parts: SearchParts) => void;
}

/** Chooses what the charts show. What the limits of the server forbid cannot be chosen. */
export function ChoiceForm({ choices, catalog, onChange }: ChoiceFormProps): JSX.Element {
  const { dimension, measure, interval, top, isWhole, period } = choices;
  const { limits, calendar } = catalog;
  const limitsId = useId();
  const topId = useId();
  const topField = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (topField.current !== null) topField.current.value = String(top); // another choice, such as a saved view
  }, [top]);
  return (
    <form
      class="filters"
      aria-label="What is shown"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <Choice
        label="Measure"
        part="measure"
        value={measure}
        options={catalog.measures.map(({ name }) => ({ name, label: measures[name] }))}
        onChange={onChange}
      />
      <Choice
        label="By"
        part="dimension"
        value={dimension}
        options={catalog.dimensions.map(({ name }) => ({ name, label: dimensions[name].label }))}
        onChange={onChange}
      />
      <Choice
        label="Interval"
        part="interval"
        value={interval}
        describedBy={limitsId}
        options={(['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const).map((name) => {
          const points = bucketsOf(period.range, name, calendar);
          const isTooFine = points > limits.maxBuckets;
          return {
            name,
            label: `${intervals[name]} (${points} ${points === 1 ? 'point' : 'points'}${isTooFine ? ', too many' : ''})`,
            isDisabled: isTooFine && name !== interval,
          };
        })}
        onChange={onChange}
      />
      <PeriodFields period={period} onChange={onChange} />
      <div class="field">
        <label for={topId}>Largest</label>
        <input
          ref={topField}
          id={topId}
          type="number"
          min="1"
          max={limits.maxTopN}
          // Not `value`: what is being typed stays when the field is rendered again.
          defaultValue={top}
          aria-describedby={limitsId}
          onChange={({ currentTarget }) => {
            if (currentTarget.reportValidity()) onChange({ top: currentTarget.value });
          }}
        />
      </div>
      <label class="choice">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={({ currentTarget }) => {
            onChange({ whole: currentTarget.checked ? 'yes' : null });
          }}
        />
        By main theme only
      </label>
      <p id={limitsId} class="small muted limits">
        {catalog.measures.find(({ name }) => name === measure)?.description}{' '}
        {catalog.dimensions.find(({ name }) => name === dimension)?.description.replaceAll('`', '')} Limits: a period of
        up to {limits.maxDays} days, {limits.maxBuckets} points in time, {limits.maxTopN} values.
      </p>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The part of the query string that holds it. */
  readonly part: string;
  readonly value: string;
  readonly options: readonly { readonly name: string; readonly label: string; readonly isDisabled?: boolean }[];
  readonly describedBy?: string;
  readonly onChange: (parts: SearchParts) => void;
}

function Choice({ label, part, value, options, describedBy, onChange }: ChoiceProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={describedBy}
        onChange={({ currentTarget }) => {
          onChange({ [part]: currentTarget.value.toLowerCase() });
        }}
      >
        {options.map(({ name, label: text, isDisabled = false }) => (
          <option key={name} value={name} disabled={isDisabled}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
