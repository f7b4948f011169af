import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../src/platform/server/settings.js';
import { settingsEnvironment } from '../../../../src/platform/server/settings/settings-environment.js';

const client = (name: string): Record<string, string> => ({
  [`AUTH_${name}_CLIENT_ID`]: `id of ${name}`,
  [`AUTH_${name}_CLIENT_SECRET`]: `secret of ${name}`,
});

describe('the settings of identity providers', () => {
  it('name the providers in the order in which they are offered', () => {
    const names = ['OIDC', 'MICROSOFT', 'GOOGLE', 'GITLAB', 'GITHUB'];
    const environment = Object.assign(
      { AUTH_OIDC_ISSUER: 'https://id.example/realms/a/' },
      ...names.map(client),
    ) as Record<string, string>;
    const untrusted = { vouchesForAddresses: false };
    expect(readSettings(environment).identityProviders).toEqual([
      { ...{ id: 'github', name: 'GitHub', url: 'https://github.com' }, ...untrusted, ...credentialsOf('GITHUB') },
      { ...{ id: 'gitlab', name: 'GitLab', url: 'https://gitlab.com' }, ...untrusted, ...credentialsOf('GITLAB') },
      {
        ...{ id: 'google', name: 'Google', url: 'https://accounts.google.com' },
        ...untrusted,
        ...credentialsOf('GOOGLE'),
      },
      {
        ...{ id: 'microsoft', name: 'Microsoft', url: 'https://login.microsoftonline.com/common/v2.0' },
        ...untrusted,
        ...credentialsOf('MICROSOFT'),
      },
      // Issuers are compared as they are written, so the last slash stays.
      {
        ...{ id: 'oidc', name: 'single sign-on', url: 'https://id.example/realms/a/' },
        ...untrusted,
        ...credentialsOf('OIDC'),
      },
    ]);
  });

  it('trust the addresses of a tenant of Microsoft that is named, and of no open one', () => {
    const trustOf = (tenant: string): boolean | undefined =>
      readSettings({ ...client('MICROSOFT'), AUTH_MICROSOFT_TENANT: tenant }).identityProviders[0]?.vouchesForAddresses;
    expect(['contoso.example', 'common', 'organizations', 'consumers'].map(trustOf)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('allow plain http on this machine only', () => {
    for (const host of ['localhost', '127.0.0.1:8090', '[::1]']) {
      const settings = readSettings({ ...client('OIDC'), AUTH_OIDC_ISSUER: `http://${host}` });
      expect(settings.identityProviders).toMatchObject([{ url: `http://${host}` }]);
    }
    expect(() => readSettings({ AUTH_OIDC_ISSUER: 'http://127.0.0.1.evil.example' })).toThrow('must be an https URL');
  });

  it.each([
    [{ AUTH_GITHUB_CLIENT_ID: 'a' }, 'AUTH_GITHUB_CLIENT_ID and AUTH_GITHUB_CLIENT_SECRET must be set together'],
    [{ AUTH_GOOGLE_CLIENT_SECRET: 'a' }, 'AUTH_GOOGLE_CLIENT_ID and AUTH_GOOGLE_CLIENT_SECRET must be set together'],
    [{ AUTH_OIDC_ISSUER: 'https://id.example' }, 'AUTH_OIDC_ISSUER and AUTH_OIDC_CLIENT_ID must be set together'],
    [client('OIDC'), 'AUTH_OIDC_ISSUER and AUTH_OIDC_CLIENT_ID must be set together'],
  ])('are refused in part: %j', (environment, message) => {
    expect(() => readSettings(environment)).toThrow(message);
  });

  it('can read secrets from files', async () => {
    const environment = { AUTH_GITHUB_CLIENT_ID: 'a', AUTH_GITHUB_CLIENT_SECRET_FILE: '/nonexistent' };
    await expect(settingsEnvironment(environment)).rejects.toThrow('AUTH_GITHUB_CLIENT_SECRET_FILE names /nonexistent');
  });
});

function credentialsOf(name: string): { readonly clientId: string; readonly clientSecret: string } {
  return { clientId: `id of ${name}`, clientSecret: `secret of ${name}` };
}
