import { afterAll, beforeAll, expect, test } from 'vitest';
import { RuntimeError, imageNotFound } from '../../../src/compose/runtime/errors.js';
import { refusedNetworks, refusedSecrets, refusedWait } from '../../../src/compose/runtime/engine/refusals.js';
import { allLines, runService, shop, type RunningService } from './running-service.js';

let running: RunningService;
beforeAll(async () => {
  running = await runService({ pullable: (reference) => !reference.includes('missing') });
});
afterAll(() => running.stop());

test('The server reports its version', async () => {
  expect(await running.expect(200, 'GET', '/_ping')).toEqual({
    ok: true,
    server: 'plumbline-compose',
    version: '0.0.0',
  });
  expect(await running.expect(200, 'GET', '/version')).toMatchObject({ api_version: 'v1', runtime_backend: 'mock' });
});

test('Info counts the containers by status', async () => {
  await running.up('counted', shop);
  await running.expect(204, 'POST', '/containers/counted-db/stop');
  expect(await running.expect(200, 'GET', '/info')).toMatchObject({
    containers: 2,
    containers_running: 1,
    containers_paused: 0,
    containers_stopped: 1,
    runtime_backend: 'mock',
  });
  await running.expect(204, 'DELETE', '/projects/counted?volumes=true');
});

test('Metrics count requests by operation, and omit containers while the backend does not answer', async () => {
  await running.up('measured', 'services: { a: { image: app } }');
  const read = async (): Promise<string> => (await running.call('GET', '/metrics')).text();
  const text = await read();
  expect(text).toMatch(/plumbline_compose_uptime_seconds \d/);
  expect(text).toMatch(/process_resident_memory_bytes \d/);
  expect(text).toContain('plumbline_compose_containers{status="running"} 1');
  expect(text).toContain('plumbline_compose_backend_up 1');
  expect(text).toMatch(/http_request_duration_seconds_count\{operation="upProject",method="POST",status="200"\} \d/);
  const failure = new RuntimeError({ case: 'backendFailure', message: 'It sleeps.' });
  running.faults.fail('listContainers', failure);
  running.faults.fail('ping', failure);
  const without = await read();
  expect(without).not.toContain('status="running"}');
  expect(without).toContain('plumbline_compose_backend_up 0');
  await running.expect(204, 'DELETE', '/projects/measured');
});

test('Metrics count the sampled replies that violate the contract, which are sent', async () => {
  const wrong = await runService({
    replyValidation: 'sampled',
    wrap: (backend) => ({
      ...backend,
      containers: {
        ...backend.containers,
        stats: async (...sent) => ({ ...(await backend.containers.stats(...sent)), sampledAt: 'yesterday' }),
      },
    }),
  });
  try {
    await wrong.up('measured', 'services: { a: { image: app } }');
    const sample = async (): Promise<string> => (await fetch(`${wrong.url}/stats`)).text();
    const counted = async (): Promise<boolean> => {
      const text = await (await wrong.call('GET', '/metrics')).text();
      return /^plumbline_reply_mismatch_total\{operation="listContainerStats"\} [1-9]/m.test(text);
    };
    // That 2,000 replies hold no sample has a chance of 2e-9.
    for (let sent = 0; sent < 2000 && !(await counted()); sent += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, sample));
      for (const reply of replies) expect(reply).toContain('"sampled_at":"yesterday"');
    }
    expect(await counted()).toBe(true);
  } finally {
    await wrong.stop();
  }
});

test('The contract is served, and the pages that problems link to', async () => {
  const contract = (await (await fetch(`${running.url}/openapi.json`)).json()) as { info: { title: string } };
  expect(contract.info.title).toBe('Plumbline Compose API');
  expect(await (await fetch(`${running.url}/problems/runtime-not-found`)).text()).toContain('<h1>Not found</h1>');
  const page = await (await fetch(`${running.url}/problems/listen-address-malformed`)).text();
  expect(page).toContain('On the command line');
});

test('An unknown path is 404, and an undocumented method 405', async () => {
  await running.expect(404, 'GET', '/no/such/path');
  const response = await running.call('PUT', '/containers');
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('Images are listed and pulled', async () => {
  const lines = await allLines(
    await running.call('POST', '/images/pull', { reference: 'other', platform: 'linux/amd64' }),
  );
  expect(lines.map(({ type }) => type)).toEqual(['progress', 'progress', 'done']);
  const { items } = (await running.expect(200, 'GET', '/images')) as { items: { tags: string[] }[] };
  expect(items.flatMap(({ tags }) => tags)).toContain('docker.io/library/other:latest');
  expect(await running.expect(200, 'GET', '/images?label=no-such-label')).toEqual({ items: [], next_cursor: null });
});

test('An image name that means a file of the server to Podman is 404', async () => {
  for (const reference of ['oci-archive:/etc/passwd', 'dir:/etc', 'containers-storage:x']) {
    expect(await running.expect(404, 'POST', '/images/pull', { reference })).toMatchObject({ case: 'imageNotFound' });
  }
});

test('A missing image is 404, or the last line if the stream has begun', async () => {
  const lines = await allLines(await running.call('POST', '/images/pull', { reference: 'missing' }));
  expect(lines.at(-1)).toMatchObject({ type: 'error', error: 'RuntimeError', case: 'imageNotFound' });
  running.faults.fail('pull', imageNotFound('missing'));
  expect(await running.expect(404, 'POST', '/images/pull', { reference: 'missing' })).toMatchObject({
    case: 'imageNotFound',
    reference: 'missing',
  });
});

test.each([
  ['networks', { name: 'front', labels: { a: 'b' } }, { driver: 'bridge', internal: false }],
  ['volumes', { name: 'data', labels: { a: 'b' } }, { driver: 'local' }],
  ['secrets', { name: 'key', value: 'hush', labels: { a: 'b' } }, {}],
])('%s are created, listed, read and removed', async (kind, body, more) => {
  const { name, labels } = body;
  const made = await running.expect(201, 'POST', `/${kind}`, body);
  expect(made).toMatchObject({ name, labels, ...more });
  expect(JSON.stringify(made)).not.toContain('hush');
  expect(await running.expect(409, 'POST', `/${kind}`, body)).toMatchObject({ case: 'alreadyExists', id: name });
  expect(await running.expect(200, 'GET', `/${kind}/${name}`)).toEqual(made);
  expect(await running.expect(200, 'GET', `/${kind}`)).toEqual({ items: [made], next_cursor: null });
  await running.expect(204, 'DELETE', `/${kind}/${name}`);
  for (const method of ['GET', 'DELETE']) {
    expect(await running.expect(404, method, `/${kind}/${name}`)).toMatchObject({ case: 'notFound', id: name });
  }
});

test.each([
  ['networks', ['label=a=b', 'label=a', 'label=c=d'], 1],
  ['networks', ['label=a=x', 'label=a=b'], 0],
  ['volumes', ['label=a=b', 'label=a', 'label=c=d'], 1],
  ['volumes', ['label=a=x', 'label=a=b'], 0],
])('The list of %s with the filters %j has %i items: all must hold', async (kind, filters, count) => {
  await running.expect(201, 'POST', `/${kind}`, { name: 'front', labels: { a: 'b', c: 'd' } });
  await running.expect(201, 'POST', `/${kind}`, { name: 'other', labels: { a: 'e', c: 'd' } });
  const { items } = (await running.expect(200, 'GET', `/${kind}?${filters.join('&')}`)) as { items: unknown[] };
  expect(items).toHaveLength(count);
  for (const name of ['front', 'other']) await running.expect(204, 'DELETE', `/${kind}/${name}`);
});

test('Networks and secrets, and waits on the bridge, are 501 where the backend refuses them, as documented', async () => {
  const refusing = await runService({
    wrap: (backend) => ({
      ...backend,
      conformer: 'bridge',
      containers: { ...backend.containers, wait: refusedWait('bridge') },
      networks: refusedNetworks('bridge'),
      secrets: refusedSecrets('bridge'),
    }),
  });
  for (const [method, path, operation, body] of [
    ['GET', '/networks', 'listNetworks', undefined],
    ['POST', '/networks', 'createNetwork', { name: 'n' }],
    ['GET', '/networks/n', 'inspectNetwork', undefined],
    ['DELETE', '/networks/n', 'removeNetwork', undefined],
    ['GET', '/secrets', 'listSecrets', undefined],
    ['POST', '/secrets', 'createSecret', { name: 'n', value: 'v' }],
    ['GET', '/secrets/n', 'inspectSecret', undefined],
    ['DELETE', '/secrets/n', 'removeSecret', undefined],
    ['POST', '/containers/n/wait', 'wait', undefined],
  ] as const) {
    expect(await refusing.expect(501, method, path, body)).toMatchObject({
      error: 'RuntimeError',
      case: 'notSupported',
      operation,
      conformer: 'bridge',
    });
  }
  await refusing.stop();
});
