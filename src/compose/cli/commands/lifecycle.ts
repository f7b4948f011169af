/** start, stop, restart, kill, rm. */
import type { Command } from 'commander';
import { removeMembers } from '../../orchestrator/down.js';
import {
  killProject,
  removableMembers,
  restartProject,
  startProject,
  stopProject,
} from '../../orchestrator/lifecycle.js';
import type { Member } from '../../orchestrator/observed.js';
import { knownSignal, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { EXIT_FAILURE, UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';

const TIMEOUT = ['-t, --timeout <seconds>', 'how long containers may take to stop (default: 10)'] as const;

export function startCommand(compose: Command, io: Io): void {
  define(compose, io, {
    usage: 'start [services...]',
    description: 'start containers that exist',
    run: async (session, services) => {
      const selection = await session.select(services);
      const orchestration = await session.orchestration();
      await session.explaining(() => startProject(orchestration, selection));
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).start,
  });
}

export function stopCommand(compose: Command, io: Io): void {
  define<{ timeout?: number }>(compose, io, {
    usage: 'stop [services...]',
    description: 'stop containers, keep them',
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
    description: 'stop and start containers, with those that ask to be restarted with them',
    options: (command) =>
      command.option(...TIMEOUT, wholeNumber).option('--no-deps', 'leave out services that depend on these'),
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
  define<{ signal?: string }>(compose, io, {
    usage: 'kill [services...]',
    description: 'send a signal to containers',
    options: (command) => command.option('-s, --signal <signal>', 'which one (default: SIGKILL)', knownSignal),
    run: async (session, services, { signal }) => {
      await killProject(await session.orchestration(), { ...(await session.select(services)), killSignal: signal });
      return 0;
    },
    remote: async () => (await import('../remote/lifecycle.js')).kill,
  });
}

export interface RmFlags {
  readonly force?: boolean;
  readonly stop?: boolean;
  readonly volumes?: boolean;
}

export function rmCommand(compose: Command, io: Io): void {
  define<RmFlags>(compose, io, {
    usage: 'rm [services...]',
    description: 'remove containers that do not run',
    options: (command) =>
      command
        .option('-f, --force', 'do not ask')
        .option('-s, --stop', 'stop them first')
        .option('-v, --volumes', 'remove their anonymous volumes, too'),
    run: async (session, services, flags) => {
      const selection = await session.select(services);
      const orchestration = await session.orchestration();
      const stop = flags.stop === true;
      const members = await removableMembers(orchestration, { ...selection, stop });
      if (members.length === 0) {
        await session.io.stderr.write('No stopped containers.\n');
        return 0;
      }
      if (flags.force !== true && !(await mayRemove(session, members))) return EXIT_FAILURE;
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

/** Only a person can be asked. */
export async function mayRemove({ io }: Session, members: readonly Member[]): Promise<boolean> {
  if (!io.stdin.isTerminal) throw new UsageError('rm asks before it removes; without a terminal it needs --force.');
  await io.stderr.write(`Remove ${members.map(({ container }) => container.name).join(', ')}? [y/N] `);
  for await (const answer of io.stdin) return /^y(es)?$/i.test(Buffer.from(answer).toString().trim());
  return false;
}
