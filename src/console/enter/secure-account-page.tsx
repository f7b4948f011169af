import { secureAccount } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Form } from '../ui/form.js';
import { useOneTimeToken } from './one-time-token.js';

/**
 * Where "this was not me" in a mail about the security of an account leads: secures it. It waits for a click, because
 * mail scanners and previews open links too.
 */
export default function SecureAccountPage(): JSX.Element {
  const token = useOneTimeToken();
  const [message, setMessage] = useState<string | null>(null);
  if (message !== null) {
    return (
      <Entrance title="Your account is secured">
        <div class="banner good" role="status">
          <p>{message}</p>
        </div>
        <p>Check your inbox. Afterwards look at the activity of your account for what else was done with it.</p>
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
    <Entrance title="This was not you?" intro="If somebody else may be using your account, take it back here.">
      <Form
        button="Secure my account"
        send={() => secureAccount(platform, { body: { token } })}
        done={(data) => {
          setMessage(data.message);
        }}
        beside={<Link href="/login">It was me: log in</Link>}
      >
        <p class="small muted">
          All sessions of your account end, also yours, and its password is no longer valid. You get a mail with which
          you choose a new one.
        </p>
      </Form>
    </Entrance>
  );
}
