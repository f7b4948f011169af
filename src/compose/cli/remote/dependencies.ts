/** Waits until the dependencies of a service meet the conditions in its labels, before its containers start. */
import { inspectContainer } from '@plumbline/sdk/compose';
import { ComposeWaitError } from '../../orchestrator/errors.js';
import type { Member } from '../../orchestrator/observed.js';
import { POLL_MS, WAIT_SECONDS } from '../../orchestrator/wait.js';
import type { Session } from '../session.js';
import type { Remote } from './connection.js';

/**
 * @param idle the containers to be started, all of one service
 * @param members all containers of the command; dependencies outside them are ignored
 * @throws ComposeWaitError; immediately for an unhealthy container
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
  const begun = io.clock.now().getTime();
  const timedOut = (seconds: number): ComposeWaitError =>
    new ComposeWaitError({ case: 'timeout', containerName: name, condition, seconds });
  for (;;) {
    const { exit_code, health, status, started_at } = await ask(inspectContainer(client, { params: { id }, signal }));
    const waited = io.clock.now().getTime() - begun;
    if (condition === 'service_healthy' && health?.status === 'healthy') return;
    // The health of a previous run may be reported until the first check of this one.
    const isChecked = health?.status === 'unhealthy' && (health.checked_at ?? '') >= (started_at ?? '');
    if (condition === 'service_healthy' && status === 'running' && isChecked) throw timedOut(Math.round(waited / 1000));
    if (condition === 'service_completed_successfully' && exit_code !== null) {
      if (exit_code === 0) return;
      throw new ComposeWaitError({ case: 'nonZeroExitCode', containerName: name, exitCode: exit_code });
    }
    if (waited >= WAIT_SECONDS * 1000) throw timedOut(WAIT_SECONDS);
    await io.clock.sleep(POLL_MS, signal);
  }
}
