import { resetPassword } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { NewPassword } from './new-password.js';
import { useOneTimeToken } from './one-time-token.js';
import { passwordFaults } from './password-check.js';

/** Where the link of a reset mail leads: chooses a new password. */
export default function ResetPasswordPage(): JSX.Element {
  const token = useOneTimeToken();
  const [message, setMessage] = useState<string | null>(null);
  if (message !== null) {
    return (
      <Entrance title="Your password is changed">
        <div class="banner good" role="status">
          <p>{message}</p>
        </div>
        <div class="actions">
          <Link href="/login" class="button primary">
            Log in
          </Link>
        </div>
      </Entrance>
    );
  }
  return (
    <Entrance title="Choose a new password" intro="All devices have to log in again afterwards.">
      {token === '' ? (
        <p>Open the link of the mail again.</p>
      ) : (
        <Form
          button="Change the password"
          passwordField="new_password"
          check={({ new_password = '' }) => ({ new_password: passwordFaults(new_password, []) })}
          send={({ new_password = '' }) => resetPassword(platform, { body: { token, new_password } })}
          done={(data) => {
            setMessage(data.message);
          }}
        >
          <NewPassword name="new_password" label="New password" />
        </Form>
      )}
      <p>
        <Link href="/forgot-password">Ask for a new link</Link>
      </p>
    </Entrance>
  );
}
