import { expect, it } from 'vitest';
import { checkIdentityProviders } from '../../../../src/platform/server/doctor/identity-provider-checks.js';
import { readSettings } from '../../../../src/platform/server/settings.js';
import { freePort } from '../../../support/free-port.js';
import { startIssuerForTest } from '../../../support/issuer.js';

const client = (name: string): Record<string, string> => ({
  [`AUTH_${name}_CLIENT_ID`]: 'id',
  [`AUTH_${name}_CLIENT_SECRET`]: 'secret',
});

it('doctor says at which identity providers log-ins can begin', async () => {
  const issuer = await startIssuerForTest([]);
  const port = await freePort();
  const findings = await checkIdentityProviders(
    readSettings({
      ...{ ...client('GITLAB'), AUTH_GITLAB_URL: `http://127.0.0.1:${port}` },
      ...{ ...client('OIDC'), AUTH_OIDC_ISSUER: issuer.url, AUTH_OIDC_NAME: 'Example SSO' },
    }),
  );
  const check = 'identity providers';
  expect(findings).toEqual([
    {
      ...{ check, status: 'failed' },
      message: `Log-ins with GitLab cannot begin: connect ECONNREFUSED 127.0.0.1:${port}.`,
      remedy: 'Correct the settings of this provider, or let this machine reach it.',
    },
    { check, status: 'ok', message: `Log-ins with Example SSO begin at ${new URL(issuer.url).host}.`, remedy: null },
  ]);
});
