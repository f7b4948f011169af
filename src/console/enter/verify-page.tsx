import { unwrap } from '@plumbline/sdk';
import { resendVerification, verifyEmail } from '@plumbline/sdk/platform';
import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';
import { View } from '../ui/view.js';
import { MailboxLink } from './mailbox-link.js';
import { useOneTimeToken } from './one-time-token.js';

/** Where the link of a verification mail leads: redeems its token, once. */
export default function VerifyPage(): JSX.Element {
  const token = useOneTimeToken();
  const verification = useQuery({
    queryKey: ['verification', token],
    queryFn: async () => unwrap(await verifyEmail(platform, { query: { token } })),
    enabled: token !== '',
    staleTime: Infinity, // the token works once
  });
  return (
    <Entrance title="Verify your address">
      {token === '' ? (
        <p>Open the link of the mail again, or ask for a new one.</p>
      ) : (
        <View query={verification} what="the verification">
          {({ message }) => (
            <>
              <div class="banner good" role="status">
                <p>{message}</p>
              </div>
              <div class="actions">
                <Link href="/login" class="button primary">
                  Log in
                </Link>
              </div>
            </>
          )}
        </View>
      )}
      {(token === '' || verification.isError) && <AskAgain />}
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
