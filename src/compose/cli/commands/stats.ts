/** `stats`: the resource usage of a project's containers. */
import type { Command } from 'commander';
import { observeProject, type Member } from '../../orchestrator/actual-state.js';
import type { Orchestration } from '../../orchestrator/orchestration.js';
import { isRuntimeError } from '../../runtime/errors.js';
import type { StatsSample } from '../../runtime/records.js';
import { define } from '../command.js';
import type { StatsFlags } from '../flags.js';
import { FORMAT_HELP } from '../format/listing.js';
import type { Io } from '../io.js';
import { printStats, type StatsSource } from '../print/stats.js';
import type { Session } from '../session.js';

export function statsCommand(compose: Command, io: Io): void {
  define<StatsFlags>(compose, io, {
    usage: 'stats [services...]',
    description: 'print the resource usage of containers, each second until Ctrl-C',
    options: (command) =>
      command
        .option('-a, --all', 'include containers that are not running')
        .option('--format <format>', FORMAT_HELP)
        .option('--no-stream', 'print one sample and exit')
        .option('--no-trunc', 'do not shorten ids'),
    examples: ['compose stats', "compose stats --no-stream --format '{{.Name}} {{.MemUsage}}'"],
    run: async (session, services, flags) => {
      try {
        await printStats(session, services, flags, await engineSource(session));
      } catch (error) {
        // Ctrl-C is the normal end of following.
        if (!session.signal.aborted) throw error;
      }
      return 0;
    },
    remote: async () => (await import('../remote/stats.js')).stats,
  });
}

async function engineSource(session: Session): Promise<StatsSource> {
  const orchestration = await session.orchestration();
  return {
    members: (project) => observeProject(orchestration, project),
    samples: (_project, members) => sampled(orchestration, members),
  };
}

/** A container that has ended has no sample. */
async function sampled(
  { backend, signal }: Orchestration,
  members: readonly Member[],
): Promise<ReadonlyMap<string, StatsSample>> {
  const running = members.filter(({ container }) => container.status === 'running');
  const samples = await Promise.all(
    running.map(async ({ container }) => {
      try {
        return [await backend.containers.stats(container.id, { signal })];
      } catch (error) {
        if (isRuntimeError(error, 'invalidState') || isRuntimeError(error, 'notFound')) return [];
        throw error;
      }
    }),
  );
  return new Map(samples.flat().map((sample) => [sample.id, sample]));
}
