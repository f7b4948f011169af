import { login } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Entrance } from '../shell/entrance.js';
import { platform } from '../session/session.js';
import { Field, Form } from '../ui/form.js';

/** Logs in. It stands in the place of the page that was asked for, which then shows. */
export function LogInPage({ ended }: { ended: boolean }): JSX.Element {
  return (
    <Entrance title="Log in">
      {ended && (
        <div class="banner warn" role="status">
          <p>Your session has ended. Log in again to continue where you were.</p>
        </div>
      )}
      <Form
        button="Log in"
        send={({ email = '', password = '' }) => login(platform, { body: { email, password } })}
        done={() => undefined}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      </Form>
    </Entrance>
  );
}
