/** Opens the database of records and work units for a command. */
import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import type { SyncDependencies } from '../sync/dependencies.js';
import { SyncError, withoutSecrets } from '../sync/failures.js';
import { createClassifier, type Classifier } from '../sync/work-units/classify/classifier.js';
import { loadRules } from '../sync/work-units/classify/rules.js';
import { openDerivationResources, type OpenDerivationResources } from '../sync/work-units/derivation/resources.js';
import { parseConnection } from '../sync/sinks/connection-string.js';
import { nonEmpty } from '../sync/request.js';
import { openSink } from '../sync/sinks/open.js';
import { DATABASE_KINDS, type Sink } from '../sync/sinks/sink.js';
import { systemClock } from '../sync/clock.js';
import { systemRandom } from '../sync/random.js';
import { SettingError } from '../platform/server/settings/setting.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { embeddedResolver } from './sync-run.js';
import { UsageError } from './usage-error.js';

/** The options of all commands that use work units. */
export interface WorkUnitOptions extends ConfigOption {
  readonly db?: string;
  readonly dbType?: string;
  readonly org?: string;
  readonly rules?: string;
}

/** An open database of records. */
export interface OpenRecords {
  readonly orgId: string;
  readonly sink: Sink;
  /** Undefined for MongoDB, which the analytics do not read. */
  readonly resources: OpenDerivationResources | undefined;
  readonly dependencies: SyncDependencies;
}

/**
 * Opens the database of `--db` (or DATABASE_URI), for the organization of `--org` (or ORG_ID), and closes it after `work`.
 *
 * @param concurrency of how many repositories `work` holds the locks at once
 */
export async function withRecords<Result>(
  options: WorkUnitOptions,
  work: (records: OpenRecords) => Promise<Result>,
  concurrency = 1,
): Promise<Result> {
  const environment = await commandEnvironment(options);
  const named = nonEmpty(options.db) ?? nonEmpty(environment['DATABASE_URI']);
  if (named === undefined)
    throw new UsageError('no database: set --db or DATABASE_URI; --db embedded: is the built-in PostgreSQL');
  const kind = DATABASE_KINDS.find((each) => each === options.dbType);
  if (options.dbType !== undefined && kind === undefined)
    throw new UsageError(`--db-type is ${JSON.stringify(options.dbType)}: use one of ${DATABASE_KINDS.join(', ')}`);
  const address = parseConnection(named, kind);
  if ('problem' in address) throw new UsageError(`--db (or DATABASE_URI) ${address.problem}`);
  const dependencies = {
    ...systemClock,
    ...systemRandom,
    fetch: outboundFetch('any'),
    signal: new AbortController().signal,
    progress: {},
    environment: process.env,
    resolveEmbedded: embeddedResolver(environment),
  };
  const sink = await openSink(address, { now: systemClock.now, concurrency, echo: undefined }, dependencies);
  try {
    await sink.ensureSchema();
    const orgId = nonEmpty(options.org) ?? nonEmpty(environment['ORG_ID']) ?? 'default';
    const resources = await openDerivationResources(
      sink,
      { orgId, rulesFile: rulesFile(options, environment) },
      dependencies,
    );
    try {
      return await work({ orgId, sink, resources, dependencies });
    } finally {
      await resources?.close();
    }
  } finally {
    await sink.close();
  }
}

/** The same for a command that needs work units. */
export function withDerivation<Result>(
  options: WorkUnitOptions,
  work: (resources: OpenDerivationResources) => Promise<Result>,
  concurrency = 1,
): Promise<Result> {
  const checked = async ({ resources }: OpenRecords): Promise<Result> => {
    if (resources === undefined)
      throw new UsageError('work units are not supported in MongoDB: use PostgreSQL, ClickHouse or SQLite');
    return work(resources);
  };
  return withRecords(options, checked, concurrency);
}

/** The classifier of `--rules` (or WORK_UNIT_RULES), otherwise the built-in one. */
export async function openClassifier(options: WorkUnitOptions): Promise<Classifier> {
  return createClassifier(await loadRules(rulesFile(options, await commandEnvironment(options))));
}

/** Runs a command and prints correctable errors in one line: wrong usage exits with 2, a database failure with 1. */
export async function reportingUsage(command: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SettingError || error instanceof SyncError)) throw error;
    console.error(`plumbline ${command}: ${withoutSecrets(error.message, [])}`);
    process.exitCode = error instanceof SyncError ? 1 : 2;
  }
}

function rulesFile({ rules }: WorkUnitOptions, environment: Environment): string | undefined {
  return nonEmpty(rules) ?? nonEmpty(environment['WORK_UNIT_RULES']);
}
