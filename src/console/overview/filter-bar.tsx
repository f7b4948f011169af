import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useValues } from '../analytics/client.js';
import { PeriodFields } from '../analytics/period-fields.js';
import type { Period } from '../analytics/period.js';
import type { SearchParts } from '../analytics/search.js';
import { levels, textOf, type Scope } from './scope.js';

export interface FilterBarProps {
  readonly orgId: string;
  readonly period: Period;
  readonly scope: Scope | null;
  /** Called with the parts of the query string that change. */
  readonly onChange: (parts: SearchParts) => void;
}

/** Chooses the period and what the page is narrowed down to. */
export function FilterBar({ orgId, period, scope, onChange }: FilterBarProps): JSX.Element {
  const scopeId = useId();
  const values = {
    TEAM: useValues(orgId, 'TEAM').data,
    REPO: useValues(orgId, 'REPO').data,
    AUTHOR: useValues(orgId, 'AUTHOR').data,
  };
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
          {levels.map(({ level, label }) => {
            // The value of a link is offered although the catalog may not list it.
            const listed = (values[level] ?? []).filter(({ value }) => value !== '').map(({ value }) => value);
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
