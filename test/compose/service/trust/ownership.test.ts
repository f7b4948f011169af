/** A sender gets nothing of a project that was not sent, and cannot mark resources as those of another project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../src/compose/runtime/runtime.js';
import { runService, shop, type RunningService, type ServiceParts } from '../running-service.js';

async function service(parts: ServiceParts = {}): Promise<RunningService> {
  const running = await runService(parts);
  onTestFinished(() => running.stop());
  return running;
}

const labels = { 'com.docker.compose.project': 'shop', 'com.docker.compose.service': 'web' };

/** Makes one resource as a compose tool on the server would. */
const makes: Readonly<Record<string, (backend: Backend) => Promise<unknown>>> = {
  container: ({ containers }) => containers.create({ name: 'shop-other', image: 'app', labels }),
  volume: ({ volumes }) => volumes.create({ name: 'shop_data', labels }),
  network: ({ internal }) => internal.ensureNetwork({ name: 'shop_default', labels }),
};

const refusal = { error: 'ComposeValidationError', case: 'notAllowed', path: ['name'], allowance: 'other-projects' };

describe.each(Object.keys(makes))('a name that a %s of the engine has already', (kind) => {
  const make = async (running: RunningService): Promise<void> => {
    await makes[kind]?.(running.backend);
  };

  test('is refused for a new project', async () => {
    const running = await service();
    await make(running);
    expect(await running.expect(400, 'POST', '/projects/shop', shop)).toMatchObject(refusal);
    expect((await running.expect(200, 'GET', '/projects')) as object).not.toHaveProperty('items.0.ingested_at', /./);
  });

  test('is refused when a known project is started or scaled', async () => {
    const running = await service();
    await running.expect(201, 'POST', '/projects/shop', shop);
    await make(running);
    expect(await running.expect(400, 'POST', '/projects/shop/up')).toMatchObject(refusal);
    expect(await running.expect(400, 'POST', '/projects/shop/services/web/scale', { replicas: 1 })).toMatchObject(
      refusal,
    );
  });

  test('is accepted with the allowance other-projects', async () => {
    const running = await service({ allow: ['other-projects'] });
    await make(running);
    await running.up('shop', shop);
  });
});

/** Makes an image that has these labels. */
async function image({ backend }: RunningService, name: string, of: Readonly<Record<string, string>>): Promise<void> {
  for await (const { type } of await backend.images.build({ context: '/', tags: [name], labels: of })) {
    if (type === 'done') return;
  }
}

test('A container does not inherit the labels of compose tools and engines from its image', async () => {
  const running = await service();
  await running.up('victim', shop);
  await image(running, 'hostile', {
    'com.docker.compose.project': 'victim',
    'com.docker.compose.service': 'web',
    'com.docker.compose.replace': 'victim-web',
    'com.docker.swarm.service.name': 'victim',
    'io.containers.autoupdate': 'registry',
    PODMAN_SYSTEMD_UNIT: 'victim.service',
    'org.opencontainers.image.title': 'Hostile',
  });
  await running.up('attacker', 'services: { web: { image: hostile } }');
  const { labels: found } = await running.backend.containers.inspect('attacker-web');
  expect(found).toMatchObject({
    'com.docker.compose.project': 'attacker',
    'com.docker.compose.service': 'web',
    'com.docker.compose.replace': '',
    'com.docker.swarm.service.name': '',
    'io.containers.autoupdate': '',
    PODMAN_SYSTEMD_UNIT: '',
    'org.opencontainers.image.title': 'Hostile',
  });
  const { services } = (await running.expect(200, 'GET', '/projects/victim')) as {
    services: { containers: unknown[] }[];
  };
  expect(JSON.stringify(services)).not.toContain('attacker');
});

test('A label of the image cannot mark a container as one of a sent project', async () => {
  const running = await service();
  await image(running, 'marked', { 'io.plumbline.compose.sent': 'true' });
  await running.backend.containers.create({ name: 'shop-web', image: 'marked', labels });
  expect(await running.expect(400, 'POST', '/projects/shop', shop)).toMatchObject(refusal);
});

test('Of several simultaneous requests with one new name and different files, one succeeds', async () => {
  const running = await service();
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      running.call('POST', '/projects/shop', `services: { web: { image: app, command: [run, "${index}"] } }`),
    ),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(11).fill(409)]);
  const winner = replies.findIndex(({ status }) => status === 201);
  await running.expect(200, 'POST', '/projects/shop/up');
  expect((await running.backend.containers.inspect('shop-web')).command).toEqual(['run', String(winner)]);
});

test('A project that was sent to an earlier server can be sent again', async () => {
  const first = await service();
  await first.up('shop', shop);
  const second = await service({ wrap: () => first.backend });
  await second.up('shop', shop);
  await second.expect(200, 'POST', '/projects/shop/services/web/scale', { replicas: 2 });
});

test('Projects in the folder of the server remain usable after a restart', async () => {
  const projectsFolder = await mkdtemp(join(tmpdir(), 'plumbline-ownership-'));
  onTestFinished(() => rm(projectsFolder, { recursive: true }));
  const first = await service({ projectsFolder });
  await first.up('shop', shop);
  const second = await service({ projectsFolder, wrap: () => first.backend });
  await second.expect(200, 'POST', '/projects/shop/up');
});

test.each(['volumes', 'networks'])('A caller cannot give %s the labels of compose tools and engines', async (kind) => {
  const running = await service();
  for (const label of [
    'com.docker.compose.project',
    'io.plumbline.compose.sent',
    'io.podman.x',
    'com.docker.swarm.id',
    'COM.DOCKER.COMPOSE.x',
  ]) {
    expect(
      await running.expect(400, 'POST', `/${kind}`, { name: 'x', labels: { fine: '1', [label]: 'shop' } }),
    ).toMatchObject({ case: 'notAllowed', path: ['labels', label], allowance: 'none' });
  }
  await running.expect(404, 'GET', `/${kind}/x`);
});

test('A caller needs an allowance for the driver of a network', async () => {
  const running = await service();
  expect(await running.expect(400, 'POST', '/networks', { name: 'x', driver: 'macvlan' })).toMatchObject({
    case: 'notAllowed',
    path: ['driver'],
    allowance: 'networks',
  });
});

test.each([
  ['/volumes', (name: string) => ({ name: 'x', labels: { [name]: 'v' } }), 'labels'],
  ['/networks', (name: string) => ({ name: 'x', labels: { [name]: 'v' } }), 'labels'],
  ['/secrets', (name: string) => ({ name: 'x', value: 'v', labels: { [name]: 'v' } }), 'labels'],
  ['/containers/x/exec', (name: string) => ({ command: ['id'], environment: { [name]: 'v' } }), 'environment'],
])('%s refuses empty names, and names with an equals sign', async (request, body, member) => {
  const running = await service();
  for (const name of ['', 'A=B', 'A\0B']) {
    const problem = (await running.expect(422, 'POST', request, body(name))) as { violations: { path: string }[] };
    // U+0000 is refused in every body, before its schema is looked at.
    const path = name.includes('\0') ? '/body' : `/body/${member}/${name}`;
    expect(problem.violations.map((each) => each.path)).toEqual([path]);
  }
});
