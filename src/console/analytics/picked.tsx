import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { wordsOf } from '../charts/words.js';
import type { Dimension } from './client.js';
import { dimensionNames, dimensions, isDimension, type Picks } from './picks.js';
import { ValuePicker } from './value-picker.js';

export interface PickedProps {
  readonly orgId: string;
  readonly picks: Picks;
  readonly onChange: (picks: Picks) => void;
}

/** The values that work units are picked by. Each can be removed, and others added. */
export function Picked({ orgId, picks, onChange }: PickedProps): JSX.Element {
  const change = (dimension: Dimension, values: readonly string[]): void => {
    onChange({ ...picks, [dimension]: values });
  };
  const picked = dimensionNames.flatMap((dimension) => (picks[dimension] ?? []).map((value) => ({ dimension, value })));
  return (
    <div class="picked">
      {picked.length > 0 && (
        <ul class="chips" aria-label="Filters">
          {picked.map(({ dimension, value }) => {
            const name = `${dimensions[dimension].label}: ${wordsOf(dimension, value)}`;
            return (
              <li key={`${dimension} ${value}`}>
                <button
                  type="button"
                  aria-label={`Remove the filter ${name}`}
                  onClick={() => {
                    change(
                      dimension,
                      (picks[dimension] ?? []).filter((other) => other !== value),
                    );
                  }}
                >
                  <span class="break">{name}</span> <span aria-hidden="true">✕</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <AddFilter
        orgId={orgId}
        onAdd={(dimension, value) => {
          change(dimension, [...(picks[dimension] ?? []), value]);
        }}
      />
    </div>
  );
}

interface AddFilterProps {
  readonly orgId: string;
  readonly onAdd: (dimension: Dimension, value: string) => void;
}

/** Offers the values of one dimension after another; choosing one adds it. */
function AddFilter({ orgId, onAdd }: AddFilterProps): JSX.Element {
  const [dimension, setDimension] = useState<Dimension>('THEME');
  const dimensionId = useId();
  return (
    <details class="add-filter">
      <summary>Add a filter</summary>
      <div class="filters">
        <div class="field">
          <label for={dimensionId}>Filter by</label>
          <select
            id={dimensionId}
            value={dimension}
            onChange={({ currentTarget: { value } }) => {
              if (isDimension(value)) setDimension(value);
            }}
          >
            {dimensionNames.map((name) => (
              <option key={name} value={name}>
                {dimensions[name].label}
              </option>
            ))}
          </select>
        </div>
        <ValuePicker
          orgId={orgId}
          label="Value"
          groups={[{ dimension, label: dimensions[dimension].label }]}
          chosen={null}
          none="Choose …"
          canClear={false}
          onPick={(choice) => {
            if (choice !== null) onAdd(dimension, choice.value);
          }}
        />
      </div>
    </details>
  );
}
