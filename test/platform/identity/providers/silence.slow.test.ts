import { expect, it, onTestFinished } from 'vitest';
import { startIssuerForTest } from '../../../support/issuer.js';
import { begin, complete, goesTo, newAccount, redirectUriOf, startPlatformFor } from './requests.js';

it.each(['/token', '/.well-known/openid-configuration'])(
  'a provider that says nothing at %s is 502 after 10 seconds',
  async (path) => {
    const issuer = await startIssuerForTest([redirectUriOf('oidc')]);
    const platform = await startPlatformFor(issuer);
    onTestFinished(() => platform.stop());
    issuer.account = newAccount();
    const { url, cookie } = await begin(platform);
    const callback = (await issuer.authorize(url.href)).search.slice(1);
    issuer.fault = (request) => goesTo(request, path); // the request stays open
    const reply = await complete(platform, callback, { cookie });
    expect(reply).toMatchObject({ status: 502, body: { type: '/problems/identity-provider-failed' } });
    expect(platform.logLines.join('\n')).toContain('no reply within 10 s');
  },
);
