import { loginBySso } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useParams } from 'wouter-preact';
import { platform } from '../session/session.js';
import { CallbackPage } from './callback-page.js';

/** Where the identity provider of an organization sends the browser: completes the log-in, or the link to the account. */
export default function SsoCallbackPage(): JSX.Element {
  const { organization } = useParams<{ organization: string }>();
  return (
    <CallbackPage
      name="SSO"
      complete={(callback) => loginBySso(platform, { params: { sso_org_id: organization }, body: { callback } })}
      linkPage={`/account?sso=${organization}`}
      startPage={`/login/sso/${organization}`}
    />
  );
}
