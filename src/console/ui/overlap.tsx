import type { JSX } from 'preact';
import { Select } from './fields.js';

/** In seconds. */
const overlaps = { '0': 'Not at all', '3600': '1 hour', '86400': '1 day', '604800': '7 days' } as const;

/** For how long secrets before a rotation stay in use. */
export function Overlap({ label }: { readonly label: string }): JSX.Element {
  return (
    <Select
      name="overlap_seconds"
      label={label}
      options={overlaps}
      value="86400"
      hint="Choose “Not at all” if a secret has leaked."
    />
  );
}
