import { resendVerification, verifyEmail } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { MailboxLink } from './mailbox-link.js';
import { useOneTimeToken } from './one-time-token.js';

/**
 * Where the link of a verification mail leads: redeems its token. It waits for a click, because mail scanners open links
 * and run the scripts of the page; otherwise a scanner would verify an account that a stranger registered.
 */
export default function VerifyPage(): JSX.Element {
  const token = useOneTimeToken();
  const [message, setMessage] = useState<string | null>(null);
  const [isRefused, setRefused] = useState(false);
  if (message !== null) {
    return (
      <Entrance title="Your address is verified">
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
  if (token === '') {
    return (
      <Entrance title="Verify your address">
        <p>Open the link of the mail again, or ask for a new one.</p>
        <AskAgain />
      </Entrance>
    );
  }
  return (
    <Entrance title="Verify your address" intro="Confirm that you created an account with this e-mail address.">
      <Form
        button="Verify the address"
        send={async () => {
          const result = await verifyEmail(platform, { query: { token } });
          setRefused(result.status === 400);
          return result;
        }}
        done={(data) => {
          setMessage(data.message);
        }}
      >
        <p class="small muted">
          You did not create an account? Leave this page, and choose “this was not me” in the mail.
        </p>
      </Form>
      {isRefused && (
        <>
          <h2>Ask for a new mail</h2>
          <AskAgain />
        </>
      )}
    </Entrance>
  );
}

function AskAgain(): JSX.Element {
  const [isSent, setSent] = useState(false);
  if (isSent) {
    return (
      <>
        <div class="banner good" role="status">
          <p>If the address waits for verification, a new mail is on its way.</p>
        </div>
        <MailboxLink />
      </>
    );
  }
  return (
    <Form
      button="Send a new mail"
      send={({ email = '' }) => resendVerification(platform, { body: { email } })}
      done={() => {
        setSent(true);
      }}
      beside={<Link href="/login">Log in</Link>}
    >
      <Field name="email" label="E-mail address" type="email" autocomplete="username" required />
    </Form>
  );
}
