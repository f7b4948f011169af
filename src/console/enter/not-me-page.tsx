import { disownAccount } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { useOneTimeToken } from './one-time-token.js';

/**
 * Where "this was not me" in a verification mail leads: deletes the account. It waits for a click, because mail
 * scanners and previews open links too.
 */
export default function NotMePage(): JSX.Element {
  const token = useOneTimeToken();
  const [message, setMessage] = useState<string | null>(null);
  if (message !== null) {
    return (
      <Entrance title="This was not you">
        <div class="banner good" role="status">
          <p>{message}</p>
        </div>
        <p>Your address is free again. You need to do nothing else.</p>
      </Entrance>
    );
  }
  if (token === '') {
    return (
      <Entrance title="This was not you?">
        <p>Open the link of the mail again.</p>
        <p>
          <Link href="/login">Log in</Link>
        </p>
      </Entrance>
    );
  }
  return (
    <Entrance
      title="This was not you?"
      intro="Somebody created an account with your e-mail address and chose its password. If that was not you, delete the account here."
    >
      <Form
        button="Delete the account"
        send={() => disownAccount(platform, { body: { token } })}
        done={(data) => {
          setMessage(data.message);
        }}
        beside={<Link href="/login">It was me: log in</Link>}
      >
        <p class="small muted">
          The account and the organization that was created with it are deleted at once. A verified account is never
          deleted this way.
        </p>
      </Form>
    </Entrance>
  );
}
