import { login } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { CheckMail } from './check-mail.js';
import { ProviderButtons } from './provider-buttons.js';
import { registrationRules } from './registration.js';

/** The log-in form. It is shown instead of the requested page, which follows after the login. */
export function LogInPage({ ended }: { ended: boolean }): JSX.Element {
  const [unverified, setUnverified] = useState<string | null>(null);
  if (unverified !== null) return <CheckMail email={unverified} />;
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
        done={(data) => {
          if ('status' in data) setUnverified(data.email); // a session was started otherwise, and the page shows
        }}
        beside={<Link href="/forgot-password">Forgot your password?</Link>}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      </Form>
      <ProviderButtons />
      {registrationRules().kind !== 'closed' && (
        <p>
          New here? <Link href="/register">Create an account</Link>
        </p>
      )}
    </Entrance>
  );
}
