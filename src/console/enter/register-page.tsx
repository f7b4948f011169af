import { login, register } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { CheckMail } from './check-mail.js';
import { NewPassword } from './new-password.js';
import { waitingInvitation } from './one-time-token.js';
import { passwordFaults } from './password-check.js';
import { ProviderButtons } from './provider-buttons.js';
import { registrationRules, type RegistrationRules } from './registration.js';

/** Creates an account. It waits for its verification, unless an invitation has proven its address. */
export default function RegisterPage(): JSX.Element {
  const rules = registrationRules();
  const invitation = waitingInvitation.get();
  const isClosed = rules.kind === 'closed' || (rules.kind === 'invite' && invitation === '');
  if (isClosed) return <Closed rules={rules} />;
  return invitation === '' ? <Registration rules={rules} /> : <RegistrationByInvitation token={invitation} />;
}

function Closed({ rules }: { rules: RegistrationRules }): JSX.Element {
  return (
    <Entrance title="Create an account">
      <p>
        {rules.kind === 'closed'
          ? 'Nobody can register on this server.'
          : 'An account needs an invitation. Ask an administrator of your organization for one, and open the link of its mail.'}
      </p>
      <Link href="/login">Log in</Link>
    </Entrance>
  );
}

function Registration({ rules }: { rules: RegistrationRules }): JSX.Element {
  const [email, setEmail] = useState<string | null>(null);
  if (email !== null) return <CheckMail email={email} />;
  return (
    <Entrance title="Create an account">
      <Form
        button="Create account"
        passwordField="password"
        check={({ email: address = '', full_name = '', org_name = '', password = '' }) => ({
          password: passwordFaults(password, [address, full_name, org_name]),
        })}
        send={({ email: address = '', password = '', full_name, org_name }) =>
          register(platform, {
            body: {
              email: address,
              password,
              ...(full_name !== undefined && { full_name }),
              ...(org_name !== undefined && { org_name }),
            },
          })
        }
        done={(_data, values) => {
          setEmail(values['email'] ?? '');
        }}
      >
        <Field
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          {...(rules.kind === 'domains' && { hint: `An address of ${rules.domains.join(' or ')}.` })}
          required
          autofocus
        />
        <Field name="full_name" label="Name (optional)" autocomplete="name" maxLength={100} />
        {rules.createsOrganization && (
          <Field
            name="org_name"
            label="Organization (optional)"
            autocomplete="organization"
            hint="The name of your team or company. It can be changed later."
            maxLength={100}
          />
        )}
        <NewPassword name="password" label="Password" />
      </Form>
      <ProviderButtons />
      <HaveAccount />
    </Entrance>
  );
}

/** The invitation proves the address: the account joins at once, and its session begins. */
function RegistrationByInvitation({ token }: { token: string }): JSX.Element {
  const [, navigate] = useLocation();
  return (
    <Entrance title="Create an account" intro="Use the address that the invitation was sent to. You then join at once.">
      <Form
        button="Create account and join"
        passwordField="password"
        check={({ email = '', full_name = '', password = '' }) => ({
          password: passwordFaults(password, [email, full_name]),
        })}
        send={async ({ email = '', password = '', full_name }) => {
          const registered = await register(platform, {
            body: { email, password, invite_token: token, ...(full_name !== undefined && { full_name }) },
          });
          return registered.ok ? login(platform, { body: { email, password } }) : registered;
        }}
        done={() => {
          waitingInvitation.clear();
          navigate('/', { replace: true });
        }}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
        <Field name="full_name" label="Name (optional)" autocomplete="name" maxLength={100} />
        <NewPassword name="password" label="Password" />
      </Form>
      <ProviderButtons />
      <HaveAccount />
    </Entrance>
  );
}

function HaveAccount(): JSX.Element {
  return (
    <p>
      You have an account? <Link href="/login">Log in</Link>
    </p>
  );
}
