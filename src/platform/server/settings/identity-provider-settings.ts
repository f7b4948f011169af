/** The settings of identity providers, and what they configure. */
import { optional, read, secret, setting, SettingError } from './setting.js';
import { issuerUrl, microsoftTenant, shortName, text } from './setting-values.js';

/** An identity provider with which people can log in. */
export interface IdentityProviderSettings {
  readonly id: 'github' | 'gitlab' | 'google' | 'microsoft' | 'oidc';
  /** For people. */
  readonly name: string;
  /** The issuer; for GitHub the address of its pages. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whether the issuer vouches for all of its addresses, and does not have to say of each that it is verified. */
  readonly vouchesForAddresses: boolean;
}

const clientIdNote = 'Set it together with the client secret. The redirect address is APP_BASE_URL/login/callback/';

export const identityProviderTable = {
  githubId: optional('AUTH_GITHUB_CLIENT_ID', 'off', text, `Log-in with GitHub: the client id. ${clientIdNote}github.`),
  githubSecret: secret('AUTH_GITHUB_CLIENT_SECRET', 'off', text, 'Log-in with GitHub: the client secret.'),
  githubUrl: setting(
    'AUTH_GITHUB_URL',
    'https://github.com',
    issuerUrl,
    'Log-in with GitHub: the address of a GitHub Enterprise Server.',
  ),
  gitlabId: optional('AUTH_GITLAB_CLIENT_ID', 'off', text, `Log-in with GitLab: the client id. ${clientIdNote}gitlab.`),
  gitlabSecret: secret('AUTH_GITLAB_CLIENT_SECRET', 'off', text, 'Log-in with GitLab: the client secret.'),
  gitlabUrl: setting(
    'AUTH_GITLAB_URL',
    'https://gitlab.com',
    issuerUrl,
    'Log-in with GitLab: the address of a self-managed GitLab.',
  ),
  googleId: optional('AUTH_GOOGLE_CLIENT_ID', 'off', text, `Log-in with Google: the client id. ${clientIdNote}google.`),
  googleSecret: secret('AUTH_GOOGLE_CLIENT_SECRET', 'off', text, 'Log-in with Google: the client secret.'),
  microsoftId: optional(
    'AUTH_MICROSOFT_CLIENT_ID',
    'off',
    text,
    `Log-in with Microsoft: the client id. ${clientIdNote}microsoft.`,
  ),
  microsoftSecret: secret('AUTH_MICROSOFT_CLIENT_SECRET', 'off', text, 'Log-in with Microsoft: the client secret.'),
  microsoftTenant: setting(
    'AUTH_MICROSOFT_TENANT',
    'common',
    microsoftTenant,
    'Log-in with Microsoft: the id or domain of the tenant, whose addresses are trusted, or common, organizations or consumers. Of those, only addresses with the claim xms_edov are trusted.',
  ),
  oidcIssuer: optional(
    'AUTH_OIDC_ISSUER',
    'off',
    issuerUrl,
    'Log-in with an OpenID Connect provider: its issuer, such as https://id.example.com/realms/main. Its metadata is read from there.',
  ),
  oidcId: optional(
    'AUTH_OIDC_CLIENT_ID',
    'off',
    text,
    `Log-in with an OpenID Connect provider: the client id. ${clientIdNote}oidc.`,
  ),
  oidcSecret: secret('AUTH_OIDC_CLIENT_SECRET', 'off', text, 'Log-in with an OpenID Connect provider: the secret.'),
  oidcName: setting('AUTH_OIDC_NAME', 'single sign-on', shortName, 'What the button for AUTH_OIDC_ISSUER calls it.'),
} as const;

/** The tenants of Microsoft that are open to accounts of any tenant. */
const openTenants = ['common', 'organizations', 'consumers'];

/**
 * The providers that the environment configures, in the order in which they are offered.
 *
 * @throws SettingError when only a part of the settings of a provider is set
 */
export function identityProvidersOf(
  environment: Readonly<Record<string, string | undefined>>,
): readonly IdentityProviderSettings[] {
  const table = identityProviderTable;
  const tenant = read(table.microsoftTenant, environment);
  const client = (
    idSetting: typeof table.githubId,
    secretSetting: typeof table.githubSecret,
  ): Pick<IdentityProviderSettings, 'clientId' | 'clientSecret'> | null => {
    const [clientId, clientSecret] = [read(idSetting, environment), read(secretSetting, environment)];
    if (clientId !== null && clientSecret !== null) return { clientId, clientSecret };
    if (clientId === null && clientSecret === null) return null;
    throw new SettingError(`${idSetting.name} and ${secretSetting.name} must be set together`);
  };
  const oidcClient = client(table.oidcId, table.oidcSecret);
  const issuer = read(table.oidcIssuer, environment);
  if ((oidcClient === null) !== (issuer === null)) {
    throw new SettingError(`${table.oidcIssuer.name} and ${table.oidcId.name} must be set together`);
  }
  const url = {
    github: read(table.githubUrl, environment),
    gitlab: read(table.gitlabUrl, environment),
    google: 'https://accounts.google.com',
    microsoft: `https://login.microsoftonline.com/${tenant}/v2.0`,
    oidc: issuer ?? '',
  };
  const vouches = { vouchesForAddresses: !openTenants.includes(tenant) };
  const only = { vouchesForAddresses: false };
  const providers: readonly (Omit<IdentityProviderSettings, 'clientId' | 'clientSecret'> & {
    readonly client: ReturnType<typeof client>;
  })[] = [
    { id: 'github', name: 'GitHub', url: url.github, ...only, client: client(table.githubId, table.githubSecret) },
    { id: 'gitlab', name: 'GitLab', url: url.gitlab, ...only, client: client(table.gitlabId, table.gitlabSecret) },
    { id: 'google', name: 'Google', url: url.google, ...only, client: client(table.googleId, table.googleSecret) },
    {
      ...{ id: 'microsoft', name: 'Microsoft', url: url.microsoft, ...vouches },
      client: client(table.microsoftId, table.microsoftSecret),
    },
    { id: 'oidc', name: read(table.oidcName, environment), url: url.oidc, ...only, client: oidcClient },
  ];
  return providers.flatMap(({ client: credentials, ...provider }) =>
    credentials === null ? [] : [{ ...provider, ...credentials }],
  );
}
