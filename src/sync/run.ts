/** `plumbline sync`: one request, one summary. */
import { runBatch } from './batch.js';
import { SyncError } from './failures.js';
import { withoutErased } from './erasure/erasing-sink.js';
import type { SyncContext } from './repository-sync.js';
import { syncRepository } from './repository-sync.js';
import type { SyncRequest } from './sync-request.js';
import type { DatabaseAddress } from './sinks/connection-string.js';
import { openSink } from './sinks/open.js';
import type { Sink, SinkOptions } from './sinks/sink.js';
import type { RepositorySummary, SyncSummary } from './summary.js';
import type { SyncDependencies } from './dependencies.js';
import type { OpenDerivationResources } from './work-units/derivation/resources.js';
import { openDerivationResources } from './work-units/derivation/resources.js';

/**
 * Runs a sync.
 *
 * A repository that fails is part of the summary (see `exitCodeOf`). It can be interrupted at any time: the next run of
 * the same request resumes where this one stopped, and nothing is stored twice.
 *
 * @param request as `parseSyncRequest` returns it
 * @param dependencies clock, random source, abort signal and progress, among others
 * @throws SyncError if the sync cannot start: the primary database, the connectors, or the listing of a batch fails;
 *   also (`aborted`) once the signal is aborted
 */
export async function runSync(request: SyncRequest, dependencies: SyncDependencies): Promise<SyncSummary> {
  const began = dependencies.now();
  const options: SinkOptions = {
    now: dependencies.now,
    concurrency: request.selection.group === undefined ? 1 : request.batch.concurrency,
    echo: request.echo ? (statement) => dependencies.progress.statement?.(statement) : undefined,
  };
  const provider = await request.selection.open(request, dependencies);
  const primary = await openReady(request.primary, request, options, dependencies);
  try {
    const secondary = await openSecondary(request, options, dependencies);
    const units = new UnitDerivations(request, dependencies);
    try {
      const context: SyncContext = {
        request,
        dependencies,
        primary,
        secondary,
        units: await units.open(primary),
        secondaryUnits: await units.openSecondary(secondary),
      };
      const repositories: RepositorySummary[] = [];
      await runBatch(provider.repositories(), request.batch, dependencies, async (source) => {
        repositories.push(await syncRepository(source, context));
      });
      return summarize(request, repositories, dependencies.now() - began);
    } finally {
      await units.close();
      if (secondary !== undefined && !(secondary instanceof Error)) await secondary.close();
    }
  } catch (error) {
    if (dependencies.signal.aborted)
      throw new SyncError('aborted', 'The sync was stopped. Run it again to resume.', { cause: error });
    throw error;
  } finally {
    await primary.close();
  }
}

async function openReady(
  address: DatabaseAddress,
  { orgId }: SyncRequest,
  options: SinkOptions,
  dependencies: SyncDependencies,
): Promise<Sink> {
  const sink = await openSink(address, options, dependencies);
  try {
    await sink.ensureSchema();
    return withoutErased(sink, orgId);
  } catch (error) {
    await sink.close();
    throw error;
  }
}

/** A secondary that cannot be opened does not stop the sync of the primary. */
async function openSecondary(
  request: SyncRequest,
  options: SinkOptions,
  dependencies: SyncDependencies,
): Promise<Sink | Error | undefined> {
  const { secondary } = request;
  if (secondary === undefined) return undefined;
  try {
    return await openReady(secondary, request, options, dependencies);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** The derivations of work units, one per database. A failure in the secondary does not stop the primary. */
class UnitDerivations {
  readonly #opened: OpenDerivationResources[] = [];
  readonly #request: SyncRequest;
  readonly #dependencies: SyncDependencies;

  constructor(request: SyncRequest, dependencies: SyncDependencies) {
    this.#request = request;
    this.#dependencies = dependencies;
  }

  async open(sink: Sink): Promise<OpenDerivationResources | undefined> {
    const resources = await openDerivationResources(sink, this.#request, this.#dependencies);
    if (resources === undefined) this.#dependencies.progress.note?.(NO_UNITS);
    else this.#opened.push(resources);
    return resources;
  }

  async openSecondary(secondary: Sink | Error | undefined): Promise<OpenDerivationResources | Error | undefined> {
    if (secondary === undefined || secondary instanceof Error) return secondary;
    try {
      return await this.open(secondary);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async close(): Promise<void> {
    for (const resources of this.#opened) await resources.close();
  }
}

const NO_UNITS =
  'MongoDB keeps the records. No work units are derived from them: the analytics read PostgreSQL, ClickHouse and SQLite';

function summarize(request: SyncRequest, repositories: readonly RepositorySummary[], duration: number): SyncSummary {
  return {
    target: request.target,
    provider: request.provider,
    org_id: request.orgId,
    repositories: repositories.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    duration_ms: Math.round(duration),
  };
}
