import { resolve } from 'node:path';
import { parseRateLimit, type RateLimitRule } from './rate-limits/rate-limit-rule.js';
import {
  addressList,
  analyticsUri,
  boolean,
  httpUrl,
  oneOf,
  originList,
  postgresUri,
  secretsKey,
  smtpUrl,
  text,
  wholeNumber,
} from './settings/setting-values.js';

/** Everything that an operator can set, parsed. */
export interface PlatformSettings {
  readonly host: string;
  readonly port: number;
  /** null: the embedded PostgreSQL under `home`. */
  readonly databaseUri: string | null;
  /** null: the same database. */
  readonly analyticsUri: string | null;
  readonly analyticsQueryTimeoutSeconds: number;
  /** Whether the Analytics API refuses the text of queries. */
  readonly persistedQueriesOnly: boolean;
  /** Absolute path. */
  readonly home: string;
  /** Without a slash at its end; null: the address at which the server listens. */
  readonly appBaseUrl: string | null;
  /** null: mails become files in `home`/mailbox. */
  readonly mailUrl: string | null;
  readonly mailFrom: string;
  readonly trustedProxies: readonly string[];
  /** Networks beside the public addresses in which code hosts of organizations may be. */
  readonly integrationNetworks: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Whether the web console is served. */
  readonly console: boolean;
  readonly logLevel: (typeof logLevels)[number];
  readonly logFormat: (typeof logFormats)[number];
  readonly metricsToken: string | null;
  /** null: generated and kept in `home`. */
  readonly secretsKey: string | null;
  /** The text of a JWK set; null: generated and kept in the database. */
  readonly jwtPrivateKeys: string | null;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly autoCreateOrgOnRegister: boolean;
  readonly bcryptCost: number;
  /** Password computations that may wait; more are refused. */
  readonly bcryptQueue: number;
  readonly refreshReuseGraceSeconds: number;
  readonly replyValidation: (typeof replyValidations)[number];
  /** By the setting's name; null: off. */
  readonly rateLimits: Readonly<Record<string, RateLimitRule | null>>;
  readonly databaseConnections: number;
  /** 0: this server takes up no sync runs. */
  readonly syncJobs: number;
  /** Absolute path; null: `local` reads nothing. */
  readonly syncLocalRoot: string | null;
  /** Absolute path; null: the rules that come with Plumbline. */
  readonly workUnitRules: string | null;
  readonly shutdownDrainSeconds: number;
  readonly shutdownDeadlineSeconds: number;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const logFormats = ['auto', 'human', 'json'] as const;
const replyValidations = ['always', 'sampled', 'off'] as const;

/** One setting: its environment variable, what it is when that is unset, and what it does. */
export interface SettingDescription {
  readonly name: string;
  readonly defaultText: string;
  readonly description: string;
  /** Whether NAME_FILE may name a file that holds the value. */
  readonly isSecret: boolean;
}

/** A wrong value of a setting: one clear line for the operator. */
export class SettingError extends Error {
  override name = 'SettingError';
}

interface Setting<T> extends SettingDescription {
  /** Parses a value that is set. Throws an Error that says what a good one looks like. */
  readonly parse: (text: string) => T;
  /** Applies where the variable is unset or empty. */
  readonly fallback: T;
}

const table = {
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
    'Store of the analytics: postgres://, clickhouse://, chdb: with a folder, or sqlite: with a file. Unset: the database of DATABASE_URI.',
  ),
  analyticsQueryTimeoutSeconds: setting(
    'ANALYTICS_QUERY_TIMEOUT',
    '30',
    wholeNumber(1, 3600),
    'Seconds that one query of the analytics may take.',
  ),
  persistedQueriesOnly: setting(
    'PERSISTED_QUERIES_ONLY',
    'false',
    boolean,
    'true: the Analytics API answers persisted queries only, and refuses the text of others.',
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
    'Mail server, as smtp://user:password@host:587 or smtps://. Unset: each mail becomes an .eml file in PLUMBLINE_HOME/mailbox and its link is logged.',
  ),
  mailFrom: setting('MAIL_FROM', 'Plumbline <no-reply@localhost>', text, 'Sender of mails.'),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    addressList,
    'Addresses and networks (CIDR), separated by commas, of proxies whose X-Forwarded-For is believed.',
  ),
  integrationNetworks: setting(
    'INTEGRATION_NETWORKS',
    '',
    addressList,
    'Networks (CIDR), separated by commas, in which code hosts of organizations may be, such as 10.1.0.0/16. Others must have public addresses.',
  ),
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
    'Bearer token with which /metrics can be read from elsewhere than this machine, through a proxy or by another host name.',
  ),
  secretsKey: secret(
    'SECRETS_KEY',
    'generated',
    secretsKey,
    '32 bytes in base64 that seal secrets in the database. Set it when several servers share a database. Unset: generated and kept in PLUMBLINE_HOME.',
  ),
  jwtPrivateKeys: secret(
    'JWT_PRIVATE_KEYS',
    'generated',
    text,
    'JWK set of ES256 private keys; the first one signs. Unset: generated and kept, sealed, in the database.',
  ),
  jwtIssuer: setting('JWT_ISSUER', 'plumbline', text, 'The `iss` of tokens.'),
  jwtAudience: setting('JWT_AUDIENCE', 'plumbline-api', text, 'The `aud` of tokens.'),
  autoCreateOrgOnRegister: setting(
    'AUTH_AUTO_CREATE_ORG_ON_REGISTER',
    'true',
    boolean,
    'true: registration also creates an organization. false: guided onboarding does.',
  ),
  bcryptCost: setting('AUTH_BCRYPT_COST', '12', wholeNumber(4, 16), 'Work factor of password hashes.'),
  bcryptQueue: setting(
    'AUTH_BCRYPT_QUEUE',
    '64',
    wholeNumber(0, 10_000),
    'Most password computations that wait for a free core; further logins are answered 503.',
  ),
  refreshReuseGraceSeconds: setting(
    'AUTH_REFRESH_REUSE_GRACE',
    '0',
    wholeNumber(0, 300),
    'Seconds during which a refresh token that was just used gives the same successor again instead of ending the session.',
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
    'Most database connections at once.',
  ),
  syncJobs: setting(
    'SYNC_JOBS',
    '2',
    wholeNumber(0, 64),
    'Most sync runs that this server works on at once; 0 leaves them to other servers.',
  ),
  syncLocalRoot: optional(
    'SYNC_LOCAL_ROOT',
    'none',
    (value) => resolve(value),
    'Folder of the server whose git repositories every organization may read with the provider local.',
  ),
  workUnitRules: optional(
    'WORK_UNIT_RULES',
    'built in',
    (value) => resolve(value),
    'Rules file by which syncs classify work units.',
  ),
  shutdownDrainSeconds: setting(
    'SHUTDOWN_DRAIN',
    '0',
    wholeNumber(0, 600),
    'Seconds after SIGTERM during which requests are still accepted while readiness answers 503, so that load balancers notice.',
  ),
  shutdownDeadlineSeconds: setting(
    'SHUTDOWN_DEADLINE',
    '25',
    wholeNumber(1, 3600),
    'Seconds after SIGTERM, or after SHUTDOWN_DRAIN, at which requests and syncs still under way are cut.',
  ),
} as const;

const rateLimitTable: readonly Setting<RateLimitRule | null>[] = [
  rateLimit('AUTH_REGISTER_LIMIT', '3/hour', 'registrations per IP'),
  rateLimit('AUTH_VERIFY_LIMIT', '10/hour', 'verifications per IP, and of disowned accounts'),
  rateLimit('AUTH_RESEND_LIMIT', '3/hour', 'new verification mails per IP and e-mail'),
  rateLimit('AUTH_FORGOT_LIMIT', '3/hour', 'password reset mails per IP and e-mail'),
  rateLimit('AUTH_MAIL_IP_LIMIT', '20/hour', 'verification and password reset mails together per IP'),
  rateLimit('AUTH_RESET_LIMIT', '10/hour', 'password resets per IP'),
  rateLimit('AUTH_CHANGE_PASSWORD_LIMIT', '10/15m', 'password changes per user'),
  rateLimit('AUTH_LOGIN_IP_LIMIT', '20/15m', 'logins per IP'),
  rateLimit('AUTH_LOGIN_LIMIT', '10/15m', 'logins per e-mail'),
  rateLimit('AUTH_REFRESH_LIMIT', '30/15m', 'token refreshes per IP'),
  // Each page load of the console refreshes once, and a whole office may share an address.
  rateLimit('AUTH_BROWSER_SESSION_LIMIT', '300/15m', 'browser sessions started and refreshed per IP'),
  rateLimit('AUTH_VALIDATE_LIMIT', '60/15m', 'token validations per IP'),
  rateLimit('AUTH_ACCEPT_INVITE_LIMIT', '10/15m', 'invites accepted and onboarding requests per user'),
  rateLimit('AUTH_INVITE_LIMIT', '50/hour', 'new invites per user'),
  rateLimit('SYNC_REPOSITORIES_LIMIT', '120/minute', 'lists of repositories per user'),
];

/** Every setting, in the order of the README. */
export const settingDescriptions: readonly SettingDescription[] = [...Object.values(table), ...rateLimitTable];

/**
 * Parses the settings out of environment variables; `settingsEnvironment` adds those of files.
 *
 * @throws SettingError naming the first variable with a wrong value, and what a good one looks like
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): PlatformSettings {
  const values: [string, unknown][] = Object.entries(table).map(([key, each]) => [
    key,
    read<unknown>(each, environment),
  ]);
  const limits = rateLimitTable.map((each): [string, RateLimitRule | null] => [each.name, read(each, environment)]);
  // Each entry of the table parses to what the key of the same name asks for; the test of this file reads all back.
  return { ...Object.fromEntries(values), rateLimits: Object.fromEntries(limits) } as PlatformSettings;
}

function read<T>({ name, parse, fallback }: Setting<T>, environment: Readonly<Record<string, string | undefined>>): T {
  const given = environment[name];
  if (given === undefined || given === '') return fallback;
  try {
    return parse(given);
  } catch (error) {
    throw new SettingError(`${name} ${error instanceof Error ? error.message : 'is wrong'}`);
  }
}

function setting<T>(name: string, defaultText: string, parse: (value: string) => T, description: string): Setting<T> {
  return { name, defaultText, parse, description, isSecret: false, fallback: parse(defaultText) };
}

function optional<T>(
  name: string,
  defaultText: string,
  parse: (value: string) => T,
  description: string,
): Setting<T | null> {
  return { name, defaultText, parse, description, isSecret: false, fallback: null };
}

/** A setting that may hold a password or a key, and so can be read from a file. */
function secret<T>(
  name: string,
  defaultText: string,
  parse: (value: string) => T,
  description: string,
): Setting<T | null> {
  const setting = optional(name, defaultText, parse, `${description} ${name}_FILE names a file that holds it.`);
  return { ...setting, isSecret: true };
}

function rateLimit(name: string, defaultText: string, what: string): Setting<RateLimitRule | null> {
  return setting(name, defaultText, parseRateLimit, `Limit of ${what}: N/second, minute, hour or day, N/15m, or off.`);
}
