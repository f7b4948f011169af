/** Reads one sample of a container's resource usage. */
import { utcTime } from '../engine/time.js';
import { RuntimeError } from '../errors.js';
import { numberOf, objectOf, objectsOf, textOf, type Json } from '../json.js';
import type { StatsSample } from '../records.js';
import type { EngineClient } from './client.js';
import { segment } from './requests.js';

/**
 * `one-shot` skips the second that the engine would spend on computing a rate.
 *
 * @throws RuntimeError.invalidState for a container that has ended since it was inspected, or is about to be restarted
 */
export async function statsSample(client: EngineClient, id: string, signal?: AbortSignal): Promise<StatsSample> {
  const path = `/containers/${segment(id)}/stats`;
  const query = { stream: false, 'one-shot': true };
  const stats = objectOf(await client.call({ id }, { method: 'GET', path, query, signal }));
  const sampledAt = utcTime(textOf(stats.read));
  // Docker does not refuse: it replies with zeros, taken in the year 1.
  if (sampledAt === undefined) {
    throw new RuntimeError({ case: 'invalidState', id, expected: 'running', actual: 'exited' });
  }
  return sampleOf(id, sampledAt, stats);
}

function sampleOf(id: string, sampledAt: string, stats: Json): StatsSample {
  const memory = objectOf(stats.memory_stats);
  const blocks = objectsOf(objectOf(stats.blkio_stats).io_service_bytes_recursive);
  const moved = (operation: string): number =>
    blocks
      .filter(({ op }) => textOf(op).toLowerCase() === operation)
      .reduce((total, { value }) => total + numberOf(value), 0);
  return {
    id,
    sampledAt,
    cpuUsageMicroseconds: Math.round(numberOf(objectOf(objectOf(stats.cpu_stats).cpu_usage).total_usage) / 1000),
    memoryUsageBytes: Math.max(0, numberOf(memory.usage) - cacheOf(objectOf(memory.stats))),
    memoryLimitBytes: numberOf(memory.limit),
    processes: numberOf(objectOf(stats.pids_stats).current),
    blockReadBytes: moved('read'),
    blockWriteBytes: moved('write'),
    networks: Object.entries(objectOf(stats.networks)).map(([name, traffic]) => ({
      interface: name,
      receivedBytes: numberOf(objectOf(traffic).rx_bytes),
      transmittedBytes: numberOf(objectOf(traffic).tx_bytes),
    })),
  };
}

/** Excludes page cache that the kernel can reclaim immediately, as `docker stats` does. */
function cacheOf(memory: Json): number {
  return numberOf(memory.total_inactive_file ?? memory.inactive_file);
}
