import { resendVerification } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { MailboxLink } from './mailbox-link.js';

/** Asks to open the link of the verification mail, and sends it again. */
export function CheckMail({ email }: { email: string }): JSX.Element {
  const [isSentAgain, setSentAgain] = useState(false);
  return (
    <Entrance title="Look into your mail" intro={`We have sent a link to ${email}. Open it to verify your address.`}>
      <MailboxLink />
      {isSentAgain && (
        <div class="banner good" role="status">
          <p>A new mail is on its way. Its link replaces the one before.</p>
        </div>
      )}
      <Form
        button="Send the mail again"
        send={() => resendVerification(platform, { body: { email } })}
        done={() => {
          setSentAgain(true);
        }}
        beside={<Link href="/login">Log in</Link>}
      >
        <p class="small muted">No mail? Look into the spam folder. The link works for 24 hours.</p>
      </Form>
    </Entrance>
  );
}
