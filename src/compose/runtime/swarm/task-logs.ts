/** The output of tasks. A manager collects it from their nodes. */
import type { Clock } from '../clock.js';
import { chunksOf, type EngineClient } from '../bridge/client.js';
import { framedLines, plainLines } from '../bridge/logs.js';
import { framesOf } from '../bridge/frames.js';
import { segment } from '../bridge/requests.js';
import type { ClusterTask } from '../cluster.js';
import { epochSeconds, utcTime } from '../engine/time.js';
import { isRuntimeError } from '../errors.js';
import { hasEnded } from '../lifecycle.js';
import type { ContainerRecord, LogLine } from '../records.js';
import type { ContainerOperations, LogOptions } from '../runtime.js';

export interface LoggedTask {
  readonly client: EngineClient;
  readonly clock: Clock;
  readonly inspect: ContainerOperations['inspect'];
  readonly record: ContainerRecord;
  readonly task: ClusterTask | undefined;
}

const POLL_MS = 1000;

/**
 * Lines of a node that is down are not available: then there are none. A stream that is followed does not end with its
 * task, so the task is watched.
 */
export async function taskLogs(logged: LoggedTask, options: LogOptions): Promise<AsyncIterable<LogLine>> {
  const { client, record, task } = logged;
  const { follow = false, since, until, tail, signal } = options;
  if (task?.node?.isUp !== true) return none();
  // A manager waits for the container of a task that has none yet.
  if (task.containerId === '' && !follow) return none();
  const over = new AbortController();
  const reading = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
  const query = {
    stdout: true,
    stderr: true,
    timestamps: true,
    follow,
    ...(since && { since: epochSeconds(since) }),
    ...(tail !== undefined && { tail }),
  };
  const path = `/tasks/${segment(task.id)}/logs`;
  const stream = await client.stream({ id: task.id }, { method: 'GET', path, query, signal: reading });
  const chunks = chunksOf(client, stream, reading);
  const lines = record.tty ? plainLines(chunks) : framedLines(framesOf(chunks));
  return readUntil(follow ? whileAlive(logged, lines, over, signal) : lines, until);
}

async function* readUntil(lines: AsyncIterable<LogLine>, until: Date | undefined): AsyncGenerator<LogLine, void> {
  const end = until === undefined ? undefined : utcTime(until.toISOString());
  for await (const line of lines) {
    if (end !== undefined && line.time > end) return;
    yield line;
  }
}

async function* whileAlive(
  { clock, inspect, record }: LoggedTask,
  lines: AsyncIterable<LogLine>,
  over: AbortController,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogLine, void> {
  const watching = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]);
  const ended = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(POLL_MS, watching);
      const { status } = await inspect(record.id, { signal: watching });
      if (hasEnded(status) || status === 'stopping') break;
    }
    // The last lines are on their way from the node.
    await clock.sleep(POLL_MS, watching);
    over.abort(new TaskEnded());
  };
  ended().catch((error: unknown) => {
    if (!watching.aborted) over.abort(isRuntimeError(error, 'notFound') ? new TaskEnded() : error);
  });
  try {
    yield* lines;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(over.signal.reason instanceof TaskEnded)) throw error;
  } finally {
    over.abort();
  }
}

class TaskEnded extends Error {
  override readonly name = 'TaskEnded';
}

async function* none(): AsyncGenerator<LogLine, void> {
  // A node that is down, or no container yet.
}
