import { disownAccount } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { ThisWasNotMe } from './this-was-not-me.js';

/** Where "this was not me" in a verification mail leads: deletes the account. */
export default function NotMePage(): JSX.Element {
  return (
    <ThisWasNotMe
      intro="Somebody created an account with your e-mail address and chose its password. If that was not you, delete the account here."
      button="Delete the account"
      send={(token) => disownAccount(platform, { body: { token } })}
      done={{ title: 'This was not you', text: 'Your address is free again. You need to do nothing else.' }}
    >
      The account and the organization that was created with it are deleted at once. A verified account is never deleted
      this way.
    </ThisWasNotMe>
  );
}
