import type { ProviderOption } from './providers/registry.js';

/** The options of `plumbline sync` as unchecked texts; flags are booleans. */
type ProviderOptions = Readonly<Partial<Record<ProviderOption, string>>>;

export interface SyncOptions extends ProviderOptions {
  readonly target?: string;
  readonly provider?: string;
  readonly db?: string;
  readonly dbType?: string;
  readonly org?: string;
  readonly since?: string;
  readonly date?: string;
  readonly backfill?: string;
  /** Days before now at which the first sync begins. */
  readonly period?: string;
  /** Days before today of which records are kept (default: RECORD_RETENTION_DAYS, else all). */
  readonly recordDays?: string;
  readonly auth?: string;
  readonly search?: string;
  readonly group?: string;
  readonly batchSize?: string;
  readonly maxConcurrent?: string;
  readonly rateLimitDelay?: string;
  readonly maxRepos?: string;
  readonly useAsync?: boolean;
  readonly maxCommitsPerRepo?: string;
  /** `sync git`: removes commits that the source no longer reaches. */
  readonly prune?: boolean;
  readonly sink?: string;
  /** A rules file for work units, instead of the built-in rules. */
  readonly rules?: string;
}
