import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { valuesOf } from '../ui/form.js';

/** The filter, as query parameters of the page: `action`, `resource_kind`, `from` and `to` (days). */
export type AuditFilters = Readonly<Record<string, string>>;

export interface AuditFilterProps {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

const fields = [
  { name: 'action', label: 'Action', type: 'search', pattern: '[A-Z][A-Z_]*', placeholder: 'LOGIN' },
  { name: 'resource_kind', label: 'Kind of resource', type: 'search', pattern: '[A-Z][A-Z_]*', placeholder: 'SESSION' },
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'To', type: 'date' },
] as const;

/** Filters the audit log. */
export function AuditFilter({ filters, onChange }: AuditFilterProps): JSX.Element {
  const id = useId();
  return (
    <form
      class="filter"
      aria-label="Filter"
      key={JSON.stringify(filters)}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(valuesOf(event.currentTarget));
      }}
    >
      {fields.map(({ name, label, ...attributes }) => (
        <div class="field" key={name}>
          <label for={`${id}-${name}`}>{label}</label>
          <input
            {...attributes}
            id={`${id}-${name}`}
            name={name}
            // Not `value`: what is being typed stays when the field is rendered again.
            defaultValue={filters[name] ?? ''}
            maxLength={64}
            {...('pattern' in attributes && { title: 'Capital letters and underscores' })}
            onInput={(event) => {
              if ('pattern' in attributes) event.currentTarget.value = event.currentTarget.value.toUpperCase();
            }}
          />
        </div>
      ))}
      <button type="submit">Apply</button>
    </form>
  );
}

/** The same as the query of the operation: days become points in time, in the zone of the browser. */
export function auditQuery({ action, resource_kind, from, to }: AuditFilters): Record<string, string> {
  return {
    ...(action !== undefined && { action }),
    ...(resource_kind !== undefined && { resource_kind }),
    ...(from !== undefined && { since: startOfDay(from, 0) }),
    ...(to !== undefined && { until: startOfDay(to, 1) }),
  };
}

function startOfDay(day: string, later: number): string {
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
