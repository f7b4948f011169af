import type { RegistrationPolicy } from '../identity/auth/registration-policy.js';
import type { RateLimitRule } from './rate-limits/rate-limit-rule.js';
import {
  identityProvidersOf,
  identityProviderTable,
  type IdentityProviderSettings,
} from './settings/identity-provider-settings.js';
import { assertWholeApp, type AppSettings } from './settings/app-settings.js';
import { gitlabAppOf, gitlabAppTable, type GitlabAppSettings } from './settings/gitlab-app-settings.js';
import { read, type SettingDescription } from './settings/setting.js';
import type { logFormats, logLevels, replyValidations } from './settings/settings-table.js';
import { rateLimitTable, settingsTable } from './settings/settings-table.js';

/** All settings, parsed. */
export interface PlatformSettings extends AppSettings {
  /** Null: there is no application at GitLab. */
  readonly gitlabApp: GitlabAppSettings | null;
  readonly host: string;
  readonly port: number;
  /** null: the embedded PostgreSQL under `home`. */
  readonly databaseUri: string | null;
  /** null: the same database. */
  readonly analyticsUri: string | null;
  readonly analyticsQueryTimeoutSeconds: number;
  readonly analyticsMaxDays: number;
  /** Whether the Analytics API rejects queries that are not persisted. */
  readonly persistedQueriesOnly: boolean;
  /** Absolute path. */
  readonly home: string;
  /** Without a trailing slash; null: the address at which the server listens. */
  readonly appBaseUrl: string | null;
  /** null: mails become files in `home`/mailbox. */
  readonly mailUrl: string | null;
  readonly mailFrom: string;
  readonly trustedProxies: readonly string[];
  /** Networks in which code hosts of organizations may be, in addition to public addresses. */
  readonly integrationNetworks: readonly string[];
  /** Servers that are asked for TXT records; none: those of the system. */
  readonly dnsServers: readonly string[];
  readonly integrationsPerOrganization: number;
  readonly corsOrigins: readonly string[];
  /** Whether the web console is served. */
  readonly console: boolean;
  readonly logLevel: (typeof logLevels)[number];
  readonly logFormat: (typeof logFormats)[number];
  readonly metricsToken: string | null;
  /** null: generated and stored in `home`. */
  readonly secretsKey: string | null;
  /** The key before, in base64, which opens what it has sealed; null: none. */
  readonly secretsKeyPrevious: string | null;
  /** The text of a JWK set; null: generated and stored in the database. */
  readonly jwtPrivateKeys: string | null;
  readonly jwtIssuer: string;
  readonly jwtAudience: string;
  readonly autoCreateOrgOnRegister: boolean;
  readonly registration: RegistrationPolicy;
  /** In the order in which they are offered. */
  readonly identityProviders: readonly IdentityProviderSettings[];
  readonly bcryptCost: number;
  /** Maximum number of queued password computations; further ones are rejected. */
  readonly bcryptQueue: number;
  /** null: leaked passwords are not looked up. */
  readonly leakedPasswordsUrl: string | null;
  readonly refreshReuseGraceSeconds: number;
  readonly replyValidation: (typeof replyValidations)[number];
  /** By setting name; null: off. */
  readonly rateLimits: Readonly<Record<string, RateLimitRule | null>>;
  readonly databaseConnections: number;
  /** How long a start waits for a database that does not answer; 0: it ends at once. */
  readonly databaseWaitSeconds: number;
  /** 0: this server runs no syncs. */
  readonly syncJobs: number;
  /** Whether this server starts runs by schedule. */
  readonly syncSchedules: boolean;
  /** Maximum number of pending and running ones. */
  readonly syncRunsPerOrganization: number;
  /** Per attempt. */
  readonly syncRunDeadlineSeconds: number;
  /** Requests per attempt to its code host. */
  readonly syncPeriodDays: number;
  readonly syncRunRequests: number;
  /** Absolute path; null: `local` is disabled. */
  readonly syncLocalRoot: string | null;
  /** The ids of the organizations that may use `local`, in lower case. */
  readonly syncLocalOrganizations: readonly string[];
  /** Absolute path; null: the built-in rules. */
  readonly workUnitRules: string | null;
  /** null: audit records are kept. */
  /** Null: records are kept. */
  readonly recordRetentionDays: number | null;
  readonly auditRetentionDays: number | null;
  readonly syncRunRetentionDays: number;
  readonly failedMailRetentionDays: number;
  readonly shutdownDrainSeconds: number;
  readonly shutdownDeadlineSeconds: number;
}

/** Every setting, in the order of the README. */
export const settingDescriptions: readonly SettingDescription[] = [
  ...Object.values(settingsTable),
  ...Object.values(gitlabAppTable),
  ...Object.values(identityProviderTable),
  ...rateLimitTable,
];

/**
 * Parses the settings from environment variables; `settingsEnvironment` adds those of files.
 *
 * @throws SettingError naming the first variable with an invalid value, and describing a valid one
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): PlatformSettings {
  const values: [string, unknown][] = Object.entries(settingsTable).map(([key, each]) => [
    key,
    read<unknown>(each, environment),
  ]);
  const limits = rateLimitTable.map((each): [string, RateLimitRule | null] => [each.name, read(each, environment)]);
  // Each entry of the table parses to the type of the key with the same name; this file's test reads all of them.
  const settings = {
    ...Object.fromEntries(values),
    identityProviders: identityProvidersOf(environment),
    gitlabApp: gitlabAppOf(environment),
    rateLimits: Object.fromEntries(limits),
  } as PlatformSettings;
  assertWholeApp(settings);
  return settings;
}
