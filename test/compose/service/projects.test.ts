import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RuntimeError, type RuntimeFailure } from '../../../src/compose/runtime/errors.js';
import { virtualClock } from '../orchestrator/virtual-clock.js';
import { allLines, runService, shop, type RunningService } from './running-service.js';

let running: RunningService;
/** What services called `migrate` end with. */
let outcome = 0;
beforeAll(async () => {
  running = await runService({
    allow: ['build', 'other-projects', 'host-namespaces'],
    pullable: (reference) => !reference.includes('missing'),
    programs: ({ container }) => (container.endsWith('-migrate') ? () => outcome : undefined),
  });
});
afterAll(() => running.stop());

const one = (definition = ''): string => `services: { web: { image: app, ${definition} } }`;
const failure = (fields: RuntimeFailure): RuntimeError => new RuntimeError(fields);

test('A project is sent, started, inspected, scaled, restarted, stopped and deleted', async () => {
  await running.expect(201, 'POST', '/projects/shop', shop);
  expect(await running.expect(200, 'GET', '/projects/shop')).toMatchObject({ running_count: 0, created_at: null });
  expect(await running.expect(200, 'POST', '/projects/shop/up', { profiles: [], build: 'missing' })).toMatchObject({
    project: 'shop',
    services: [
      { service: 'db', name: 'shop-db', status: 'running' },
      { service: 'web', name: 'shop-web', status: 'running' },
    ],
  });
  expect(await running.expect(200, 'GET', '/projects')).toMatchObject({
    items: [{ name: 'shop', source: 'ingested', service_count: 2, running_count: 2 }],
  });
  expect(await running.expect(200, 'GET', '/projects/shop/services')).toMatchObject({
    items: [
      { project: 'shop', name: 'db', image: 'app', replicas: 1, containers: [{ name: 'shop-db' }] },
      { project: 'shop', name: 'web', image: 'app', replicas: 1, containers: [{ name: 'shop-web' }] },
    ],
  });
  expect(await running.expect(200, 'POST', '/projects/shop/services/web/scale', { replicas: 3 })).toMatchObject({
    replicas: 3,
    containers: [{ name: 'shop-web' }, { name: 'shop-web-2' }, { name: 'shop-web-3' }],
  });
  expect(await running.expect(200, 'POST', '/projects/shop/services/web/scale', { replicas: 0 })).toMatchObject({
    replicas: 0,
    containers: [],
  });
  expect(await running.expect(200, 'POST', '/projects/shop/restart', { services: ['db'] })).toEqual({
    project: 'shop',
    restarted: ['shop-db'],
  });
  expect(await running.expect(200, 'POST', '/projects/shop/down', { remove_volumes: true })).toEqual({
    project: 'shop',
    stopped: ['shop-db'],
    removed: ['shop-db'],
  });
  await running.expect(200, 'GET', '/projects/shop');
  await running.expect(204, 'DELETE', '/projects/shop');
  expect(await running.expect(404, 'GET', '/projects/shop')).toMatchObject({ case: 'projectNotFound', name: 'shop' });
});

test('Two simultaneous ups create the containers once', async () => {
  await running.expect(201, 'POST', '/projects/both', shop);
  await Promise.all([1, 2, 3].map(() => running.expect(200, 'POST', '/projects/both/up')));
  expect(await running.expect(200, 'GET', '/projects/both')).toMatchObject({ running_count: 2 });
  await running.expect(204, 'DELETE', '/projects/both');
});

test('Labels distinguish names with hyphens, and services whose names have the same prefix', async () => {
  await running.up('a-b', 'services: { web: { image: app }, web-api: { image: app } }');
  await running.up('a', 'services: { b: { image: app } }');
  expect(await running.expect(200, 'POST', '/projects/a-b/services/web/scale', { replicas: 0 })).toMatchObject({
    containers: [],
  });
  expect(await running.expect(200, 'GET', '/projects/a-b')).toMatchObject({ running_count: 1 });
  expect(await running.expect(200, 'GET', '/projects/a')).toMatchObject({ services: ['b'], running_count: 1 });
  for (const name of ['a', 'a-b']) await running.expect(204, 'DELETE', `/projects/${name}`);
});

describe.each(['only has containers', 'was sent'])('the numbers of a project that %s', (kind) => {
  const name = kind === 'was sent' ? 'counted' : 'counted-elsewhere';
  beforeAll(async () => {
    const owner = kind === 'was sent' ? running : await runService({ wrap: () => running.backend });
    await owner.up(name, shop);
    if (owner !== running) await owner.stop();
  });
  afterAll(() => running.expect(204, 'DELETE', `/projects/${name}`));

  const asked = (service: string, replicas: number): [path: string, body: object][] => [
    [`services/${service}/scale`, { replicas }],
    ['up', { scale: { web: 1, [service]: replicas } }],
  ];

  test.each([...asked('other', 1), ...asked('other', -1), ...asked('Web', 1)])(
    '%s %o is 404 for an unknown service, before all else',
    async (path, body) => {
      expect(await running.expect(404, 'POST', `/projects/${name}/${path}`, body)).toMatchObject({
        error: 'OrchestratorError',
        case: 'serviceNotFound',
        project: name,
      });
    },
  );

  test.each(asked('web', -1))('%s %o is 400 for a negative number, before any change', async (path, body) => {
    const before = await running.expect(200, 'GET', `/projects/${name}/services`);
    expect(await running.expect(400, 'POST', `/projects/${name}/${path}`, body)).toMatchObject({
      error: 'OrchestratorError',
      case: 'invalidReplicaCount',
      replicas: -1,
    });
    expect(await running.expect(200, 'GET', `/projects/${name}/services`)).toEqual(before);
  });
});

describe('a project that only has containers', () => {
  beforeAll(async () => {
    // Another server on the same backend has not been sent the file.
    const other = await runService({ wrap: () => running.backend });
    await other.up('foreign', shop);
    await other.stop();
  });

  test('can be read, stopped, started and restarted', async () => {
    expect(await running.expect(200, 'GET', '/projects/foreign')).toMatchObject({
      source: 'synthesized',
      ingested_at: null,
      services: ['db', 'web'],
    });
    expect(await running.expect(200, 'GET', '/projects/foreign/services')).toMatchObject({
      items: [{ image: null, replicas: null, containers: [{}] }, {}],
    });
    await running.expect(204, 'POST', '/containers/foreign-web/stop');
    expect(await running.expect(200, 'POST', '/projects/foreign/up', { services: ['web'] })).toMatchObject({
      services: [{ name: 'foreign-web', status: 'running' }],
    });
    expect(await running.expect(200, 'POST', '/projects/foreign/restart')).toMatchObject({
      restarted: ['foreign-db', 'foreign-web'],
    });
  });

  test('cannot be scaled, built or pulled, and takes no files: 409, which says to send the file', async () => {
    for (const [path, body] of [
      ['services/web/scale', { replicas: 1 }],
      ['up', { scale: { web: 1 } }],
      ['build', {}],
      ['pull', {}],
    ] as const) {
      expect(await running.expect(409, 'POST', `/projects/foreign/${path}`, body)).toMatchObject({
        error: 'OrchestratorError',
        case: 'projectNotIngested',
        name: 'foreign',
      });
    }
    const files = await running.expect(409, 'PUT', '/projects/foreign/files', { files: [] });
    expect(files).toMatchObject({ case: 'projectNotIngested', name: 'foreign' });
  });

  test.each([
    ['services/none/scale', { replicas: 1 }],
    ['up', { scale: { none: 1 } }],
    ['up', { services: ['none'] }],
    ['build', { services: ['none'] }],
    ['pull', { services: ['none'] }],
    ['stop', { services: ['none'] }],
    ['restart', { services: ['none'] }],
  ])('%s with %j names a service that no container has: 404', async (path, body) => {
    expect(await running.expect(404, 'POST', `/projects/foreign/${path}`, body)).toMatchObject({
      case: 'serviceNotFound',
      service: 'none',
    });
  });

  test('can be started with an empty scale', async () => {
    await running.expect(200, 'POST', '/projects/foreign/up', { scale: {} });
  });

  test('can be removed', async () => {
    await running.expect(200, 'POST', '/projects/foreign/down');
    await running.expect(404, 'GET', '/projects/foreign');
  });
});

describe('a missing object is 404', () => {
  test.each([
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['GET', '/services', undefined],
    ['PUT', '/files', { files: [] }],
    ['POST', '/up', undefined],
    ['POST', '/down', undefined],
    ['POST', '/stop', undefined],
    ['POST', '/restart', undefined],
    ['POST', '/build', undefined],
    ['POST', '/pull', undefined],
    ['POST', '/services/web/scale', { replicas: 1 }],
  ] as const)('projectNotFound: %s /projects/nobody%s', async (method, path, body) => {
    expect(await running.expect(404, method, `/projects/nobody${path}`, body)).toMatchObject({
      error: 'OrchestratorError',
      case: 'projectNotFound',
      name: 'nobody',
    });
  });

  test('serviceNotFound, since names are case-sensitive', async () => {
    await running.up('cases', one());
    for (const [path, body] of [
      ['up', { services: ['Web'] }],
      ['stop', { services: ['Web'] }],
      ['restart', { services: ['Web'] }],
      ['build', { services: ['Web'] }],
      ['pull', { services: ['Web'] }],
      ['services/Web/scale', { replicas: 1 }],
    ] as const) {
      expect(await running.expect(404, 'POST', `/projects/cases/${path}`, body)).toMatchObject({
        error: 'OrchestratorError',
        case: 'serviceNotFound',
        project: 'cases',
        service: 'Web',
      });
    }
    await running.expect(204, 'DELETE', '/projects/cases');
  });
});

test('A stop ends the chosen services and keeps their containers, also where some have ended or none exist', async () => {
  await running.up('halted', shop);
  expect(await running.expect(200, 'POST', '/projects/halted/stop', { services: ['web'] })).toEqual({
    project: 'halted',
    stopped: ['halted-web'],
  });
  expect(await running.expect(200, 'POST', '/projects/halted/stop')).toMatchObject({ stopped: ['halted-db'] });
  expect(await running.expect(200, 'POST', '/projects/halted/stop')).toMatchObject({ stopped: [] });
  expect(await running.expect(200, 'GET', '/projects/halted/services')).toMatchObject({
    items: [{ containers: [{ status: 'stopped' }] }, { containers: [{ status: 'stopped' }] }],
  });
  await running.expect(200, 'POST', '/projects/halted/down');
  expect(await running.expect(200, 'POST', '/projects/halted/stop')).toMatchObject({ stopped: [] });
  await running.expect(204, 'DELETE', '/projects/halted');
});

test('A negative number of replicas is 400, an invalid or too large one 422', async () => {
  await running.expect(201, 'POST', '/projects/numbers', one());
  const scale = (replicas: unknown, status: number): Promise<unknown> =>
    running.expect(status, 'POST', '/projects/numbers/services/web/scale', { replicas });
  expect(await scale(-1, 400)).toMatchObject({
    error: 'OrchestratorError',
    case: 'invalidReplicaCount',
    replicas: -1,
  });
  for (const replicas of [1.5, '2', 1001, null]) await scale(replicas, 422);
  await running.expect(422, 'POST', '/projects/numbers/services/web/scale');
  await running.expect(204, 'DELETE', '/projects/numbers');
});

/** Projects that cannot start, for both `up` and `scale`. */
const obstacles: readonly {
  readonly status: number;
  readonly error: string;
  readonly case: string;
  readonly yaml: string;
  readonly up?: object;
  readonly replicas?: number;
  readonly before?: () => unknown;
  readonly after?: () => Promise<unknown>;
}[] = [
  { status: 404, error: 'RuntimeError', case: 'imageNotFound', yaml: 'services: { web: { image: missing } }' },
  {
    status: 404,
    error: 'RuntimeError',
    case: 'notFound',
    yaml: `${one('networks: [outside]')}\nnetworks: { outside: { external: true } }`,
  },
  {
    status: 409,
    error: 'RuntimeError',
    case: 'alreadyExists',
    yaml: one('container_name: taken'),
    before: () => running.up('holder', one('container_name: taken')),
    after: () => running.expect(204, 'DELETE', '/projects/holder'),
  },
  {
    status: 409,
    error: 'RuntimeError',
    case: 'invalidState',
    yaml: 'services: { migrate: { image: app }, web: { image: app, depends_on: { migrate: { condition: service_healthy } } } }',
    before: () => (outcome = 0),
  },
  {
    status: 409,
    error: 'ComposeError',
    case: 'externalVolumeNotFound',
    yaml: `${one('volumes: ["archive:/v"]')}\nvolumes: { archive: { external: true } }`,
  },
  {
    status: 409,
    error: 'ComposeWaitError',
    case: 'nonZeroExitCode',
    yaml: 'services: { migrate: { image: app }, web: { image: app, depends_on: { migrate: { condition: service_completed_successfully } } } }',
    before: () => (outcome = 3),
  },
  {
    status: 501,
    error: 'RuntimeError',
    case: 'notSupported',
    yaml: 'services: { web: { build: "https://x.example/y.git" } }',
  },
  {
    status: 400,
    error: 'ComposeValidationError',
    case: 'disabledReference',
    yaml: 'services: { web: { image: app, profiles: [p], depends_on: [db] }, db: { image: app, profiles: [q] } }',
    up: { profiles: ['p'] },
  },
  { status: 400, error: 'ComposeValidationError', case: 'unsupported', yaml: one('network_mode: strange') },
  {
    status: 400,
    error: 'ComposeValidationError',
    case: 'conflict',
    yaml: one('ports: ["8080-8081:80"]'),
    up: { scale: { web: 3 } },
    replicas: 3,
  },
];

describe.each(obstacles)('$error: $case', (obstacle) => {
  const { status, error, case: failureCase, yaml, up = {}, replicas = 1, before, after } = obstacle;
  test.each([
    ['up', 'up', up],
    ['scale', 'services/web/scale', { replicas }],
  ])(`%s answers ${status}`, async (act, path, body) => {
    const name = `hindered-${failureCase}-${act}`.toLowerCase();
    await running.expect(201, 'POST', `/projects/${name}`, yaml);
    await before?.();
    const problem = await running.expect(status, 'POST', `/projects/${name}/${path}`, body);
    expect(problem).toMatchObject({ error, case: failureCase });
    await running.expect(204, 'DELETE', `/projects/${name}`);
    await after?.();
  });
});

test('A dependency that is not ready within 60 seconds is 504, also on a restart', async () => {
  let healthy = false;
  const timely = await runService({
    clock: virtualClock(),
    programs: ({ kind }) => (kind === 'healthcheck' ? () => (healthy ? 0 : new Promise(() => {})) : undefined),
  });
  const yaml = `services:
  db: { image: app, healthcheck: { test: [CMD, hangs], interval: 1s, timeout: 1s, retries: 1 } }
  web: { image: app, depends_on: { db: { condition: service_healthy } } }`;
  await timely.expect(201, 'POST', '/projects/slow', yaml);
  const expected = {
    error: 'ComposeWaitError',
    case: 'timeout',
    containerName: 'slow-db',
    condition: 'service_healthy',
    seconds: 60,
    message: "Timed out after 60s waiting for container 'slow-db' to satisfy condition 'service_healthy'.",
  };
  expect(await timely.expect(504, 'POST', '/projects/slow/up')).toMatchObject(expected);
  expect(await timely.expect(504, 'POST', '/projects/slow/services/web/scale', { replicas: 1 })).toMatchObject(
    expected,
  );
  healthy = true;
  await timely.expect(200, 'POST', '/projects/slow/up');
  healthy = false;
  expect(await timely.expect(504, 'POST', '/projects/slow/restart')).toMatchObject(expected);
  await timely.stop();
});

test('A restart reports a dependency that now fails, and a container that changes during it', async () => {
  outcome = 0;
  await running.up(
    'again',
    'services: { migrate: { image: app }, web: { image: app, depends_on: { migrate: { condition: service_completed_successfully } } } }',
  );
  outcome = 3;
  expect(await running.expect(409, 'POST', '/projects/again/restart')).toMatchObject({
    case: 'nonZeroExitCode',
    exitCode: 3,
  });
  running.faults.fail('start', failure({ case: 'invalidState', id: 'x', expected: 'stopped', actual: 'stopped' }), {
    times: 2,
  });
  expect(await running.expect(409, 'POST', '/projects/again/restart')).toMatchObject({ case: 'invalidState' });
  running.faults.clear();
  await running.expect(204, 'DELETE', '/projects/again');
});

describe('the images of a project', () => {
  test('are built, with the output', async () => {
    await running.expect(201, 'POST', '/projects/made', 'services: { web: { build: . }, db: { image: app } }');
    const lines = await allLines(await running.call('POST', '/projects/made/build', { no_cache: true, pull: true }));
    expect(lines).toEqual([
      { type: 'status', name: 'made-web', status: 'Building', done: false },
      { type: 'log', name: 'web', line: 'The mock builds nothing.' },
      { type: 'status', name: 'made-web', status: 'Built', done: true },
      { type: 'done', services: ['web'] },
    ]);
    await running.expect(204, 'DELETE', '/projects/made');
  });

  test('are pulled, and the last line reports the result', async () => {
    await running.expect(201, 'POST', '/projects/pulled', 'services: { a: { image: other }, b: { image: missing } }');
    const some = await allLines(await running.call('POST', '/projects/pulled/pull', { services: ['a'] }));
    expect(some.at(-1)).toEqual({ type: 'done', services: ['a'] });
    const all = await allLines(await running.call('POST', '/projects/pulled/pull', {}));
    expect(all.at(-1)).toMatchObject({ type: 'error', error: 'RuntimeError', case: 'imageNotFound' });
    const lenient = await allLines(await running.call('POST', '/projects/pulled/pull', { ignore_failures: true }));
    expect(lenient.at(-1)).toEqual({ type: 'done', services: ['a', 'b'] });
    expect(lenient.map(({ type }) => type)).toContain('warning');
    await running.expect(204, 'DELETE', '/projects/pulled');
  });
});
