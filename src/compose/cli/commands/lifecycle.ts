import type { Command } from 'commander';
import { removeMembers, removeOrphansOf } from '../../orchestrator/down.js';
import {
  killProject,
  pauseProject,
  removableMembers,
  restartProject,
  selectMembers,
  startProject,
  stopProject,
  unpauseProject,
} from '../../orchestrator/lifecycle.js';
import { awaitReady } from '../../orchestrator/readiness.js';
import { knownSignal, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { EXIT_FAILURE } from '../failures.js';
import type { Io } from '../io.js';
import type { KillFlags, RmFlags, StartFlags } from '../flags.js';
import { keepOrphans, removesOrphans } from '../settings.js';
import { mayRemove } from '../confirm-removal.js';

const TIMEOUT = ['-t, --timeout <seconds>', 'time for containers to stop (default: 10)'] as const;

export function startCommand(compose: Command, io: Io): void {
  define<StartFlags>(compose, io, {
    usage: 'start [services...]',
    description: 'start existing containers',
    options: (command) =>
      command
        .option('--wait', 'wait until all are running and healthy')
        .option('--wait-timeout <seconds>', 'limit of --wait (default: 60, or what a health check needs)', wholeNumber),
    run: async (session, services, { wait, waitTimeout }) => {
      const selection = await session.select(services);
      const orchestration = await session.orchestration();
      await session.explaining(async () => {
        await startProject(orchestration, selection);
        if (wait !== true) return;
        const members = await selectMembers(orchestration, selection);
        await awaitReady(orchestration, members, { project: selection.project, seconds: waitTimeout });
      });
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).start,
  });
}

export function stopCommand(compose: Command, io: Io): void {
  define<{ timeout?: number }>(compose, io, {
    usage: 'stop [services...]',
    stops: true,
    description: 'stop containers without removing them',
    options: (command) => command.option(...TIMEOUT, wholeNumber),
    run: async (session, services, { timeout }) => {
      await stopProject(await session.orchestration(), {
        ...(await session.select(services)),
        timeoutSeconds: timeout,
      });
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).stop,
  });
}

export function restartCommand(compose: Command, io: Io): void {
  define<{ timeout?: number; deps?: boolean }>(compose, io, {
    usage: 'restart [services...]',
    stops: true,
    description: 'restart containers, and dependants that request it',
    options: (command) => command.option(...TIMEOUT, wholeNumber).option('--no-deps', 'do not restart dependants'),
    run: async (session, services, { timeout, deps }) => {
      const selection = await session.select(services);
      const orchestration = await session.orchestration();
      const restarted = { ...selection, timeoutSeconds: timeout, dependants: deps !== false };
      await session.explaining(() => restartProject(orchestration, restarted));
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).restart,
  });
}

export function killCommand(compose: Command, io: Io): void {
  define<KillFlags>(compose, io, {
    usage: 'kill [services...]',
    description: 'send a signal to containers',
    options: (command) =>
      command
        .option('--remove-orphans', 'also remove containers of services not in the compose file')
        .addOption(keepOrphans())
        .option('-s, --signal <signal>', 'signal to send (default: SIGKILL)', knownSignal),
    run: async (session, services, { signal, ...flags }) => {
      const removeOrphans = removesOrphans(flags, session.variables);
      const selection = await session.select(services);
      const orchestration = await session.orchestration();
      await killProject(orchestration, { ...selection, killSignal: signal });
      if (removeOrphans && selection.project) await removeOrphansOf(orchestration, selection.project);
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).kill,
  });
}

export function pauseCommand(compose: Command, io: Io): void {
  define(compose, io, {
    usage: 'pause [services...]',
    description: 'suspend the processes of containers',
    run: async (session, services) => {
      await pauseProject(await session.orchestration(), await session.select(services));
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).pause,
  });
}

export function unpauseCommand(compose: Command, io: Io): void {
  define(compose, io, {
    usage: 'unpause [services...]',
    description: 'resume paused containers',
    run: async (session, services) => {
      await unpauseProject(await session.orchestration(), await session.select(services));
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).unpause,
  });
}

export function rmCommand(compose: Command, io: Io): void {
  define<RmFlags>(compose, io, {
    usage: 'rm [services...]',
    stops: true,
    description: 'remove stopped containers',
    options: (command) =>
      command
        .option('-f, --force', 'do not ask for confirmation')
        .option('-s, --stop', 'stop them first')
        .option('-v, --volumes', 'also remove their anonymous volumes'),
    run: async (session, services, flags) => {
      const selection = await session.select(services);
      const orchestration = await session.orchestration();
      const stop = flags.stop === true;
      const members = await removableMembers(orchestration, { ...selection, stop });
      if (members.length === 0) {
        await session.io.stderr.write('No stopped containers.\n');
        return 0;
      }
      const isCertain = flags.force === true || session.isDryRun;
      if (!isCertain && !(await mayRemove(session, members))) return EXIT_FAILURE;
      await removeMembers(orchestration, members, {
        stop,
        volumes: flags.volumes === true,
        project: selection.project,
      });
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).rm,
  });
}
