import type { RateLimitRule } from './rate-limits/rate-limit-rule.js';
import { read, type SettingDescription } from './settings/setting.js';
import type { logFormats, logLevels, replyValidations } from './settings/settings-table.js';
import { rateLimitTable, settingsTable } from './settings/settings-table.js';

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
  readonly integrationsPerOrganization: number;
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
  /** Pending and running ones. */
  readonly syncRunsPerOrganization: number;
  /** Of one attempt. */
  readonly syncRunDeadlineSeconds: number;
  /** Requests of one attempt to its code host. */
  readonly syncRunRequests: number;
  /** Absolute path; null: `local` reads nothing. */
  readonly syncLocalRoot: string | null;
  /** Absolute path; null: the rules that come with Plumbline. */
  readonly workUnitRules: string | null;
  readonly shutdownDrainSeconds: number;
  readonly shutdownDeadlineSeconds: number;
}

/** Every setting, in the order of the README. */
export const settingDescriptions: readonly SettingDescription[] = [...Object.values(settingsTable), ...rateLimitTable];

/**
 * Parses the settings out of environment variables; `settingsEnvironment` adds those of files.
 *
 * @throws SettingError naming the first variable with a wrong value, and what a good one looks like
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): PlatformSettings {
  const values: [string, unknown][] = Object.entries(settingsTable).map(([key, each]) => [
    key,
    read<unknown>(each, environment),
  ]);
  const limits = rateLimitTable.map((each): [string, RateLimitRule | null] => [each.name, read(each, environment)]);
  // Each entry of the table parses to what the key of the same name asks for; the test of this file reads all back.
  return { ...Object.fromEntries(values), rateLimits: Object.fromEntries(limits) } as PlatformSettings;
}
