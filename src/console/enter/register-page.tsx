import { register } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { CheckMail } from './check-mail.js';
import { NewPassword } from './new-password.js';

/** Creates an account, which then waits for its verification. */
export default function RegisterPage(): JSX.Element {
  const [email, setEmail] = useState<string | null>(null);
  if (email !== null) return <CheckMail email={email} />;
  return (
    <Entrance title="Create an account">
      <Form
        button="Create account"
        passwordField="password"
        send={({ email: address = '', password = '', full_name }) =>
          register(platform, { body: { email: address, password, ...(full_name !== undefined && { full_name }) } })
        }
        done={(_data, values) => {
          setEmail(values['email'] ?? '');
        }}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
        <Field name="full_name" label="Name (optional)" autocomplete="name" maxLength={100} />
        <NewPassword name="password" label="Password" />
      </Form>
      <p>
        You have an account? <Link href="/login">Log in</Link>
      </p>
    </Entrance>
  );
}
