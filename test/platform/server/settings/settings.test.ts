import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readSettings, settingDescriptions, type PlatformSettings } from '../../../../src/platform/server/settings.js';
import { gitlabAppTable } from '../../../../src/platform/server/settings/gitlab-app-settings.js';
import { identityProviderTable } from '../../../../src/platform/server/settings/identity-provider-settings.js';
import { SettingError } from '../../../../src/platform/server/settings/setting.js';

const hourly = (limit: number): { limit: number; windowSeconds: number } => ({ limit, windowSeconds: 3600 });
const quarterly = (limit: number): { limit: number; windowSeconds: number } => ({ limit, windowSeconds: 900 });

const defaults: PlatformSettings = {
  host: '127.0.0.1',
  port: 8080,
  databaseUri: null,
  analyticsUri: null,
  analyticsQueryTimeoutSeconds: 30,
  analyticsMaxDays: 365,
  persistedQueriesOnly: false,
  home: resolve('.plumbline'),
  appBaseUrl: null,
  mailUrl: null,
  mailFrom: 'Plumbline <no-reply@localhost>',
  trustedProxies: [],
  integrationNetworks: [],
  dnsServers: [],
  integrationsPerOrganization: 50,
  appId: null,
  appPrivateKey: null,
  appSlug: null,
  appClientId: null,
  appClientSecret: null,
  appWebhookSecret: null,
  appUrl: 'https://github.com',
  corsOrigins: [],
  console: true,
  logLevel: 'info',
  logFormat: 'auto',
  metricsToken: null,
  secretsKey: null,
  secretsKeyPrevious: null,
  jwtPrivateKeys: null,
  jwtIssuer: 'plumbline',
  jwtAudience: 'plumbline-api',
  autoCreateOrgOnRegister: true,
  registration: { kind: 'open' },
  identityProviders: [],
  gitlabApp: null,
  bcryptCost: 12,
  bcryptQueue: 64,
  leakedPasswordsUrl: null,
  refreshReuseGraceSeconds: 0,
  replyValidation: 'sampled',
  databaseConnections: 10,
  databaseWaitSeconds: 60,
  syncJobs: 2,
  syncSchedules: true,
  syncRunsPerOrganization: 20,
  syncRunDeadlineSeconds: 43_200,
  syncPeriodDays: 365,
  syncRunRequests: 200_000,
  syncLocalRoot: null,
  syncLocalOrganizations: [],
  workUnitRules: null,
  recordRetentionDays: null,
  auditRetentionDays: null,
  syncRunRetentionDays: 90,
  failedMailRetentionDays: 30,
  shutdownDrainSeconds: 2,
  shutdownDeadlineSeconds: 25,
  rateLimits: {
    AUTH_REGISTER_LIMIT: hourly(3),
    AUTH_REGISTER_ATTEMPT_LIMIT: hourly(60),
    AUTH_VERIFY_LIMIT: hourly(10),
    AUTH_RESEND_LIMIT: hourly(3),
    AUTH_FORGOT_LIMIT: hourly(3),
    AUTH_MAIL_IP_LIMIT: hourly(20),
    AUTH_MAIL_ADDRESS_LIMIT: hourly(10),
    AUTH_CHANGE_PASSWORD_LIMIT: quarterly(10),
    AUTH_LOGIN_ATTEMPT_LIMIT: quarterly(300),
    AUTH_LOGIN_IP_LIMIT: quarterly(100),
    AUTH_LOGIN_LIMIT: quarterly(10),
    AUTH_REFRESH_LIMIT: quarterly(30),
    AUTH_BROWSER_SESSION_LIMIT: quarterly(300),
    AUTH_VALIDATE_LIMIT: quarterly(60),
    AUTH_INVITE_LIMIT: hourly(50),
    ANALYTICS_QUERY_LIMIT: { limit: 600, windowSeconds: 60 },
    SERVICE_TOKEN_LIMIT: { limit: 1200, windowSeconds: 60 },
    AUTH_INVITE_ADDRESS_LIMIT: { limit: 10, windowSeconds: 86_400 },
    INTEGRATION_TEST_LIMIT: { limit: 30, windowSeconds: 60 },
    WEBHOOK_TEST_LIMIT: { limit: 30, windowSeconds: 60 },
    APP_INSTALLATION_LIMIT: hourly(30),
    HOST_EVENT_LIMIT: { limit: 60, windowSeconds: 60 },
    SYNC_REPOSITORIES_LIMIT: { limit: 120, windowSeconds: 60 },
  },
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

/** The settings of an app, which come together. */
const app = {
  GITHUB_APP_ID: '314159',
  GITHUB_APP_PRIVATE_KEY: pem,
  GITHUB_APP_SLUG: 'plumbline-acme',
  GITHUB_APP_CLIENT_ID: 'Iv23liExample',
  GITHUB_APP_CLIENT_SECRET: 'client-secret',
  GITHUB_APP_WEBHOOK_SECRET: 'webhook-secret-1',
};

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(readSettings({})).toEqual(defaults);
  });

  it('are the defaults for variables that are empty', () => {
    const empty = Object.fromEntries(settingDescriptions.map(({ name }) => [name, '']));
    expect(readSettings(empty)).toEqual(defaults);
  });

  it('ignore variables of other programs', () => {
    expect(readSettings({ PATH: '/bin', PORTS: 'many' })).toEqual(defaults);
  });

  const good: readonly (readonly [string, string, Partial<PlatformSettings>])[] = [
    ['HOST', '::', { host: '::' }],
    ['PORT', '0', { port: 0 }],
    ['DATABASE_URI', 'postgresql://u:p@db:5433/name', { databaseUri: 'postgresql://u:p@db:5433/name' }],
    ['ANALYTICS_URI', 'chdb:/var/lib/analytics', { analyticsUri: 'chdb:/var/lib/analytics' }],
    ['ANALYTICS_QUERY_TIMEOUT', '5', { analyticsQueryTimeoutSeconds: 5 }],
    ['ANALYTICS_MAX_DAYS', '1830', { analyticsMaxDays: 1830 }],
    ['PERSISTED_QUERIES_ONLY', 'true', { persistedQueriesOnly: true }],
    ['PLUMBLINE_HOME', 'state', { home: resolve('state') }],
    ['APP_BASE_URL', 'https://app.example.com/base/', { appBaseUrl: 'https://app.example.com/base' }],
    ['MAIL_URL', 'smtps://u:p@mail.example.com', { mailUrl: 'smtps://u:p@mail.example.com' }],
    ['MAIL_FROM', 'Example <a@example.com>', { mailFrom: 'Example <a@example.com>' }],
    ['DNS_SERVERS', '192.0.2.53, [2001:db8::53]:5353', { dnsServers: ['192.0.2.53', '[2001:db8::53]:5353'] }],
    ['INTEGRATION_NETWORKS', '10.1.0.0/16, fd00::/8', { integrationNetworks: ['10.1.0.0/16', 'fd00::/8'] }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, ::1', { trustedProxies: ['10.0.0.0/8', '::1'] }],
    [
      'CORS_ORIGINS',
      'https://a.example, http://b.example:81',
      { corsOrigins: ['https://a.example', 'http://b.example:81'] },
    ],
    ['CONSOLE', 'false', { console: false }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['LOG_FORMAT', 'human', { logFormat: 'human' }],
    ['METRICS_TOKEN', 'scrape', { metricsToken: 'scrape' }],
    ['SECRETS_KEY', Buffer.alloc(32).toString('base64'), { secretsKey: Buffer.alloc(32).toString('base64') }],
    [
      'SECRETS_KEY_PREVIOUS',
      Buffer.alloc(32).toString('base64'),
      { secretsKeyPrevious: Buffer.alloc(32).toString('base64') },
    ],
    ['JWT_PRIVATE_KEYS', '{"keys":[]}', { jwtPrivateKeys: '{"keys":[]}' }],
    ['JWT_ISSUER', 'https://id.example.com', { jwtIssuer: 'https://id.example.com' }],
    ['JWT_AUDIENCE', 'api', { jwtAudience: 'api' }],
    ['AUTH_AUTO_CREATE_ORG_ON_REGISTER', 'False', { autoCreateOrgOnRegister: false }],
    ['AUTH_REGISTRATION', 'invite', { registration: { kind: 'invite' } }],
    ['AUTH_REGISTRATION', 'closed', { registration: { kind: 'closed' } }],
    [
      'AUTH_REGISTRATION',
      'domains: A.example, bücher.example',
      { registration: { kind: 'domains', domains: ['a.example', 'xn--bcher-kva.example'] } },
    ],
    ['AUTH_BCRYPT_COST', '13', { bcryptCost: 13 }],
    ['AUTH_BCRYPT_QUEUE', '0', { bcryptQueue: 0 }],
    ['AUTH_REFRESH_REUSE_GRACE', '10', { refreshReuseGraceSeconds: 10 }],
    ['REPLY_VALIDATION', 'off', { replyValidation: 'off' }],
    ['DATABASE_CONNECTIONS', '40', { databaseConnections: 40 }],
    ['DATABASE_WAIT', '0', { databaseWaitSeconds: 0 }],
    ['SYNC_JOBS', '0', { syncJobs: 0 }],
    ['SYNC_SCHEDULES', 'false', { syncSchedules: false }],
    ['INTEGRATIONS_PER_ORGANIZATION', '3', { integrationsPerOrganization: 3 }],
    ['GITHUB_APP_URL', 'https://ghe.example.com/', { appUrl: 'https://ghe.example.com' }],
    ['SYNC_RUNS_PER_ORGANIZATION', '3', { syncRunsPerOrganization: 3 }],
    ['SYNC_RUN_DEADLINE', '600', { syncRunDeadlineSeconds: 600 }],
    ['SYNC_PERIOD_DAYS', '30', { syncPeriodDays: 30 }],
    ['SYNC_RUN_REQUESTS', '1000', { syncRunRequests: 1000 }],
    ['SYNC_LOCAL_ROOT', '/srv/git', { syncLocalRoot: '/srv/git' }],
    [
      'SYNC_LOCAL_ORGANIZATIONS',
      ' B6D3A7C8-1e2f-4b5a-8c9d-3e4f5a6b7c03, 0b6f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01',
      { syncLocalOrganizations: ['b6d3a7c8-1e2f-4b5a-8c9d-3e4f5a6b7c03', '0b6f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01'] },
    ],
    ['WORK_UNIT_RULES', '/etc/rules.yaml', { workUnitRules: '/etc/rules.yaml' }],
    ['AUTH_LEAKED_PASSWORDS_URL', 'https://leaks.example/', { leakedPasswordsUrl: 'https://leaks.example' }],
    ['RECORD_RETENTION_DAYS', '400', { recordRetentionDays: 400 }],
    ['AUDIT_RETENTION_DAYS', '400', { auditRetentionDays: 400 }],
    ['SYNC_RUN_RETENTION_DAYS', '30', { syncRunRetentionDays: 30 }],
    ['FAILED_MAIL_RETENTION_DAYS', '7', { failedMailRetentionDays: 7 }],
    ['SHUTDOWN_DRAIN', '10', { shutdownDrainSeconds: 10 }],
    ['SHUTDOWN_DEADLINE', '5', { shutdownDeadlineSeconds: 5 }],
    ['AUTH_LOGIN_LIMIT', 'off', { rateLimits: { ...defaults.rateLimits, AUTH_LOGIN_LIMIT: null } }],
    [
      'AUTH_VERIFY_LIMIT',
      '5/minute',
      { rateLimits: { ...defaults.rateLimits, AUTH_VERIFY_LIMIT: { limit: 5, windowSeconds: 60 } } },
    ],
  ];

  it.each(good)('read %s=%s', (name, value, expected) => {
    expect(readSettings({ [name]: value })).toEqual({ ...defaults, ...expected });
  });

  it('are each described once, with its default', () => {
    const names = settingDescriptions.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const ofProviders = Object.values(identityProviderTable).map(({ name }) => name); // see the test of these settings
    const covered = new Set([
      ...good.map(([name]) => name),
      ...ofProviders,
      ...Object.keys(app),
      ...Object.values(gitlabAppTable).map(({ name }) => name),
      ...Object.keys(defaults.rateLimits),
    ]);
    expect(new Set(names)).toEqual(covered);
    for (const { description } of settingDescriptions) expect(description).toMatch(/\.$/);
  });
});

describe('the settings of the application at GitLab', () => {
  const gitlab = { GITLAB_APP_CLIENT_ID: 'the-id', GITLAB_APP_CLIENT_SECRET: 'the-secret' };

  it('are those of gitlab.com without an address, and have webhooks only with a secret', () => {
    const { gitlabApp } = readSettings(gitlab);
    const expected = { url: 'https://gitlab.com', clientId: 'the-id', clientSecret: 'the-secret', webhookSecret: null };
    expect(gitlabApp).toEqual(expected);
    const more = { GITLAB_APP_URL: 'https://git.acme.test/gitlab/', GITLAB_APP_WEBHOOK_SECRET: 'webhook-secret-1' };
    const own = { ...expected, url: 'https://git.acme.test/gitlab', webhookSecret: 'webhook-secret-1' };
    expect(readSettings({ ...gitlab, ...more }).gitlabApp).toEqual(own);
  });

  it.each([
    { GITLAB_APP_CLIENT_ID: 'the-id' },
    { GITLAB_APP_CLIENT_SECRET: 'the-secret' },
    { GITLAB_APP_WEBHOOK_SECRET: 'webhook-secret-1' },
  ])('are refused with %o alone', (environment) => {
    const message = 'GITLAB_APP_CLIENT_ID and GITLAB_APP_CLIENT_SECRET must be set together';
    expect(() => readSettings(environment)).toThrow(new SettingError(message));
  });

  it.each([
    ['GITLAB_APP_URL', 'http://gitlab.example'],
    ['GITLAB_APP_WEBHOOK_SECRET', 'hunter2'],
  ])('are refused with the %s %s', (name, value) => {
    expect(() => readSettings({ ...gitlab, [name]: value })).toThrow(new RegExp(`^${name} must be`));
  });
});

describe('the settings of an app', () => {
  it('are read together, with a private key in one line or in several', () => {
    for (const key of [pem, pem.replaceAll('\n', '\\n')]) {
      const { appPrivateKey, ...others } = readSettings({ ...app, GITHUB_APP_PRIVATE_KEY: key });
      expect(appPrivateKey?.export({ type: 'pkcs1', format: 'pem' })).toBe(pem);
      expect(others).toMatchObject({ appId: '314159', appSlug: 'plumbline-acme', appClientSecret: 'client-secret' });
    }
  });

  it.each(Object.keys(app))('are refused without %s', (name) => {
    const message = `${name} must be set too, because the app at GitHub needs all of its settings`;
    expect(() => readSettings({ ...app, [name]: '' })).toThrow(new SettingError(message));
  });

  it('have no private key in what is printed of them', () => {
    const printed = inspect(readSettings(app), { depth: 9 }) + JSON.stringify(readSettings(app));
    for (const line of pem.trim().split('\n').slice(1, -1)) expect(printed).not.toContain(line);
  });

  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  it.each([
    ['no key', 'hunter2'],
    ['cut', pem.slice(0, 400)],
    ['public', createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()],
    ['weak', weak.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['of another kind', curve.export({ type: 'pkcs8', format: 'pem' }).toString()],
  ])('are refused with a private key that is %s, without repeating it', (_what, key) => {
    const message =
      'GITHUB_APP_PRIVATE_KEY must be an RSA private key in PEM, such as GitHub generates, of at least 2048 bits';
    expect(() => readSettings({ ...app, GITHUB_APP_PRIVATE_KEY: key })).toThrow(new SettingError(message));
  });
});

describe('a wrong setting', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['PORT', 'eighty'],
    ['RECORD_RETENTION_DAYS', '0'],
    ['AUDIT_RETENTION_DAYS', '0'],
    ['SYNC_RUN_RETENTION_DAYS', 'unlimited'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['DATABASE_URI', 'mysql://user:hunter2@db/name'],
    ['DATABASE_URI', 'hunter2'],
    ['APP_BASE_URL', 'app.example.com'],
    ['APP_BASE_URL', 'ftp://app.example.com'],
    ['MAIL_URL', 'https://user:hunter2@mail.example.com'],
    ['MAIL_URL', 'hunter2'],
    ['TRUSTED_PROXIES', 'proxy.example.com'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.1,, 10.0.0.2/x'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://a.example/'],
    ['CONSOLE', 'maybe'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['SECRETS_KEY', 'hunter2'],
    ['SECRETS_KEY', Buffer.alloc(16).toString('base64')],
    ['AUTH_AUTO_CREATE_ORG_ON_REGISTER', 'maybe'],
    ['AUTH_REGISTRATION', 'everybody'],
    ['AUTH_REGISTRATION', 'domains:'],
    ['AUTH_REGISTRATION', 'domains:a.example,,b.example'],
    ['AUTH_REGISTRATION', 'domains:@a.example'],
    ['AUTH_GITHUB_URL', 'http://github.example'],
    ['AUTH_GITLAB_URL', 'https://user:hunter2@gitlab.example'],
    ['AUTH_OIDC_ISSUER', 'http://10.0.0.1'],
    ['AUTH_OIDC_ISSUER', 'https://id.example.com/?a=b'],
    ['AUTH_OIDC_NAME', '<b>name</b>'],
    ['AUTH_MICROSOFT_TENANT', '../common'],
    ['AUTH_BCRYPT_COST', '3'],
    ['AUTH_BCRYPT_COST', '17'],
    ['AUTH_BCRYPT_QUEUE', '-1'],
    ['AUTH_REFRESH_REUSE_GRACE', '301'],
    ['REPLY_VALIDATION', 'sometimes'],
    ['DATABASE_CONNECTIONS', '1'],
    ['DATABASE_WAIT', '3601'],
    ['SHUTDOWN_DEADLINE', '0'],
    ['GITHUB_APP_ID', 'plumbline'],
    ['GITHUB_APP_SLUG', 'https://github.com/apps/plumbline'],
    ['GITHUB_APP_WEBHOOK_SECRET', 'hunter2'],
    ['GITHUB_APP_URL', 'ghe.example.com'],
    ...Object.keys(defaults.rateLimits).map((name) => [name, '3/fortnight'] as const),
  ];

  it.each(wrong)('is refused in one line with its name and the allowed values: %s=%s', (name, value) => {
    let error: unknown = null;
    try {
      readSettings({ [name]: value });
    } catch (cause) {
      error = cause;
    }
    expect(error).toBeInstanceOf(SettingError);
    const { message } = error as SettingError;
    expect(message).toMatch(new RegExp(`^${name} must be [^\\n]+$`));
    expect(message).not.toContain('hunter2');
  });

  it('that may hold a secret is not repeated', () => {
    const key = Buffer.alloc(31, 3).toString('base64');
    expect(() => readSettings({ SECRETS_KEY: key })).not.toThrow(key);
    expect(() => readSettings({ SECRETS_KEY: key })).toThrow('SECRETS_KEY must be 32 bytes in base64');
  });
});
