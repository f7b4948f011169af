/** Waits until the dependencies of a service meet the conditions in its labels, before its containers start. */
import { getContainerLogs, inspectContainer, type Schemas } from '@plumbline/sdk/compose';
import { ComposeWaitError } from '../../orchestrator/errors.js';
import type { Member } from '../../orchestrator/actual-state.js';
import { explainExit, SHOWN_LINES } from '../../orchestrator/explanation.js';
import { POLL_MS, WAIT_SECONDS } from '../../orchestrator/wait.js';
import { RuntimeError } from '../../runtime/errors.js';
import { hasEnded } from '../../runtime/lifecycle.js';
import { Explained } from '../failures.js';
import { printable } from '../text.js';
import type { Session } from '../session.js';
import type { Remote } from './connection.js';

/**
 * @param idle the containers to be started, all of one service
 * @param members all containers of the command; dependencies outside them are ignored
 * @throws ComposeWaitError; immediately for an unhealthy container
 * @throws Explained for a container that has ended and can therefore never satisfy the condition
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
  remote: Remote,
  { id, name }: Member['container'],
  condition: Member['dependencies'][number]['condition'],
): Promise<void> {
  if (condition === 'service_started') return;
  const { client, signal, ask } = remote;
  let endedAt: string | null = null;
  const begun = io.clock.now().getTime();
  const timedOut = (seconds: number): ComposeWaitError =>
    new ComposeWaitError({ case: 'timeout', containerName: name, condition, seconds });
  for (;;) {
    const container = await ask(inspectContainer(client, { params: { id }, signal }));
    const { exit_code, health, status, started_at, finished_at } = container;
    const waited = io.clock.now().getTime() - begun;
    if (condition === 'service_healthy' && health?.status === 'healthy') return;
    // The health of a previous run may be reported until the first check of this one.
    const isChecked = health?.status === 'unhealthy' && (health.checked_at ?? '') >= (started_at ?? '');
    if (condition === 'service_healthy' && status === 'running' && isChecked) throw timedOut(Math.round(waited / 1000));
    if (condition === 'service_completed_successfully' && exit_code !== null) {
      if (exit_code === 0) return;
      throw await explained(
        remote,
        container,
        new ComposeWaitError({ case: 'nonZeroExitCode', containerName: name, exitCode: exit_code }),
      );
    }
    if (condition === 'service_healthy' && hasEnded(status)) {
      // The restart policy may start the container again before the next check.
      if (finished_at === endedAt) {
        const failure = new RuntimeError({ case: 'invalidState', id: name, expected: 'running', actual: status });
        throw await explained(remote, container, failure);
      }
      endedAt = finished_at;
    }
    // A job has no limit, and a health check that runs gives its verdict.
    const hasLimit = condition === 'service_healthy' && health?.status !== 'starting';
    if (hasLimit && waited >= WAIT_SECONDS * 1000) throw timedOut(WAIT_SECONDS);
    await io.clock.sleep(POLL_MS, signal);
  }
}

/** Adds the exit code and the last lines of the log. */
async function explained(
  { client, signal, follow }: Remote,
  { id, name, exit_code, out_of_memory }: Schemas['Container'],
  failure: Error,
): Promise<Explained> {
  const lines: string[] = [];
  const query = { tail: String(SHOWN_LINES) };
  for await (const { line } of follow(getContainerLogs(client, { params: { id }, query, signal }))) lines.push(line);
  const container = { name, exitCode: exit_code ?? undefined, outOfMemory: out_of_memory };
  return new Explained(failure, explainExit(container, lines).map(printable));
}
