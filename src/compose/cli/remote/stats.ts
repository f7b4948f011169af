/** stats on a server. */
import { listContainerStats, type Schemas } from '@plumbline/sdk/compose';
import { LABELS } from '../../orchestrator/labels.js';
import type { StatsSample } from '../../runtime/records.js';
import type { Handler } from '../command.js';
import type { StatsFlags } from '../flags.js';
import { printStats } from '../print/stats.js';
import { connect, type Remote } from './connection.js';
import { allMembers } from './members.js';

export const stats: Handler<StatsFlags> = async (session, services, flags) => {
  const remote = await connect(session);
  try {
    await printStats(session, services, flags, {
      members: (project) => allMembers(remote, project),
      samples: (project) => samplesOf(remote, project),
    });
  } catch (error) {
    // Ctrl-C is the normal end of following.
    if (!session.signal.aborted) throw error;
  }
  return 0;
};

async function samplesOf({ client, signal, follow }: Remote, project: string): Promise<Map<string, StatsSample>> {
  const samples = new Map<string, StatsSample>();
  const query = { label: [`${LABELS.project}=${project}`] };
  for await (const sample of follow(listContainerStats(client, { query, signal }))) {
    samples.set(sample.id, recordOf(sample));
  }
  return samples;
}

function recordOf(sample: Schemas['StatsSample']): StatsSample {
  return {
    id: sample.id,
    sampledAt: sample.sampled_at,
    cpuUsageMicroseconds: sample.cpu_usage_microseconds,
    memoryUsageBytes: sample.memory_usage_bytes,
    memoryLimitBytes: sample.memory_limit_bytes,
    processes: sample.processes,
    blockReadBytes: sample.block_read_bytes,
    blockWriteBytes: sample.block_write_bytes,
    networks: sample.networks.map(({ interface: name, received_bytes, transmitted_bytes }) => ({
      interface: name,
      receivedBytes: received_bytes,
      transmittedBytes: transmitted_bytes,
    })),
  };
}
