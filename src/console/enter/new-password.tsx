import type { JSX } from 'preact';
import { Field } from '../ui/form.js';

/** A field for a password that is chosen now. */
export function NewPassword({ name, label }: { name: string; label: string }): JSX.Element {
  return (
    <Field
      name={name}
      label={label}
      type="password"
      autocomplete="new-password"
      hint="At least 12 characters, with a letter and a digit. A few words and a number are easy to remember."
      required
    />
  );
}
