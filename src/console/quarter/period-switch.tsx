import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { SearchParts } from '../analytics/search-parts.js';
import { spanNames, type Span } from './span.js';
import { comparisonLabel, spanLabels, texts } from './texts.js';

export interface PeriodSwitchProps {
  readonly span: Span;
  /** Called with the parts of the query string that change. */
  readonly onChange: (parts: SearchParts) => void;
}

/** Chooses the period, and what it is compared with. */
export function PeriodSwitch({ span, onChange }: PeriodSwitchProps): JSX.Element {
  const [periodId, comparisonId] = [useId(), useId()];
  const comparisons = Object.entries(comparisonLabel(span)).filter(
    ([comparison]) => span.unit !== 'year' || comparison === 'before', // for a year, both are the same
  );
  return (
    <form
      class="filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      <div class="field">
        <label for={periodId}>{texts.period}</label>
        <select
          id={periodId}
          value={span.name}
          onChange={({ currentTarget: { value } }) => {
            onChange({ range: value });
          }}
        >
          {spanNames.map((name) => (
            <option key={name} value={name}>
              {spanLabels[name]}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={comparisonId}>{texts.comparedWith}</label>
        <select
          id={comparisonId}
          value={span.comparison}
          onChange={({ currentTarget: { value } }) => {
            onChange({ compare: value === 'year_ago' ? value : null });
          }}
        >
          {comparisons.map(([comparison, label]) => (
            <option key={comparison} value={comparison}>
              {label}
            </option>
          ))}
        </select>
      </div>
    </form>
  );
}
