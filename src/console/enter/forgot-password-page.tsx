import { forgotPassword } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { MailboxLink } from './mailbox-link.js';

/** Asks for a mail with which the password can be reset. */
export default function ForgotPasswordPage(): JSX.Element {
  const [email, setEmail] = useState<string | null>(null);
  if (email !== null) {
    return (
      <Entrance
        title="Look into your mail"
        intro={`If ${email} has an account, a mail is on its way. Its link works for one hour.`}
      >
        <MailboxLink />
        <p>
          <Link href="/login">Log in</Link>
        </p>
      </Entrance>
    );
  }
  return (
    <Entrance title="Reset your password" intro="We send a link to your address, with which you choose a new password.">
      <Form
        button="Send the link"
        send={({ email: address = '' }) => forgotPassword(platform, { body: { email: address } })}
        done={(_data, values) => {
          setEmail(values['email'] ?? '');
        }}
        beside={<Link href="/login">Log in</Link>}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
      </Form>
    </Entrance>
  );
}
