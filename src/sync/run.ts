/** `plumbline sync`: one request, one summary. */
import { runBatch } from './batch.js';
import { SyncError } from './failures.js';
import { openProvider } from './providers/open.js';
import type { SyncContext } from './repository-sync.js';
import { syncRepository } from './repository-sync.js';
import type { SyncRequest } from './request.js';
import { openSink } from './sinks/open.js';
import type { Sink, SinkOptions } from './sinks/sink.js';
import type { RepositorySummary, SyncSummary } from './summary.js';
import type { Surroundings } from './surroundings.js';

/**
 * Runs a sync.
 *
 * A repository that fails is part of the summary (see `exitCodeOf`). Nothing is stored twice: interrupt it at any
 * moment, and the next run of the same request goes on where this one stopped.
 *
 * @param request as `parseSyncRequest` returns it
 * @param surroundings time, chance, the abort signal, and where progress goes
 * @throws SyncError where nothing could be started: the primary database, the connectors, or the listing of a batch;
 *   also (`aborted`) once the signal is aborted
 */
export async function runSync(request: SyncRequest, surroundings: Surroundings): Promise<SyncSummary> {
  const began = surroundings.now();
  const options: SinkOptions = {
    now: surroundings.now,
    concurrency: request.selection.kind === 'batch' ? request.batch.concurrency : 1,
    echo: request.echo ? (statement) => surroundings.progress.statement?.(statement) : undefined,
  };
  const provider = await openProvider(request, surroundings);
  const primary = await openReady(() => openSink(request.primary, options, surroundings));
  try {
    const secondary = await openSecondary(request, options, surroundings);
    const context: SyncContext = { request, surroundings, primary, secondary };
    try {
      const repositories: RepositorySummary[] = [];
      await runBatch(provider.repositories(), request.batch, surroundings, async (source) => {
        repositories.push(await syncRepository(source, context));
      });
      return summarize(request, repositories, surroundings.now() - began);
    } finally {
      if (secondary !== undefined && !(secondary instanceof Error)) await secondary.close();
    }
  } catch (error) {
    if (surroundings.signal.aborted)
      throw new SyncError('aborted', 'The sync was stopped; run it again to go on.', { cause: error });
    throw error;
  } finally {
    await primary.close();
  }
}

async function openReady(open: () => Promise<Sink>): Promise<Sink> {
  const sink = await open();
  try {
    await sink.ensureSchema();
    return sink;
  } catch (error) {
    await sink.close();
    throw error;
  }
}

/** A secondary that cannot be opened does not stop the sync of the primary. */
async function openSecondary(
  { secondary }: SyncRequest,
  options: SinkOptions,
  surroundings: Surroundings,
): Promise<Sink | Error | undefined> {
  if (secondary === undefined) return undefined;
  try {
    return await openReady(() => openSink(secondary, options, surroundings));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function summarize(request: SyncRequest, repositories: readonly RepositorySummary[], duration: number): SyncSummary {
  return {
    target: request.target,
    provider: request.provider,
    org_id: request.orgId,
    repositories: repositories.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    duration_ms: Math.round(duration),
  };
}
