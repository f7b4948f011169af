/** Every setting of a server: its variable, default, parser, and description in the README. */
import { resolve } from 'node:path';
import { registrationPolicy } from '../../identity/auth/registration-policy.js';
import type { RateLimitRule } from '../rate-limits/rate-limit-rule.js';
import { appSettingsTable } from './app-settings.js';
import { optional, rateLimit, secret, setting, type Setting } from './setting.js';
import {
  addressList,
  dnsServerList,
  analyticsUri,
  boolean,
  httpUrl,
  oneOf,
  originList,
  postgresUri,
  secretsKey,
  smtpUrl,
  text,
  uuidList,
  wholeNumber,
} from './setting-values.js';

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const logFormats = ['auto', 'human', 'json'] as const;
export const replyValidations = ['always', 'sampled', 'off'] as const;

/** The keys are those of `PlatformSettings`. */
export const settingsTable = {
  host: setting('HOST', '127.0.0.1', text, 'Address to listen on.'),
  port: setting('PORT', '8080', wholeNumber(0, 65_535), 'TCP port to listen on; 0 picks a free one.'),
  databaseUri: secret(
    'DATABASE_URI',
    'embedded',
    postgresUri,
    'PostgreSQL 15 or later, as postgres://user:password@host:5432/name. With standbys: postgres://user:password@one:5432,two:5432/name. Behind a pooler in transaction mode, append ?pooler=transaction. Unset: an embedded PostgreSQL under PLUMBLINE_HOME.',
  ),
  analyticsUri: secret(
    'ANALYTICS_URI',
    'the same database',
    analyticsUri,
    'Store of the analytics: postgres://, clickhouse://, chdb: with a folder, or sqlite: with a file. A ClickHouse cluster: clickhouse://one,two/name?cluster=NAME. To read from a standby: postgres://user:password@one:5432,two:5432/name?target_session_attrs=prefer-standby. Unset: the database of DATABASE_URI.',
  ),
  analyticsQueryTimeoutSeconds: setting(
    'ANALYTICS_QUERY_TIMEOUT',
    '30',
    wholeNumber(1, 3600),
    'Seconds that one query of the analytics may take.',
  ),
  analyticsMaxDays: setting(
    'ANALYTICS_MAX_DAYS',
    '365',
    wholeNumber(1, 36_500),
    'Maximum number of days in a date range of the analytics. A year from 1 January to 31 December counts as 365 days.',
  ),
  persistedQueriesOnly: setting(
    'PERSISTED_QUERIES_ONLY',
    'false',
    boolean,
    'true: the Analytics API accepts persisted queries only.',
  ),
  home: setting(
    'PLUMBLINE_HOME',
    '.plumbline',
    (value) => resolve(value),
    'Folder of the embedded database, the generated secrets key and the mailbox.',
  ),
  appBaseUrl: optional(
    'APP_BASE_URL',
    'as HOST and PORT',
    httpUrl,
    'Where the links in mails lead. Unset: the address at which the server listens.',
  ),
  mailUrl: secret(
    'MAIL_URL',
    'mailbox folder',
    smtpUrl,
    'Mail server, as smtp://user:password@host:587 or smtps://. Unset: each mail becomes an .eml file in PLUMBLINE_HOME/mailbox, and its link is logged unless APP_BASE_URL is public.',
  ),
  mailFrom: setting('MAIL_FROM', 'Plumbline <no-reply@localhost>', text, 'Sender of mails.'),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    addressList,
    'Addresses and networks (CIDR), separated by commas, of proxies whose X-Forwarded-For is believed. Its addresses may have ports.',
  ),
  integrationNetworks: setting(
    'INTEGRATION_NETWORKS',
    '',
    addressList,
    'Networks (CIDR), separated by commas, in which code hosts of organizations and the URLs of their webhooks may be, such as 10.1.0.0/16. Others must have public addresses.',
  ),
  dnsServers: setting(
    'DNS_SERVERS',
    '',
    dnsServerList,
    'DNS servers, separated by commas, that are asked for the TXT records of domains for SSO, such as 192.0.2.53 or 192.0.2.53:5353. Unset: those of the system.',
  ),
  integrationsPerOrganization: setting(
    'INTEGRATIONS_PER_ORGANIZATION',
    '50',
    wholeNumber(1, 10_000),
    'Maximum number of integrations of an organization; further ones are refused (409).',
  ),
  ...appSettingsTable,
  corsOrigins: setting('CORS_ORIGINS', '', originList, 'Origins, separated by commas, from which browsers may call.'),
  console: setting('CONSOLE', 'true', boolean, 'false: the web console is not served.'),
  logLevel: setting('LOG_LEVEL', 'info', oneOf(logLevels), `One of ${logLevels.join(', ')}.`),
  logFormat: setting(
    'LOG_FORMAT',
    'auto',
    oneOf(logFormats),
    'Format of the log: human, json, or auto, which is human on a terminal and json elsewhere.',
  ),
  metricsToken: secret(
    'METRICS_TOKEN',
    'none',
    text,
    'Bearer token for /metrics. Programs on this machine that call a loopback name directly need none.',
  ),
  secretsKey: secret(
    'SECRETS_KEY',
    'generated',
    secretsKey,
    '32 bytes in base64, the key that encrypts secrets in the database. Set it when several servers share a database. Unset: generated and kept in PLUMBLINE_HOME.',
  ),
  secretsKeyPrevious: secret(
    'SECRETS_KEY_PREVIOUS',
    'none',
    secretsKey,
    'The key before SECRETS_KEY, which still opens what it has encrypted. Remove it after `plumbline keys reseal`.',
  ),
  jwtPrivateKeys: secret(
    'JWT_PRIVATE_KEYS',
    'generated',
    text,
    'JWK set of ES256 private keys; the first one signs. Unset: generated, and stored encrypted in the database.',
  ),
  jwtIssuer: setting('JWT_ISSUER', 'plumbline', text, 'The `iss` of tokens.'),
  jwtAudience: setting('JWT_AUDIENCE', 'plumbline-api', text, 'The `aud` of tokens.'),
  autoCreateOrgOnRegister: setting(
    'AUTH_AUTO_CREATE_ORG_ON_REGISTER',
    'true',
    boolean,
    'true: registration also creates an organization. false: guided onboarding does.',
  ),
  registration: setting(
    'AUTH_REGISTRATION',
    'open',
    registrationPolicy,
    'Who can register: open, everybody; invite, people with an invite; domains:a.example,b.example, also people with an address there; closed, nobody. With invite and closed, only superusers create further organizations.',
  ),
  bcryptCost: setting('AUTH_BCRYPT_COST', '12', wholeNumber(4, 16), 'Work factor of password hashes.'),
  bcryptQueue: setting(
    'AUTH_BCRYPT_QUEUE',
    '64',
    wholeNumber(0, 10_000),
    'Maximum number of password computations that wait for a free core; further logins are answered 503.',
  ),
  leakedPasswordsUrl: optional(
    'AUTH_LEAKED_PASSWORDS_URL',
    'off',
    httpUrl,
    'Address of a service that knows leaked passwords, such as https://api.pwnedpasswords.com. New passwords are looked up there by the first 5 digits of their SHA-1.',
  ),
  refreshReuseGraceSeconds: setting(
    'AUTH_REFRESH_REUSE_GRACE',
    '0',
    wholeNumber(0, 300),
    'Seconds during which reuse of a refresh token returns the same successor again instead of ending the session.',
  ),
  replyValidation: setting(
    'REPLY_VALIDATION',
    'sampled',
    oneOf(replyValidations),
    'Which replies are validated against the contract: always (a wrong one becomes a 500), sampled (one in a hundred; a wrong one is logged, counted and sent) or off.',
  ),
  databaseConnections: setting(
    'DATABASE_CONNECTIONS',
    '10',
    wholeNumber(2, 1000),
    'Maximum number of database connections.',
  ),
  databaseWaitSeconds: setting(
    'DATABASE_WAIT',
    '60',
    wholeNumber(0, 3600),
    'Seconds that a starting server waits for a database that does not answer yet.',
  ),
  syncJobs: setting(
    'SYNC_JOBS',
    '2',
    wholeNumber(0, 64),
    'Maximum number of concurrent sync runs of this server; 0 leaves them to other servers.',
  ),
  syncSchedules: setting(
    'SYNC_SCHEDULES',
    'true',
    boolean,
    'false: this server starts no sync runs by schedule; it leaves them to other servers.',
  ),
  syncRunsPerOrganization: setting(
    'SYNC_RUNS_PER_ORGANIZATION',
    '20',
    wholeNumber(1, 10_000),
    'Maximum number of pending and running sync runs of an organization; further ones are refused (409).',
  ),
  syncRunDeadlineSeconds: setting(
    'SYNC_RUN_DEADLINE',
    '43200',
    wholeNumber(1, 2_592_000),
    'Time limit of an attempt of a sync run, in seconds. It ends the run; the next run resumes from there.',
  ),
  syncPeriodDays: setting(
    'SYNC_PERIOD_DAYS',
    '365',
    wholeNumber(1, 36_500),
    'How many days before it the first sync of a repository reads, with the changed files of all commits. Later ones continue from there. Another number reads everything again.',
  ),
  syncRunRequests: setting(
    'SYNC_RUN_REQUESTS',
    '200000',
    wholeNumber(1, 1_000_000_000),
    'Maximum number of requests of an attempt of a sync run to its code host. It ends the run; the next run resumes from there.',
  ),
  syncLocalRoot: optional(
    'SYNC_LOCAL_ROOT',
    'none',
    (value) => resolve(value),
    'Folder of the server whose git repositories the organizations of SYNC_LOCAL_ORGANIZATIONS may read with the provider local.',
  ),
  syncLocalOrganizations: setting(
    'SYNC_LOCAL_ORGANIZATIONS',
    '',
    uuidList,
    'Ids of organizations, separated by commas, that may read the repositories below SYNC_LOCAL_ROOT. The console shows the id of an organization on its page Organization.',
  ),
  workUnitRules: optional(
    'WORK_UNIT_RULES',
    'built in',
    (value) => resolve(value),
    'Rules file that syncs use to classify work units.',
  ),
  recordRetentionDays: optional(
    'RECORD_RETENTION_DAYS',
    'unlimited',
    wholeNumber(1, 36_500),
    'Of how many days before today records of syncs and pushes, and their work units, are kept. Servers delete older ones once a day, and syncs do not read them. Unset: they are kept.',
  ),
  auditRetentionDays: optional(
    'AUDIT_RETENTION_DAYS',
    'unlimited',
    wholeNumber(1, 36_500),
    'Age in days at which audit records are deleted. Servers delete old data every hour. Unset: they are kept.',
  ),
  syncRunRetentionDays: setting(
    'SYNC_RUN_RETENTION_DAYS',
    '90',
    wholeNumber(1, 36_500),
    'Days after the end of a sync run at which it is deleted. The last run of each configuration stays.',
  ),
  failedMailRetentionDays: setting(
    'FAILED_MAIL_RETENTION_DAYS',
    '30',
    wholeNumber(1, 36_500),
    'Days after which mails and webhook deliveries that were given up are deleted.',
  ),
  shutdownDrainSeconds: setting(
    'SHUTDOWN_DRAIN',
    '2',
    wholeNumber(0, 600),
    'Seconds after SIGTERM during which requests are still accepted while readiness answers 503, so that load balancers notice. Ctrl-C (SIGINT) does not wait.',
  ),
  shutdownDeadlineSeconds: setting(
    'SHUTDOWN_DEADLINE',
    '25',
    wholeNumber(1, 3600),
    'Seconds after SIGTERM, or after SHUTDOWN_DRAIN, at which running requests and syncs are cut off.',
  ),
} as const;

export const rateLimitTable: readonly Setting<RateLimitRule | null>[] = [
  rateLimit('AUTH_REGISTER_LIMIT', '3/hour', 'registrations per IP; those refused with 422 do not count'),
  rateLimit('AUTH_REGISTER_ATTEMPT_LIMIT', '60/hour', 'attempts to register per IP, whatever their reply'),
  rateLimit(
    'AUTH_VERIFY_LIMIT',
    '10/hour',
    'verifications per IP, of disowned and secured accounts, and of changed addresses',
  ),
  rateLimit('AUTH_RESEND_LIMIT', '3/hour', 'new verification mails per IP and e-mail'),
  rateLimit('AUTH_FORGOT_LIMIT', '3/hour', 'password reset mails per IP and e-mail'),
  rateLimit('AUTH_MAIL_IP_LIMIT', '20/hour', 'mails with links that callers ask for, together per IP'),
  rateLimit('AUTH_MAIL_ADDRESS_LIMIT', '10/hour', 'mails with links that callers ask for, per e-mail and kind of mail'),
  rateLimit(
    'AUTH_CHANGE_PASSWORD_LIMIT',
    '10/15m',
    'requests with the current password per user, such as password changes',
  ),
  rateLimit('AUTH_LOGIN_ATTEMPT_LIMIT', '300/15m', 'logins per IP, whatever their reply'),
  rateLimit('AUTH_LOGIN_IP_LIMIT', '100/15m', 'failed logins per IP'),
  rateLimit('AUTH_LOGIN_LIMIT', '10/15m', 'failed logins per e-mail'),
  rateLimit('AUTH_REFRESH_LIMIT', '30/15m', 'token refreshes per session, or per IP for invalid tokens'),
  // Each page load of the console refreshes once, and a whole office may share one address.
  rateLimit(
    'AUTH_BROWSER_SESSION_LIMIT',
    '300/15m',
    'starts and refreshes per browser session, or per IP without a valid one',
  ),
  rateLimit('AUTH_VALIDATE_LIMIT', '60/15m', 'token validations per IP'),
  rateLimit('AUTH_INVITE_LIMIT', '50/hour', 'new invites per user'),
  rateLimit('ANALYTICS_QUERY_LIMIT', '600/minute', 'GraphQL queries per user or service token'),
  rateLimit('SERVICE_TOKEN_LIMIT', '1200/minute', 'requests per service token, over all operations'),
  rateLimit('AUTH_INVITE_ADDRESS_LIMIT', '10/day', 'new invites per invited e-mail'),
  rateLimit('INTEGRATION_TEST_LIMIT', '30/minute', 'tests of integrations per user or service token'),
  rateLimit('WEBHOOK_TEST_LIMIT', '30/minute', 'test events of webhooks per user or service token'),
  rateLimit('APP_INSTALLATION_LIMIT', '30/hour', 'started and finished installations of the app, each, per user'),
  rateLimit('HOST_EVENT_LIMIT', '60/minute', 'webhooks of the code host with an invalid signature, per IP'),
  rateLimit('SYNC_REPOSITORIES_LIMIT', '120/minute', 'lists of repositories per user or service token'),
];
