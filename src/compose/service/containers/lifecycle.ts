/** Starts, stops and waits for one container. */
import type {
  KillContainerHandler,
  PauseContainerHandler,
  RestartContainerHandler,
  StartContainerHandler,
  StopContainerHandler,
  UnpauseContainerHandler,
  WaitForContainerHandler,
} from '../../../../generated/compose/operations.js';
import { validationFailed } from '../../../../generated/problems.js';
import { RuntimeError } from '../../runtime/errors.js';
import type { ContainerRecord } from '../../runtime/records.js';
import { signalName } from '../../runtime/signals.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';

const ofStatus = ['RuntimeError.notFound', 'RuntimeError.invalidState'] as const;
const ofStatusAndTime = [...ofStatus, 'RuntimeError.timeout'] as const;

export const startContainer: StartContainerHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofStatus, async () => {
    await backend.containers.start(params.id, { signal: context.signal });
    return { status: 204 };
  });

export const stopContainer: StopContainerHandler<ComposeDependencies> = ({ params, body, context }, { backend }) =>
  answering(ofStatus, async () => {
    await backend.containers.stop(params.id, { signal: context.signal, ...patience(body) });
    return { status: 204 };
  });

export const restartContainer: RestartContainerHandler<ComposeDependencies> = (
  { params, body, context },
  { backend },
) =>
  answering(ofStatusAndTime, async () => {
    await backend.containers.restart(params.id, { signal: context.signal, ...patience(body) });
    return { status: 204 };
  });

export const killContainer: KillContainerHandler<ComposeDependencies> = ({ params, body, context }, { backend }) =>
  answering(ofStatusAndTime, async () => {
    const killSignal = signalName(String(body?.signal ?? 'SIGKILL'));
    if (killSignal === undefined) return noSignal;
    await backend.containers.kill(params.id, { signal: context.signal, killSignal });
    return { status: 204 };
  });

const noSignal = validationFailed({
  message: 'Correct the request: /body/signal must be the name or number of a signal.',
  violations: [{ path: '/body/signal', rule: 'signal', message: 'must be the name or number of a signal' }],
});

export const pauseContainer: PauseContainerHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofStatus, async () => {
    const { signal } = context;
    const { status, condition } = await backend.containers.inspect(params.id, { signal });
    requireRunning(params.id, status);
    if (condition !== 'paused') await backend.containers.pause(params.id, { signal });
    return { status: 204 };
  });

export const unpauseContainer: UnpauseContainerHandler<ComposeDependencies> = ({ params, context }, { backend }) =>
  answering(ofStatus, async () => {
    const { signal } = context;
    const { status, condition } = await backend.containers.inspect(params.id, { signal });
    requireRunning(params.id, status);
    if (condition === 'paused') await backend.containers.unpause(params.id, { signal });
    return { status: 204 };
  });

/** @throws RuntimeError.invalidState */
function requireRunning(id: string, status: ContainerRecord['status']): void {
  if (status !== 'running') throw new RuntimeError({ case: 'invalidState', id, expected: 'running', actual: status });
}

export const waitForContainer: WaitForContainerHandler<ComposeDependencies> = (
  { params, query, context },
  { backend },
) =>
  answering(
    ['RuntimeError.notFound', 'RuntimeError.notSupported', 'RuntimeError.timeout'],
    async () => {
      const options = { signal: context.signal, timeoutSeconds: query.timeout_seconds };
      const { exitCode, exitedAt } = await backend.containers.wait(params.id, options);
      return { status: 200, body: { exit_code: exitCode, exited_at: exitedAt } };
    },
    408,
  );

function patience(body: { readonly timeout_seconds?: number } | undefined): { timeoutSeconds?: number } {
  return body?.timeout_seconds === undefined ? {} : { timeoutSeconds: body.timeout_seconds };
}
