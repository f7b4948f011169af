import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { valuesOf } from '../ui/form.js';

export interface AccountFilterProps {
  /** Empty: all accounts. */
  readonly search: string;
  readonly isDisabled: boolean;
  /** Called with the query parameters of the page: `search` and `state`. */
  readonly onChange: (filters: Readonly<Record<string, string>>) => void;
}

/** Filters the accounts. */
export function AccountFilter({ search, isDisabled, onChange }: AccountFilterProps): JSX.Element {
  const id = useId();
  return (
    <form
      class="filter"
      aria-label="Filter"
      key={JSON.stringify([search, isDisabled])}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(valuesOf(event.currentTarget));
      }}
    >
      <div class="field">
        <label for={`${id}-search`}>Address or name</label>
        {/* Not `value`: what is being typed stays when the field is rendered again. */}
        <input id={`${id}-search`} name="search" type="search" maxLength={254} defaultValue={search} />
      </div>
      <div class="field">
        <label for={`${id}-state`}>State</label>
        <select id={`${id}-state`} name="state">
          <option value="">All</option>
          <option value="disabled" selected={isDisabled}>
            Disabled
          </option>
        </select>
      </div>
      <button type="submit">Apply</button>
    </form>
  );
}
