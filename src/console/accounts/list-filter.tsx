import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { valuesOf } from '../ui/form.js';

export interface ListFilterProps {
  /** The label of the field for a text to search for. */
  readonly label: string;
  /** Empty: everything. */
  readonly search: string;
  /** The state that the list can be limited to: the value of the query parameter, and its label. */
  readonly state: { readonly value: string; readonly label: string; readonly isChosen: boolean };
  /** Called with the query parameters of the page: `search` and `state`. */
  readonly onChange: (filters: Readonly<Record<string, string>>) => void;
}

/** Filters a list of the installation. */
export function ListFilter({ label, search, state, onChange }: ListFilterProps): JSX.Element {
  const id = useId();
  return (
    <form
      class="filter"
      aria-label="Filter"
      key={JSON.stringify([search, state.isChosen])}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(valuesOf(event.currentTarget));
      }}
    >
      <div class="field">
        <label for={`${id}-search`}>{label}</label>
        {/* Not `value`: what is being typed stays when the field is rendered again. */}
        <input id={`${id}-search`} name="search" type="search" maxLength={254} defaultValue={search} />
      </div>
      <div class="field">
        <label for={`${id}-state`}>State</label>
        <select id={`${id}-state`} name="state">
          <option value="">All</option>
          <option value={state.value} selected={state.isChosen}>
            {state.label}
          </option>
        </select>
      </div>
      <button type="submit">Apply</button>
    </form>
  );
}
