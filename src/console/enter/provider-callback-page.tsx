import { loginByProvider } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useParams } from 'wouter-preact';
import { platform } from '../session/session.js';
import { CallbackPage } from './callback-page.js';
import { providerName } from './identity-providers.js';

/** Where identity providers send the browser: completes the log-in, or the link of an identity to the account. */
export default function ProviderCallbackPage(): JSX.Element {
  const { provider } = useParams<{ provider: string }>();
  return (
    <CallbackPage
      name={providerName(provider)}
      complete={(callback) => loginByProvider(platform, { params: { provider }, body: { callback } })}
      linkPage={`/account?link=${provider}`}
      startPage="/login"
    />
  );
}
