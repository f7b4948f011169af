import { unwrap } from '@plumbline/sdk';
import { login, loginByPasskey, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { CheckMail } from './check-mail.js';
import { PasskeyButton } from './passkey-button.js';
import { ProviderButtons } from './provider-buttons.js';
import { registrationRules } from './registration.js';
import { SecondFactorForm } from './second-factor-form.js';

/** The log-in form. It is shown instead of the requested page, which follows after the login. */
export function LogInPage({ ended }: { ended: boolean }): JSX.Element {
  const [unverified, setUnverified] = useState<string | null>(null);
  const [awaited, setAwaited] = useState<Schemas['MfaRequiredResponse'] | null>(null);
  if (unverified !== null) return <CheckMail email={unverified} />;
  if (awaited !== null) {
    return (
      <SecondFactorForm
        login={awaited}
        done={() => {
          setAwaited(null);
        }}
      />
    );
  }
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
          if ('mfa_token' in data) setAwaited(data);
          else if ('status' in data) setUnverified(data.email); // a session was started otherwise, and the page shows
        }}
        beside={<Link href="/forgot-password">Forgot your password?</Link>}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      </Form>
      <PasskeyButton
        label="Log in with a passkey"
        send={async (body) => {
          unwrap(await loginByPasskey(platform, { body }));
        }}
      />
      <ProviderButtons />
      <p>
        <Link href="/login/sso">Log in with the SSO of your organization</Link>
      </p>
      {registrationRules().kind !== 'closed' && (
        <p>
          New here? <Link href="/register">Create an account</Link>
        </p>
      )}
    </Entrance>
  );
}
