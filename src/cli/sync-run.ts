/** Runs one sync for the command line: reads the request, handles signals, prints progress. */
import { resolve } from 'node:path';
import { startEmbeddedPostgres } from '../database/embedded.js';
import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { failureOf, SyncError, withoutSecrets } from '../sync/failures.js';
import { parseSyncRequest, type SyncRequest } from '../sync/request.js';
import type { SyncOptions } from '../sync/options.js';
import { runSync } from '../sync/run.js';
import { keepHeapSteady } from '../sync/steady-heap.js';
import { exitCodeOf, type SyncSummary } from '../sync/summary.js';
import type { SyncDependencies, SyncProgress } from '../sync/dependencies.js';
import { systemClock } from '../sync/clock.js';
import { systemRandom } from '../sync/random.js';
import { SettingError } from '../platform/server/settings/setting.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { startTracing, stopTracing } from '@plumbline/contract/system/start-tracing';
import { createLog } from './log.js';
import { openProgressView } from './sync-progress.js';
import { describeProblems, describeSummary, summaryOfFailure } from './sync-summary.js';

/**
 * Runs `plumbline sync` in this process.
 *
 * @param json prints the summary as one JSON object on standard output; all other output goes to standard error
 * @returns the exit code: see `exitCodeOf`, and 2 for invalid or missing input
 */
export async function runSyncCommand(options: SyncOptions & ConfigOption, json: boolean): Promise<0 | 1 | 2 | 3> {
  const environment = await commandEnvironment(options).catch(settingProblem);
  if (typeof environment === 'string') {
    process.stderr.write(describeProblems([environment]));
    return 2;
  }
  const parsed = parseSyncRequest(options, environment);
  if (!parsed.ok) {
    process.stderr.write(describeProblems(parsed.problems));
    return 2;
  }
  keepHeapSteady();
  await startTracing(process.env, (problem) => process.stderr.write(`Traces cannot be exported: ${problem}\n`));
  const summary = await watched(parsed.request, environment);
  await stopTracing();
  process.stderr.write(describeSummary(summary));
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  return exitCodeOf(summary);
}

/** The problem of a settings file; rethrows other failures. */
function settingProblem(error: unknown): string {
  if (error instanceof SettingError) return error.message;
  throw error;
}

async function watched(request: SyncRequest, environment: Environment): Promise<SyncSummary> {
  const stop = stopSignal();
  const view = openProgressView(process.stderr, { lines: request.echo, now: Date.now });
  const began = Date.now();
  try {
    return await runSync(request, dependenciesOf(request, stop.signal, view.progress, environment));
  } catch (error) {
    // A sync that cannot start also returns a summary, for programs that read the JSON.
    return summaryOfFailure(request, failureOf(error, request.secrets), Date.now() - began);
  } finally {
    view.close();
    stop.end();
  }
}

function dependenciesOf(
  request: SyncRequest,
  signal: AbortSignal,
  progress: SyncProgress,
  environment: Environment,
): SyncDependencies {
  return {
    ...systemClock,
    ...systemRandom,
    fetch: outboundFetch('any'),
    signal,
    progress: {
      ...progress,
      statement: (text) => progress.statement?.(withoutSecrets(text, request.secrets)),
    },
    environment: process.env,
    resolveEmbedded: embeddedResolver(environment),
  };
}

/** SIGINT and SIGTERM stop the run after the current page; a second signal ends the process. */
function stopSignal(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort(new SyncError('aborted', 'The sync was stopped.'));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    end: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}

/** Opens the built-in PostgreSQL: the one of a server with the same PLUMBLINE_HOME, or one started for the run. */
export function embeddedResolver(environment: Environment): NonNullable<SyncDependencies['resolveEmbedded']> {
  return async () => {
    const named = environment['PLUMBLINE_HOME']?.trim() ?? '';
    try {
      const embedded = await startEmbeddedPostgres({
        home: resolve(named === '' ? '.plumbline' : named),
        logger: createLog('warn', 2),
      });
      return { uri: embedded.uri, close: () => embedded.stop() };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SyncError('database_failed', `The built-in PostgreSQL cannot be started: ${reason}`, { cause: error });
    }
  };
}
