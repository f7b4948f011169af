import type { JSX } from 'preact';
import { Field } from '../ui/form.js';

/** The password that proves who asks for a change of the account. */
export function CurrentPassword(): JSX.Element {
  return (
    <Field
      name="current_password"
      label="Current password"
      type="password"
      autocomplete="current-password"
      maxLength={1024}
      required
    />
  );
}
