/** Runs syncs for the command line: reads the request, handles signals, prints progress. */
import { resolve } from 'node:path';
import { startEmbeddedPostgres } from '../database/embedded.js';
import { outboundFetch } from '@plumbline/contract/outbound/outbound-fetch';
import { failureOf, SyncError, withoutSecrets } from '../sync/failures.js';
import type { SyncRequest } from '../sync/sync-request.js';
import { parseSyncRequests } from '../sync/requests.js';
import type { SyncOptions } from '../sync/options.js';
import { runSync } from '../sync/run.js';
import { keepHeapSteady } from '../sync/steady-heap.js';
import { exitCodeOf, worstExitCode, type SyncSummary } from '../sync/summary.js';
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
 * Runs `plumbline sync` in this process: one target, or all of the provider, one after the other.
 *
 * @param json prints the summary of each target as a JSON object in one line of standard output; all other output goes to
 *   standard error
 * @returns the exit code: see `exitCodeOf`, that of the worst target, and 2 for invalid or missing input
 */
export async function runSyncCommand(options: SyncOptions & ConfigOption, json: boolean): Promise<0 | 1 | 2 | 3> {
  const environment = await commandEnvironment(options).catch(settingProblem);
  if (typeof environment === 'string') {
    process.stderr.write(describeProblems([environment]));
    return 2;
  }
  const parsed = parseSyncRequests(options, environment);
  if (!parsed.ok) {
    process.stderr.write(describeProblems(parsed.problems));
    return 2;
  }
  keepHeapSteady();
  await startTracing(process.env, (problem) => process.stderr.write(`Traces cannot be exported: ${problem}\n`));
  const codes: (0 | 1 | 3)[] = [];
  for (const request of parsed.requests) {
    const { summary, hasStarted } = await watched(request, environment);
    process.stderr.write(describeSummary(summary));
    if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
    codes.push(exitCodeOf(summary));
    // The others would fail for the same reason: the database, an invalid list of repositories, or a signal to stop.
    if (!hasStarted) break;
  }
  await stopTracing();
  return worstExitCode(codes);
}

/** The problem of a settings file; rethrows other failures. */
function settingProblem(error: unknown): string {
  if (error instanceof SettingError) return error.message;
  throw error;
}

interface WatchedSync {
  readonly summary: SyncSummary;
  /** False: it could not start, or was stopped. */
  readonly hasStarted: boolean;
}

async function watched(request: SyncRequest, environment: Environment): Promise<WatchedSync> {
  const stop = stopSignal();
  const view = openProgressView(process.stderr, { lines: request.echo, now: Date.now });
  const began = Date.now();
  try {
    const summary = await runSync(request, dependenciesOf(request, stop.signal, view.progress, environment));
    return { summary, hasStarted: true };
  } catch (error) {
    // A sync that cannot start also returns a summary, for programs that read the JSON.
    const failure = failureOf(error, request.secrets);
    return { summary: summaryOfFailure(request, failure, Date.now() - began), hasStarted: false };
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
