import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/compose/runtime/clock.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { commandFailed, RuntimeError } from '../../../src/compose/runtime/errors.js';
import type { OperationName } from '../../../src/compose/runtime/mock/faults.js';
import { exampleRequests, initOf, urlOf } from '../../support/examples.js';
import { recordingFetch } from '../../support/recorder.js';
import { record } from '../../../src/contract-tools/documents.js';
import { runService, shop, type RunningService } from './running-service.js';

/** The operation of the backend that each operation of the API stands or falls with. */
const standsOn: Readonly<Record<string, OperationName>> = {
  getInfo: 'info',
  streamEvents: 'events',
  watchEvents: 'events',
  listContainers: 'listContainers',
  inspectContainer: 'inspectContainer',
  removeContainer: 'removeContainer',
  startContainer: 'start',
  stopContainer: 'stop',
  restartContainer: 'restart',
  killContainer: 'kill',
  pauseContainer: 'pause',
  unpauseContainer: 'inspectContainer',
  waitForContainer: 'wait',
  getContainerLogs: 'logs',
  watchContainerLogs: 'inspectContainer',
  getContainerStats: 'followStats',
  listContainerStats: 'listContainers',
  execInContainer: 'exec',
  listContainerProcesses: 'top',
  listImages: 'listImages',
  pullImage: 'pull',
  listNetworks: 'listNetworks',
  createNetwork: 'createNetwork',
  inspectNetwork: 'inspectNetwork',
  removeNetwork: 'removeNetwork',
  listVolumes: 'listVolumes',
  createVolume: 'createVolume',
  inspectVolume: 'inspectVolume',
  removeVolume: 'removeVolume',
  listSecrets: 'listSecrets',
  createSecret: 'createSecret',
  inspectSecret: 'inspectSecret',
  removeSecret: 'removeSecret',
  listProjects: 'listContainers',
  getProject: 'listContainers',
  deleteProject: 'listContainers',
  listProjectServices: 'listContainers',
  writeProjectFiles: 'listContainers',
  streamProjectLogs: 'listContainers',
  watchProjectLogs: 'listContainers',
  upProject: 'listContainers',
  downProject: 'listContainers',
  stopProject: 'listContainers',
  restartProject: 'listContainers',
  scaleService: 'listContainers',
  buildProject: 'listContainers',
  pullProject: 'listContainers',
};

let clockFails = false;
const fallibleClock: Clock = {
  ...systemClock,
  now() {
    if (clockFails) throw new Error('The clock has stopped, says /etc/secret');
    return systemClock.now();
  },
};

let running: RunningService;
beforeAll(async () => {
  running = await runService({ clock: fallibleClock, allow: ['build'] });
  await running.up('shop', shop);
});
afterAll(() => running.stop());

const examples = new Map(exampleRequests('compose').map((example) => [example.operationId, example]));
const failure = (failureCase: 'backendFailure' | 'persistenceFailure', message: string): RuntimeError =>
  new RuntimeError({ case: failureCase, message });

/** Sends the example of an operation. */
async function send(operationId: string): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> {
  const example = examples.get(operationId);
  if (example === undefined) throw new Error(`${operationId} has no example`);
  const response = await recordingFetch('compose')(running.url + urlOf(example), initOf(example));
  return { status: response.status, body: record(await response.json()) };
}

describe.each(Object.entries(standsOn))('%s', (operationId, operation) => {
  test('is 502 with the message of the engine when the engine fails', async () => {
    running.faults.fail(operation, failure('backendFailure', 'The engine is tired.'));
    expect(await send(operationId)).toMatchObject({
      status: 502,
      body: { error: 'RuntimeError', case: 'backendFailure', message: 'The engine is tired.' },
    });
  });

  test('is 502 with the message of the program when the program of the engine fails', async () => {
    running.faults.fail(operation, commandFailed('Podman is not installed.'));
    expect(await send(operationId)).toMatchObject({
      status: 502,
      body: { error: 'TerminalError', case: 'commandFailed', message: 'Podman is not installed.' },
    });
  });

  test('is 500 without details for an unexpected error', async () => {
    // A failure that this operation does not document: the backend breaks its promise.
    const id = 'something-secret';
    const unforeseen: RuntimeError = operationId.startsWith('create')
      ? new RuntimeError({ case: 'timeout', id, seconds: 1 })
      : operationId === 'upProject' || operationId === 'scaleService'
        ? new RuntimeError({ case: 'timeout', id, seconds: 1 })
        : new RuntimeError({ case: 'alreadyExists', id });
    running.faults.fail(operation, unforeseen);
    const { status, body } = await send(operationId);
    expect([status, body['type']]).toEqual([500, '/problems/internal-error']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(running.log.at(-2)).toContain(String(body['request_id']));
  });
});

test.each([
  ['backendFailure', failure('backendFailure', 'The engine is tired.')],
  ['commandFailed', commandFailed('Podman is not installed.')],
])('A new project is 502 if the engine cannot say whether its name is in use: %s', async (failureCase, error) => {
  running.faults.fail('listContainers', error);
  expect(await running.expect(502, 'POST', '/projects/new-one', shop)).toMatchObject({ case: failureCase });
});

/** Reading or writing the state of a stop is part of everything that tells or changes the status of a container. */
const stateless = /Image|Network|Volume|Secret|Events|getContainerLogs/;
test.each(Object.entries(standsOn).filter(([operationId]) => !stateless.test(operationId)))(
  '%s is 500 if the state cannot be stored',
  async (operationId, operation) => {
    running.faults.fail(operation, failure('persistenceFailure', 'The state of a stop could not be read (EIO).'));
    expect(await send(operationId)).toMatchObject({
      status: 500,
      body: { error: 'RuntimeError', case: 'persistenceFailure' },
    });
  },
);

test.each([
  ['restartContainer', 'restart'],
  ['killContainer', 'kill'],
] as const)('%s is 504 if the container does not end in time', async (operationId, operation) => {
  running.faults.fail(operation, new RuntimeError({ case: 'timeout', id: 'shop-web', seconds: 30 }));
  expect(await send(operationId)).toMatchObject({
    status: 504,
    body: { case: 'timeout', id: 'shop-web', seconds: 30 },
  });
});

test('A restart is 409 if another client has started the container', async () => {
  running.faults.fail(
    'restart',
    new RuntimeError({ case: 'invalidState', id: 'shop-web', expected: 'stopped', actual: 'running' }),
  );
  expect(await send('restartContainer')).toMatchObject({ status: 409, body: { actual: 'running' } });
});

test('A compose file is 500 on an unexpected error', async () => {
  clockFails = true;
  const response = await running.call('POST', '/projects/unforeseen', shop);
  clockFails = false;
  const text = await response.text();
  expect([response.status, text]).toEqual([500, expect.stringContaining('internal-error')]);
  expect(text).not.toContain('/etc/secret');
});

test.each([
  ['build', 'build'],
  ['pull', 'pull'],
] as const)('An unexpected error ends the stream of a %s with a line without details', async (path, operation) => {
  await running.expect(
    201,
    'POST',
    `/projects/odd-${path}`,
    'services: { web: { build: ., image: x }, db: { image: y } }',
  );
  const broken = Object.assign(new RuntimeError({ case: 'notFound', id: 'x' }), { name: 'Odd' });
  Object.setPrototypeOf(broken, Error.prototype);
  running.faults.fail(operation, broken);
  const response = await running.call('POST', `/projects/odd-${path}/${path}`, {});
  expect(await response.text()).toContain('"error":"InternalError"');
});
