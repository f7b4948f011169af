import { cancelEmailChange, verifyEmailChange } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { useOneTimeToken } from './one-time-token.js';

/**
 * Where the links in the mails about a change of an address lead: confirms or refuses the change. It waits for a click,
 * because mail scanners and previews open links too.
 */
export default function ConfirmEmailPage(): JSX.Element {
  const token = useOneTimeToken();
  const [message, setMessage] = useState<string | null>(null);
  const done = (data: { readonly message: string }): void => {
    setMessage(data.message);
    void queries.invalidateQueries({ queryKey: ['me'] }); // somebody may be logged in here
  };
  if (message !== null || token === '') {
    return (
      <Entrance title="Change of an e-mail address">
        {message === null ? (
          <p>Open the link of the mail again.</p>
        ) : (
          <div class="banner good" role="status">
            <p>{message}</p>
          </div>
        )}
        <p>
          <Link href="/account">Go to the account</Link>
        </p>
      </Entrance>
    );
  }
  return (
    <Entrance
      title="Change of an e-mail address"
      intro="Somebody asked to change the address of a Plumbline account. It changes when both addresses have confirmed."
    >
      <Form button="Confirm the change" send={() => verifyEmailChange(platform, { body: { token } })} done={done}>
        <p class="small muted">Confirm only if you asked for it.</p>
      </Form>
      <h2>This was not you?</h2>
      <Form button="Refuse the change" send={() => cancelEmailChange(platform, { body: { token } })} done={done}>
        <p class="small muted">
          The account keeps its address. If the account is yours, somebody knows its password:{' '}
          <Link href="/forgot-password">choose a new one</Link>.
        </p>
      </Form>
    </Entrance>
  );
}
