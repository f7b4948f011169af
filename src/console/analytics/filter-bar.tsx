import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useValues } from './client.js';
import { PeriodFields } from './period-fields.js';
import type { Period } from './period.js';
import { levels, textOf, type Level, type Scope } from './scope.js';
import type { SearchParts } from './search.js';

export interface FilterBarProps {
  readonly orgId: string;
  readonly period: Period;
  readonly scope: Scope | null;
  /** What the page can be narrowed down to (default: all levels). */
  readonly offered?: readonly Level[];
  /** Called with the parts of the query string that change. */
  readonly onChange: (parts: SearchParts) => void;
}

/** Chooses the period and what the page is narrowed down to. */
export function FilterBar({ orgId, period, scope, offered, onChange }: FilterBarProps): JSX.Element {
  const scopeId = useId();
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <PeriodFields period={period} onChange={onChange} />
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
          {levels.map(({ level, label }) =>
            offered?.includes(level) === false ? null : (
              <Values key={level} orgId={orgId} level={level} label={label} scope={scope} />
            ),
          )}
        </select>
      </div>
    </form>
  );
}

interface ValuesProps {
  readonly orgId: string;
  readonly level: Level;
  readonly label: string;
  readonly scope: Scope | null;
}

function Values({ orgId, level, label, scope }: ValuesProps): JSX.Element {
  const values = useValues(orgId, level).data ?? [];
  const listed = values.filter(({ value }) => value !== '').map(({ value }) => value);
  // The value of a link is offered although the catalog may not list it.
  const all = scope?.level === level && !listed.includes(scope.id) ? [scope.id, ...listed] : listed;
  return (
    <optgroup label={label}>
      {all.map((id) => (
        <option key={id} value={textOf({ level, id })}>
          {id}
        </option>
      ))}
    </optgroup>
  );
}
