import type { JSX } from 'preact';
import { Select } from '../ui/fields.js';

const days = { '7': '7 days', '30': '30 days', '90': '90 days', '180': '180 days', '366': '1 year' } as const;
const kept = { '': 'As before' } as const;

/** Selects the number of days until a token expires. `canKeep` offers to keep the present expiry, as an empty value. */
export function Expiry({ canKeep = false }: { readonly canKeep?: boolean }): JSX.Element {
  return (
    <Select<'' | keyof typeof days>
      name="expires_in_days"
      label="Expires in"
      options={canKeep ? { ...kept, ...days } : days}
      value={canKeep ? '' : '90'}
    />
  );
}
