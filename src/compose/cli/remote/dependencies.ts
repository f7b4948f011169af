/** Waits until what a service depends on is as far as its labels ask, before its containers are started. */
import { inspectContainer } from '@plumbline/sdk/compose';
import { ComposeWaitError } from '../../orchestrator/errors.js';
import type { Member } from '../../orchestrator/observed.js';
import { POLL_MS, WAIT_SECONDS } from '../../orchestrator/wait.js';
import type { Session } from '../session.js';
import type { Remote } from './connection.js';

/**
 * @param idle the containers that are about to be started, of one service
 * @param members all that the command is about; a dependency that is not among them is none of its
 * @throws ComposeWaitError
 */
export async function awaitDependencies(
  session: Session,
  remote: Remote,
  idle: readonly Member[],
  members: readonly Member[],
): Promise<void> {
  const waits = (idle[0]?.dependencies ?? []).flatMap(({ service, condition }) =>
    members
      .filter((member) => member.service === service)
      .map(({ container }) => awaitCondition(session, remote, container, condition)),
  );
  await Promise.all(waits);
}

async function awaitCondition(
  { io }: Session,
  { client, signal, ask }: Remote,
  { id, name }: Member['container'],
  condition: Member['dependencies'][number]['condition'],
): Promise<void> {
  if (condition === 'service_started') return;
  const deadline = io.clock.now().getTime() + WAIT_SECONDS * 1000;
  for (;;) {
    const { exit_code, health } = await ask(inspectContainer(client, { params: { id }, signal }));
    if (condition === 'service_healthy' && health?.status === 'healthy') return;
    if (condition === 'service_completed_successfully' && exit_code !== null) {
      if (exit_code === 0) return;
      throw new ComposeWaitError({ case: 'nonZeroExitCode', containerName: name, exitCode: exit_code });
    }
    if (io.clock.now().getTime() >= deadline) {
      throw new ComposeWaitError({ case: 'timeout', containerName: name, condition, seconds: WAIT_SECONDS });
    }
    await io.clock.sleep(POLL_MS, signal);
  }
}
