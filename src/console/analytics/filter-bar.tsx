import type { JSX } from 'preact';
import { PeriodFields } from './period-fields.js';
import type { Period } from './period.js';
import { levels, type Level, type Scope } from './scope.js';
import type { SearchParts } from './search-parts.js';
import { ValuePicker } from './value-picker.js';

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
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <PeriodFields period={period} onChange={onChange} />
      <ValuePicker
        orgId={orgId}
        label="Show"
        groups={levels
          .filter(({ level }) => offered?.includes(level) !== false)
          .map(({ level, label }) => ({ dimension: level, label }))}
        chosen={scope === null ? null : { dimension: scope.level, value: scope.id }}
        none="The whole organization"
        canClear
        onPick={(choice) => {
          onChange({ scope: choice === null ? null : `${choice.dimension}:${choice.value}` });
        }}
      />
    </form>
  );
}
