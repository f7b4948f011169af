/** start, stop, restart, kill, pause, unpause, rm and wait on a server. */
import {
  downProject,
  inspectContainer,
  killContainer,
  pauseContainer,
  removeContainer,
  restartProject,
  startContainer,
  stopContainer,
  unpauseContainer,
  waitForContainer,
} from '@plumbline/sdk/compose';
import { dependenciesIn } from '../../orchestrator/down.js';
import type { Member } from '../../orchestrator/actual-state.js';
import { inDependencyOrder, reversed } from '../../orchestrator/ordered.js';
import { POLL_MS } from '../../orchestrator/wait.js';
import { hasEnded } from '../../runtime/lifecycle.js';
import type { Handler } from '../command.js';
import { mayRemove } from '../confirm-removal.js';
import type { KillFlags, RmFlags, StartFlags } from '../flags.js';
import { EXIT_FAILURE, UsageError } from '../failures.js';
import type { Session } from '../session.js';
import { connect, type Remote } from './connection.js';
import { awaitDependencies } from './dependencies.js';
import { RemoteFailure } from './failures.js';
import { chosenMembers } from './members.js';
import { refuseOptions } from './refused.js';

interface TimeoutFlags {
  readonly timeout?: number;
}

export const start: Handler<StartFlags> = async (session, services, flags) => {
  refuseOptions('start', flags, { wait: '--wait' });
  const remote = await connect(session);
  const members = await chosenMembers(remote, await session.select(services));
  await inDependencyOrder(
    [...new Set(members.map(({ service }) => service))],
    (service) => dependenciesIn(members, service),
    async (name, signal) => {
      const idle = members.filter(({ service, container }) => service === name && container.status !== 'running');
      await awaitDependencies(session, { ...remote, signal }, idle, members);
      await Promise.all(idle.map((member) => startOne(session, remote, member)));
    },
    remote,
  );
  return 0;
};

export const stop: Handler<TimeoutFlags> = async (session, services, { timeout }) => {
  const remote = await connect(session);
  await stopAll(session, remote, await chosenMembers(remote, await session.select(services)), timeout);
  return 0;
};

/** Stops running containers, before their dependencies. */
export async function stopAll(
  session: Session,
  remote: Remote,
  members: readonly Member[],
  timeout?: number,
): Promise<void> {
  const services = [...new Set(members.map(({ service }) => service))];
  await inDependencyOrder(
    services,
    reversed(services, (service) => dependenciesIn(members, service)),
    async (name) => {
      const own = members.filter(({ service, container: { status } }) => service === name && isRunning(status));
      await Promise.all(own.map((member) => stopOne(session, remote, member, timeout)));
    },
    remote,
  );
}

export const restart: Handler<TimeoutFlags & { deps?: boolean }> = async (session, services, flags) => {
  refuseOptions('restart', flags, { deps: '--no-deps' });
  const { name } = await session.select(services);
  const { client, signal, ask } = await connect(session);
  const { timeout } = flags;
  const body = { services: [...services], ...(timeout !== undefined && { timeout_seconds: timeout }) };
  const { restarted } = await ask(restartProject(client, { params: { name }, body, signal }));
  for (const container of restarted) report(session, container, 'Restarted');
  return 0;
};

export const kill: Handler<KillFlags> = async (session, services, flags) => {
  refuseOptions('kill', flags, { removeOrphans: '--remove-orphans' });
  const remote = await connect(session);
  const members = await chosenMembers(remote, await session.select(services));
  const body = flags.signal === undefined ? {} : { body: { signal: flags.signal } };
  const alive = members.filter(({ container }) => isRunning(container.status));
  await Promise.all(
    alive.map((member) =>
      told(session, member, ['Killing', 'Killed'], ({ id }) =>
        settled(remote, killContainer(remote.client, { params: { id }, ...body, signal: remote.signal })),
      ),
    ),
  );
  return 0;
};

export const pause: Handler<object> = async (session, services) =>
  onRunning(session, services, ['Pausing', 'Paused'], pauseContainer);

export const unpause: Handler<object> = async (session, services) =>
  onRunning(session, services, ['Unpausing', 'Unpaused'], unpauseContainer);

async function onRunning(
  session: Session,
  services: readonly string[],
  words: readonly [string, string],
  act: typeof pauseContainer,
): Promise<number> {
  const remote = await connect(session);
  const { client, signal } = remote;
  const members = await chosenMembers(remote, await session.select(services));
  const running = members.filter(({ container }) => container.status === 'running');
  await Promise.all(
    running.map((member) =>
      told(session, member, words, ({ id }) => settled(remote, act(client, { params: { id }, signal }))),
    ),
  );
  return 0;
}

export const rm: Handler<RmFlags> = async (session, services, flags) => {
  const remote = await connect(session);
  const chosen = await chosenMembers(remote, await session.select(services));
  const members = chosen.filter(
    ({ container: { status } }) => flags.stop === true || hasEnded(status) || status === 'created',
  );
  if (members.length === 0) {
    await session.io.stderr.write('No stopped containers.\n');
    return 0;
  }
  if (flags.force !== true && !(await mayRemove(session, members))) return EXIT_FAILURE;
  if (flags.stop === true) await stopAll(session, remote, members);
  await Promise.all(
    members.map((member) =>
      told(session, member, ['Removing', 'Removed'], ({ id, status }) => {
        // A container that was never started can only be removed with force.
        const query = { volumes: flags.volumes === true, force: status === 'created' };
        return settled(remote, removeContainer(remote.client, { params: { id }, query, signal: remote.signal }));
      }),
    ),
  );
  return 0;
};

const LONGEST_WAIT_SECONDS = 86_400;

export const wait: Handler<{ downProject?: boolean }> = async (session, services, flags) => {
  const remote = await connect(session);
  const selection = await session.select(services);
  const members = await chosenMembers(remote, selection);
  if (members.length === 0) throw new UsageError('These services have no containers to wait for.');
  const ended = new AbortController();
  const bound = { ...remote, signal: AbortSignal.any([remote.signal, ended.signal]) };
  const code = await Promise.race(members.map(({ container }) => exitCodeOf(session, bound, container.id))).finally(
    () => {
      ended.abort();
    },
  );
  if (flags.downProject === true) {
    const { client, signal, ask } = remote;
    await ask(downProject(client, { params: { name: selection.name }, signal }));
  }
  return code;
};

/** @returns once the container has ended; polls if the backend does not support waiting */
async function exitCodeOf({ io }: Session, { client, signal, ask }: Remote, id: string): Promise<number> {
  for (;;) {
    try {
      const query = { timeout_seconds: LONGEST_WAIT_SECONDS };
      return (await ask(waitForContainer(client, { params: { id }, query, signal }))).exit_code;
    } catch (error) {
      const entry = error instanceof RemoteFailure ? error.entry : undefined;
      if (entry === 'RuntimeError.timeout') continue;
      if (entry !== 'RuntimeError.notSupported') throw error;
      const { exit_code } = await ask(inspectContainer(client, { params: { id }, signal }));
      if (exit_code !== null) return exit_code;
      await io.clock.sleep(POLL_MS, signal);
    }
  }
}

async function startOne(session: Session, remote: Remote, member: Member): Promise<void> {
  await told(session, member, ['Starting', 'Started'], async ({ id }) => {
    await remote.ask(startContainer(remote.client, { params: { id }, signal: remote.signal }));
  });
}

async function stopOne(session: Session, remote: Remote, member: Member, timeout?: number): Promise<void> {
  const body = timeout === undefined ? {} : { body: { timeout_seconds: timeout } };
  await told(session, member, ['Stopping', 'Stopped'], ({ id }) =>
    settled(remote, stopContainer(remote.client, { params: { id }, ...body, signal: remote.signal })),
  );
}

/** It is not an error if the container has ended or is gone, because that is the desired result. */
async function settled(remote: Remote, act: Parameters<Remote['ask']>[0]): Promise<void> {
  try {
    await remote.ask(act);
  } catch (error) {
    const entry = error instanceof RemoteFailure ? error.entry : undefined;
    if (entry !== 'RuntimeError.invalidState' && entry !== 'RuntimeError.notFound') throw error;
  }
}

async function told(
  session: Session,
  { container }: Member,
  [during, after]: readonly [string, string],
  act: (container: Member['container']) => Promise<void>,
): Promise<void> {
  session.progress.report({ kind: 'status', resource: 'Container', name: container.name, status: during, done: false });
  try {
    await act(container);
    report(session, container.name, after);
  } catch (error) {
    report(session, container.name, 'Failed');
    throw error;
  }
}

function report({ progress }: Session, name: string, status: string): void {
  progress.report({ kind: 'status', resource: 'Container', name, status, done: true });
}

function isRunning(status: Member['container']['status']): boolean {
  return status === 'running' || status === 'stopping';
}
