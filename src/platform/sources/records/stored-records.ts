import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { SyncError } from '../../../sync/failures.js';
import { parseConnection } from '../../../sync/sinks/connection-string.js';
import { openSink } from '../../../sync/sinks/open.js';
import type { SyncDependencies } from '../../../sync/dependencies.js';
import { systemClock } from '../../../sync/clock.js';
import { systemRandom } from '../../../sync/random.js';
import {
  openDerivationResources,
  type OpenDerivationResources,
} from '../../../sync/work-units/derivation/resources.js';
import { programEnvironment } from '../sync-runs/jobs/program-environment.js';

/** The location of the records and work units of all organizations. */
export interface StoredRecords {
  /** Connection string of the database. */
  readonly store: string;
  /** The rules that classify work units; null: the built-in rules. */
  readonly rulesFile: string | null;
}

export interface RecordsOptions {
  readonly orgId: string;
  readonly signal: AbortSignal;
  /** Locks for a store without its own. */
  readonly locks?: NonNullable<SyncDependencies['locks']>;
  /** Imports optional packages; default: `import()`. */
  readonly importConnector?: NonNullable<SyncDependencies['importConnector']>;
}

/** A removal holds the locks of all syncs of a repository, each on its own connection. */
const concurrency = 3;

/**
 * Opens the records of one organization, and closes them after `work`.
 *
 * @throws SyncError when the database cannot be opened or has no work units
 */
export async function withStoredRecords<Result>(
  records: StoredRecords,
  options: RecordsOptions,
  work: (resources: OpenDerivationResources) => Promise<Result>,
): Promise<Result> {
  const resources = await openStoredRecords(records, options);
  try {
    return await work(resources);
  } finally {
    await resources.close();
  }
}

/** Opens the records of one organization, which the caller must close. */
export async function openStoredRecords(
  { store, rulesFile }: StoredRecords,
  { orgId, signal, locks, importConnector }: RecordsOptions,
): Promise<OpenDerivationResources> {
  const address = parseConnection(store);
  if ('problem' in address) throw new SyncError('database_failed', `ANALYTICS_URI: ${address.problem}`);
  const dependencies: SyncDependencies = {
    ...systemClock,
    ...systemRandom,
    fetch: outboundFetch({ networks: [] }), // no host is called here
    signal,
    progress: {},
    environment: programEnvironment(process.env),
    ...(locks === undefined ? {} : { locks }),
    ...(importConnector === undefined ? {} : { importConnector }),
  };
  const sink = await openSink(address, { now: systemClock.now, concurrency, echo: undefined }, dependencies);
  try {
    await sink.ensureSchema();
    const resources = await openDerivationResources(sink, { orgId, rulesFile: rulesFile ?? undefined }, dependencies);
    if (resources === undefined)
      throw new SyncError('database_failed', 'ANALYTICS_URI names a database without work units.');
    return {
      ...resources,
      close: async () => {
        await resources.close();
        await sink.close();
      },
    };
  } catch (error) {
    await sink.close();
    throw error;
  }
}
