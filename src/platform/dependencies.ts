import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../database/connection.js';
import type { OutboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { OpenCounts } from '@plumbline/contract/system/open-counts';
import type { KeyedAttempt } from './server/idempotency/keyed-attempt.js';
import type { MailDispatcher } from './messages/mail/dispatcher.js';
import type { LeakCheck } from './identity/passwords/leaked-passwords.js';
import type { IdentityProviders } from './identity/providers/open-providers.js';
import type { Passwords } from './identity/passwords/passwords.js';
import type { HostApps } from './sources/app-installations/host-apps.js';
import type { InstallationTokens } from './sources/app-installations/installation-tokens.js';
import type { OpenRecords } from './sources/records/open-records.js';
import type { SecretBox } from './server/secrets/secret-box.js';
import type { PlatformSettings } from './server/settings.js';
import type { StoreTasks } from './sources/store-tasks/store-tasks.js';
import type { EndedRun } from './sources/sync-runs/jobs/sync-job.js';
import type { SyncJobs } from './sources/sync-runs/jobs/sync-jobs.js';
import type { Clock } from './clock.js';
import type { Random } from './random.js';
import type { KeyRing } from './identity/tokens/key-ring.js';
import type { Tokens } from './identity/tokens/tokens.js';

/** The dependencies of the Platform API's handlers. */
export interface PlatformDependencies {
  readonly sql: DatabaseSql;
  readonly settings: PlatformSettings;
  /** The base URL of links in mails: `APP_BASE_URL`, or the address at which the server listens. */
  readonly appBaseUrl: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly passwords: Passwords;
  readonly isLeaked: LeakCheck;
  readonly identityProviders: IdentityProviders;
  readonly tokens: Tokens;
  readonly secrets: SecretBox;
  /** The records and work units of all organizations. */
  readonly records: Pick<OpenRecords, 'of'>;
  /** The HTTP client for code hosts of organizations. */
  readonly outbound: OutboundFetch;
  /** The operator's apps at code hosts. */
  readonly hostApps: HostApps;
  readonly installationTokens: InstallationTokens;
  readonly mails: Pick<MailDispatcher, 'wake'>;
  readonly syncJobs: Pick<SyncJobs, 'wake' | 'recheck'>;
  readonly storeTasks: Pick<StoreTasks, 'wake'>;
  /** Counts a run that a caller has ended. Call it after the run is stored. */
  readonly syncRunEnded: (run: EndedRun) => void;
  /** The open streams of callers. */
  readonly streams: OpenCounts;
  /** The open streams of organizations. */
  readonly organizationStreams: OpenCounts;
  /** Aborts when the server stops to listen. Streams end then, and callers resume at another server. */
  readonly closing: AbortSignal;
  /** The keys that this server knows, for the JWKS endpoint. */
  readonly keyRing: () => Promise<KeyRing>;
  /** The text of `GET /metrics`. */
  readonly metrics: () => Promise<string>;
  /** Present while a request with an idempotency key is handled. */
  readonly attempt?: KeyedAttempt;
  /** The reason why the server must not receive requests now; null when it is ready. */
  readonly unreadiness: () => Promise<string | null>;
}
