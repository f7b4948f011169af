import { secureAccount } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { ThisWasNotMe } from './this-was-not-me.js';

/** Where "this was not me" in a mail about the security of an account leads: secures it. */
export default function SecureAccountPage(): JSX.Element {
  return (
    <ThisWasNotMe
      intro="If somebody else may be using your account, take it back here."
      button="Secure my account"
      send={(token) => secureAccount(platform, { body: { token } })}
      done={{
        title: 'Your account is secured',
        text: 'Check your inbox. Afterwards look at the activity of your account for what else was done with it.',
      }}
    >
      All sessions of your account end, also yours, and its password is no longer valid. Service tokens that were
      created or rotated with it since the mail are revoked. You get a mail with which you choose a new password.
    </ThisWasNotMe>
  );
}
