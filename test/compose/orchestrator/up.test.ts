import { describe, expect, it } from 'vitest';
import { ComposeFailure } from '../../../src/compose/model/errors.js';
import { down } from '../../../src/compose/orchestrator/down.js';
import { LABELS } from '../../../src/compose/orchestrator/labels.js';
import { createOneOff } from '../../../src/compose/orchestrator/run.js';
import { up as upWith } from '../../../src/compose/orchestrator/up.js';
import { alreadyExists, backendFailure, notSupported, RuntimeError } from '../../../src/compose/runtime/errors.js';
import { bench, loaded, PROJECT } from './bench.js';

const SHOP = `
services:
  db: { image: db, volumes: ["data:/var/lib/db"] }
  web: { image: web, depends_on: [db] }
volumes: { data: {} }
`;

describe('up', () => {
  it('creates networks, volumes and containers, with the names and labels that other tools use', async () => {
    const { up, orchestration, containers } = bench();
    await up(SHOP);
    const web = (await containers()).find(({ name }) => name === 'shop-web');
    expect(web?.labels).toMatchObject({
      [LABELS.project]: 'shop',
      [LABELS.service]: 'web',
      [LABELS.number]: '1',
      [LABELS.oneOff]: 'False',
      [LABELS.dependsOn]: 'db:service_started:false',
    });
    expect(web?.networks).toMatchObject([{ network: 'shop_default', aliases: ['web'] }]);
    const volume = await orchestration.backend.volumes.inspect('shop_data');
    expect(volume.labels).toMatchObject({ [LABELS.project]: 'shop', [LABELS.volume]: 'data' });
  });

  it('a second time changes nothing', async () => {
    const { up, actions, containers } = bench();
    await up(SHOP);
    const before = await containers();
    actions();
    await up(SHOP);
    expect(actions()).toEqual([]);
    expect(await containers()).toEqual(before);
  });

  it('replaces only the changed service', async () => {
    const { up, actions } = bench();
    await up(SHOP);
    actions();
    await up(SHOP.replace('image: web', 'image: web, environment: { COLOUR: red }'));
    expect(actions()).toEqual(['Stopped shop-web', 'Created shop-web', 'Removed shop-web', 'Started shop-web']);
  });

  it('starts dependencies first, and independent services at the same time', async () => {
    const { up, progress } = bench();
    await up('services: { a: { image: a }, b: { image: b }, c: { image: c, depends_on: [a, b] } }');
    const starts = progress.flatMap((each) =>
      each.kind === 'status' && /^Start/.test(each.status) ? [`${each.status} ${each.name}`] : [],
    );
    expect(starts.slice(0, 2)).toEqual(['Starting shop-a', 'Starting shop-b']);
    expect(starts.slice(-2)).toEqual(['Starting shop-c', 'Started shop-c']);
  });

  it('with replacement forbidden, a changed container is alreadyExists and stays', async () => {
    const { up, containers } = bench();
    await up(SHOP);
    const before = await containers();
    const again = up(SHOP.replace('image: web', 'image: other'), { replace: false });
    await expect(again).rejects.toEqual(alreadyExists('shop-web'));
    expect(await containers()).toEqual(before);
  });

  it('a container name, volume or network outside of the project is alreadyExists', async () => {
    const named = bench();
    await named.up('services: {}');
    named.control.addImage('db');
    await named.orchestration.backend.containers.create({ name: 'shop-db', image: 'db' });
    await expect(named.up(SHOP)).rejects.toEqual(alreadyExists('shop-db'));

    const volume = bench();
    await volume.orchestration.backend.volumes.create({ name: 'shop_data' });
    await expect(volume.up(SHOP)).rejects.toEqual(alreadyExists('shop_data'));

    const network = bench();
    await network.orchestration.backend.networks.create({ name: 'shop_default' });
    await expect(network.up(SHOP)).rejects.toEqual(alreadyExists('shop_default'));
  });

  it('a missing external volume fails before anything is created', async () => {
    const { up, containers } = bench();
    const file =
      'services: { db: { image: db, volumes: ["old:/d"] } }\nvolumes: { old: { external: true, name: kept } }';
    await expect(up(file)).rejects.toThrow(
      "External volume 'kept' was not found. Create it with 'container volume create kept' before running compose.",
    );
    await expect(up(file)).rejects.toBeInstanceOf(ComposeFailure);
    expect(await containers()).toEqual([]);
  });

  it('replaces a changed network with its containers, dependents first, and keeps the others', async () => {
    const { up, orchestration, actions, containers, warnings } = bench();
    const file = (internal: string) => `
services:
  db: { image: db, networks: [inner] }
  web: { image: web, depends_on: [db], networks: [inner, default] }
  other: { image: other }
networks: { inner: { ${internal} } }`;
    await up(file(''));
    const before = (await containers()).find(({ name }) => name === 'shop-other');
    actions();
    await up(file('internal: true'));
    expect(actions().slice(0, 2)).toEqual(['Stopped shop-web', 'Stopped shop-db']);
    const { networks } = orchestration.backend.internal;
    expect(await networks.inspect('shop_inner')).toMatchObject({ internal: true });
    const after = await containers();
    expect(after.find(({ name }) => name === 'shop-other')).toEqual(before);
    expect(after.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
    expect(
      after
        .find(({ name }) => name === 'shop-web')
        ?.networks.map(({ network }) => network)
        .sort(),
    ).toEqual(['shop_default', 'shop_inner']);
    actions();
    await up(file('internal: true'));
    expect([actions(), warnings()]).toEqual([[], []]);
  });

  it('keeps a changed network that containers of other services use, and says so', async () => {
    const { up, statuses, warnings } = bench();
    const file = (options: string) => `
services: { db: { image: db }, web: { image: web } }
networks: { default: { ${options} } }`;
    await up(file(''));
    await up(await loaded(file('internal: true'), { services: ['web'] }));
    expect(warnings()).toEqual(["Network 'shop_default' differs from the compose file and is left as it is."]);
    expect(await statuses()).toEqual({ 'shop-db': 'running', 'shop-web': 'running' });
  });

  it.each([
    ['disconnect', 'its containers were stopped'],
    ['ensureNetwork', 'it was removed'],
    ['rename', 'it was created again'],
  ] as const)('completes the change of a network if %s failed after %s', async (operation, _after) => {
    const { up, faults, statuses, orchestration, containers } = bench();
    const file = (options: string) => `
services: { db: { image: db } }
networks: { default: { ${options} } }`;
    await up(file(''));
    faults.fail(operation, backendFailure('the process died'));
    await expect(up(file('internal: true'))).rejects.toEqual(backendFailure('the process died'));
    await up(file('internal: true'));
    expect(await statuses()).toEqual({ 'shop-db': 'running' });
    expect((await containers()).flatMap(({ networks }) => networks.map(({ network }) => network))).toEqual([
      'shop_default',
    ]);
    expect(await orchestration.backend.internal.networks.inspect('shop_default')).toMatchObject({ internal: true });
  });

  describe('of a project of docker compose', () => {
    const theirs = {
      [LABELS.project]: 'shop',
      [LABELS.configHash]: 'their-hash',
      'com.docker.compose.version': '2.40.3',
    };

    it('keeps networks and volumes without a warning if their settings are those of the file', async () => {
      const { up, orchestration, warnings } = bench();
      const { internal, volumes } = orchestration.backend;
      const pool = { subnet: '10.9.0.0/24', gateway: '10.9.0.1' };
      const network = await internal.networks.create({ name: 'shop_default', labels: theirs, addressPools: [pool] });
      await volumes.create({ name: 'shop_data', labels: theirs, driverOptions: { type: 'nfs' } });
      await up(`
services: { db: { image: db, volumes: ["data:/d"] } }
networks: { default: { ipam: { config: [{ subnet: 10.9.0.0/24 }] } } }
volumes: { data: { driver_opts: { type: nfs } } }`);
      expect(warnings()).toEqual([]);
      expect((await internal.networks.inspect('shop_default')).id).toBe(network.id);
    });

    it('replaces a network with other settings, and keeps such a volume with a warning', async () => {
      const { up, orchestration, warnings } = bench();
      const { internal, volumes } = orchestration.backend;
      await internal.networks.create({ name: 'shop_default', labels: theirs });
      await volumes.create({ name: 'shop_data', labels: theirs, driverOptions: { type: 'nfs' } });
      await up(`
services: { db: { image: db, volumes: ["data:/d"] } }
networks: { default: { internal: true } }
volumes: { data: { driver_opts: { type: tmpfs } } }`);
      expect(await internal.networks.inspect('shop_default')).toMatchObject({ internal: true });
      expect(warnings()).toEqual([
        "Volume 'shop_data' differs from the compose file. It keeps its data and its settings.",
      ]);
      expect(await volumes.inspect('shop_data')).toMatchObject({ driverOptions: { type: 'nfs' } });
    });
  });

  it('an image that no registry has is imageNotFound', async () => {
    const { up } = bench();
    await expect(up('services: { db: { image: db, pull_policy: never } }')).rejects.toMatchObject({
      failure: { case: 'imageNotFound', reference: 'db' },
    });
  });

  it('refuses a scale that gives two containers one name, before any change', async () => {
    const { up, containers } = bench();
    const file = 'services: { w: { image: w }, w-2: { image: w } }';
    await expect(up(file, { scale: new Map([['w', 2]]) })).rejects.toMatchObject({
      case: 'conflict',
      message: "services.w: one of its containers has the name 'shop-w-2', which the container of service w-2 has.",
    });
    expect(await containers()).toEqual([]);
  });

  it('warns of orphans, and removes them if asked to', async () => {
    const { up, statuses, warnings } = bench();
    await up(SHOP);
    const smaller = 'services: { db: { image: db, volumes: ["data:/var/lib/db"] } }\nvolumes: { data: {} }';
    await up(smaller);
    expect(warnings()).toEqual([
      'Orphan containers (their services are not in the compose file): shop-web. Use --remove-orphans to remove them.',
    ]);
    await up(smaller, { removeOrphans: true });
    expect(await statuses()).toEqual({ 'shop-db': 'running' });
  });

  it('starts a container again that was removed or has failed', async () => {
    const { up, control, statuses } = bench();
    await up(SHOP);
    control.vanish('shop-web');
    control.exit('shop-db', 3);
    await up(SHOP);
    expect(await statuses()).toEqual({ 'shop-db': 'running', 'shop-web': 'running' });
  });

  it('creates a container again that never ran and that the engine cannot start', async () => {
    const { up, faults, statuses, actions, containers } = bench();
    await up('services: { db: { image: db } }', { start: false });
    const [before] = await containers();
    faults.fail('start', backendFailure('task already exists'), { id: before?.id ?? '' });
    actions();
    await up('services: { db: { image: db } }');
    expect(actions()).toEqual(['Failed shop-db', 'Created shop-db', 'Removed shop-db', 'Started shop-db']);
    expect(await statuses()).toEqual({ 'shop-db': 'running' });
    faults.fail('start', backendFailure('port is taken'), { times: Infinity });
    await up('services: { db: { image: db }, web: { image: web } }').catch((error: unknown) => {
      expect(error).toEqual(backendFailure('port is taken'));
    });
    expect((await statuses())['shop-web']).toBe('created');
  });

  it('keeps a container that ran before and that the engine cannot start, with its data', async () => {
    const { up, faults, control, containers } = bench();
    const file = 'services: { db: { image: db } }';
    await up(file);
    control.exit('shop-db', 3);
    const [before] = await containers();
    faults.fail('start', backendFailure('port is taken'));
    await expect(up(file)).rejects.toEqual(backendFailure('port is taken'));
    expect(await containers()).toEqual([before]);
  });

  it('keeps a running container that it restarts with a dependency and that the engine cannot start', async () => {
    const { up, faults, containers } = bench();
    const file = (colour: string) => `
services:
  db: { image: db, environment: { COLOUR: ${colour} } }
  web: { image: web, depends_on: { db: { condition: service_started, restart: true } } }`;
    await up(file('red'));
    const web = async () => (await containers()).find(({ name }) => name === 'shop-web');
    const before = await web();
    faults.fail('start', backendFailure('port is taken'), { id: before?.id ?? '' });
    await expect(up(file('blue'))).rejects.toEqual(backendFailure('port is taken'));
    expect(await web()).toMatchObject({ id: before?.id, status: 'stopped' });
  });

  it.each([
    ['volumes_from: [db]', ['Created shop-db', 'Started shop-db', 'Created shop-web', 'Started shop-web']],
    ['ipc: "service:db"', ['Created shop-db', 'Started shop-db', 'Created shop-web', 'Started shop-web']],
    ['pid: "service:db"', ['Created shop-db', 'Started shop-db', 'Created shop-web', 'Started shop-web']],
    ['network_mode: "service:db"', ['Created shop-db', 'Started shop-db', 'Created shop-web', 'Started shop-web']],
    ['depends_on: [db]', ['Created shop-db', 'Created shop-web', 'Started shop-db', 'Started shop-web']],
  ])('a container with %s is created when what it needs exists', async (keys, order) => {
    const { up, actions } = bench();
    await up(`services: { web: { image: web, ${keys} }, db: { image: db } }`);
    expect(actions()).toEqual(order);
  });

  it('a container with a pre_start hook is created after the hook', async () => {
    const { up, containers } = bench(({ command }) =>
      command[0] === 'prepare'
        ? async () => {
            expect((await containers()).map(({ name }) => name)).not.toContain('shop-web');
            return 0;
          }
        : undefined,
    );
    await up('services: { web: { image: web, pre_start: [{ command: [prepare] }] } }');
    expect((await containers()).map(({ name }) => name)).toEqual(['shop-web']);
  });

  it('copies a secret of the environment into the container before it starts, and reveals it nowhere', async () => {
    const { up, control, containers, progress } = bench();
    const file = 'services: { db: { image: db, secrets: [password] } }\nsecrets: { password: { environment: PW } }';
    const { project } = await loaded(file);
    await up({ project, contents: new Map([['secrets.password', 'hunter2-hunter2']]) });
    expect(Buffer.concat(control.archives('shop-db').map((each) => Buffer.from(each))).toString()).toContain('hunter2');
    expect(JSON.stringify([await containers(), progress])).not.toContain('hunter2');
  });

  it('names options that no backend supports', async () => {
    const { up, warnings } = bench();
    await up(
      'services: { web: { image: w, external_links: [legacy] }, old: { image: w, network_mode: bridge, links: [web] } }',
    );
    expect(warnings()).toEqual([
      "'links with network_mode bridge' has no effect: no backend supports it (services: old).",
      "'external_links' has no effect: no backend supports it (services: web).",
    ]);
  });

  it('pulls mounted images, and replaces the container when one has changed', async () => {
    const { up, control, actions, orchestration } = bench();
    const file = 'services: { web: { image: w, volumes: [{ type: image, source: site, target: /site }] } }';
    await up(file);
    expect(await orchestration.backend.images.inspect('site')).toMatchObject({
      tags: ['docker.io/library/site:latest'],
    });
    actions();
    await up(file);
    expect(actions()).toEqual([]);
    control.addImage('site');
    await up(file);
    expect(actions()).toEqual(['Stopped shop-web', 'Created shop-web', 'Removed shop-web', 'Started shop-web']);
  });

  it('mounts the image of another service, which is built first and not pulled', async () => {
    const { up, progress } = bench();
    await up(`
services:
  web: { image: w, volumes: [{ type: image, source: site, target: /site }] }
  site: { image: site, build: ., scale: 0 }
`);
    const images = progress.filter((each) => each.kind === 'status' && each.resource === 'Image' && each.done);
    expect(images).toMatchObject([
      { name: 'w', status: 'Pulled' },
      { name: 'site', status: 'Built' },
    ]);
  });

  it('--pull always does not pull a mounted image that is built', async () => {
    const { up, progress, orchestration } = bench();
    const file = `
services:
  web: { image: w, depends_on: [site], volumes: [{ type: image, source: "site:latest", target: /site }] }
  site: { image: site, build: . }
`;
    await up(file, { pull: 'always' });
    await createOneOff(orchestration, await loaded(file), { service: 'web', pull: 'always' });
    const pulled = progress.filter((each) => each.kind === 'status' && each.status === 'Pulled');
    expect(new Set(pulled.map((each) => each.kind === 'status' && each.name))).toEqual(new Set(['w']));
  });

  it('an engine that cannot mount images keeps the container', async () => {
    const { up, statuses, actions, orchestration } = bench();
    await up('services: { web: { image: w } }');
    actions();
    const refusal = (): Promise<void> => Promise.reject(notSupported('mounts of images', 'bridge'));
    const internal = { ...orchestration.backend.internal, requireImageMounts: refusal };
    const poor = { ...orchestration, backend: { ...orchestration.backend, internal } };
    const file = 'services: { web: { image: w, volumes: [{ type: image, source: site, target: /site }] } }';
    await expect(upWith(poor, await loaded(file))).rejects.toMatchObject({ failure: { case: 'notSupported' } });
    expect(actions()).toEqual([]);
    expect(await statuses()).toEqual({ 'shop-web': 'running' });
  });

  it('a mounted image that no registry has is imageNotFound', async () => {
    const file = 'services: { web: { image: w, volumes: [{ type: image, source: site, target: /site }] } }';
    await expect(bench().up(file, { pull: 'never' })).rejects.toMatchObject({ failure: { case: 'imageNotFound' } });
  });

  it.each([
    ['daily', 24],
    ['weekly', 168],
    ['every_12h30m', 12.5],
  ])('pull_policy: %s pulls again when the last pull is that long ago', async (policy, hours) => {
    const { up, orchestration, progress } = bench();
    const file = `services: { web: { image: w, pull_policy: ${policy} } }`;
    const pulls = (): number => progress.filter((each) => each.kind === 'status' && each.status === 'Pulled').length;
    await up(file);
    await up(file);
    expect(pulls()).toBe(1);
    await orchestration.clock.sleep(hours * 3_600_000);
    await up(file);
    expect(pulls()).toBe(2);
  });

  it('replaces the container when a secret changes', async () => {
    const { up, actions } = bench();
    const file = 'services: { db: { image: db, secrets: [password] } }\nsecrets: { password: { environment: PW } }';
    const { project } = await loaded(file);
    const withPassword = (password: string) => ({ project, contents: new Map([['secrets.password', password]]) });
    await up(withPassword('first'));
    actions();
    await up(withPassword('first'));
    expect(actions()).toEqual([]);
    await up(withPassword('second'));
    expect(actions()).toContain('Created shop-db');
  });
});

describe('the conditions of depends_on', () => {
  const withCondition = (condition: string, db = ''): string => `
services:
  db: { image: db, ${db} }
  web: { image: web, depends_on: { db: { condition: ${condition} } } }
`;
  const HEALTHCHECK = 'healthcheck: { test: ["CMD", "ready"], interval: 1s }';

  it('service_healthy waits for the health check, which Plumbline runs', async () => {
    let checks = 0;
    const { up, statuses } = bench(({ kind }) => (kind === 'healthcheck' ? () => (++checks < 3 ? 1 : 0) : undefined));
    await up(withCondition('service_healthy', HEALTHCHECK));
    expect(checks).toBe(3);
    expect(await statuses()).toEqual({ 'shop-db': 'running', 'shop-web': 'running' });
  });

  it('service_healthy waits as long as the health check may take', async () => {
    const { up, orchestration, statuses } = bench(({ kind }) =>
      kind === 'healthcheck' ? () => (seconds() < 150 ? 1 : 0) : undefined,
    );
    const begun = orchestration.clock.now().getTime();
    const seconds = (): number => (orchestration.clock.now().getTime() - begun) / 1000;
    await up(
      withCondition('service_healthy', 'healthcheck: { test: [CMD, c], interval: 5s, retries: 1, start_period: 200s }'),
    );
    expect(await statuses()).toEqual({ 'shop-db': 'running', 'shop-web': 'running' });
  });

  it('service_healthy gives up on a health check without a verdict when its time is over', async () => {
    const { up, statuses } = bench(({ kind }) => (kind === 'healthcheck' ? () => new Promise(() => {}) : undefined));
    const check = 'interval: 10s, timeout: 5s, retries: 4, start_period: 30s';
    const failed = up(withCondition('service_healthy', `healthcheck: { test: [CMD, check], ${check} }`));
    await expect(failed).rejects.toThrow(
      "Timed out after 105s waiting for container 'shop-db' to satisfy condition 'service_healthy'.",
    );
    expect(await statuses()).toEqual({ 'shop-db': 'running', 'shop-web': 'created' });
  });

  it('service_completed_successfully has no limit', async () => {
    const { up, orchestration, statuses } = bench(({ container }) =>
      container === 'shop-db' ? () => orchestration.clock.sleep(7200_000).then(() => 0) : undefined,
    );
    await up(withCondition('service_completed_successfully'));
    expect(await statuses()).toEqual({ 'shop-db': 'exited', 'shop-web': 'running' });
    await expect(up(withCondition('service_completed_successfully'), { waitSeconds: 90 })).rejects.toMatchObject({
      failure: { case: 'timeout', seconds: 90 },
    });
  });

  it('service_healthy of a service without a health check times out after 60 seconds, and says why', async () => {
    const { up, warnings } = bench();
    await expect(up(withCondition('service_healthy'))).rejects.toThrow(
      "Timed out after 60s waiting for container 'shop-db' to satisfy condition 'service_healthy'.",
    );
    expect(warnings()).toEqual(["Container 'shop-db' has no health check, so it cannot become healthy."]);
  });

  it('service_healthy does not wait for a container that has ended', async () => {
    const { up } = bench(({ kind }) => (kind === 'container' ? () => 1 : undefined));
    await expect(up(withCondition('service_healthy', HEALTHCHECK))).rejects.toEqual(
      new RuntimeError({ case: 'invalidState', id: 'shop-db', expected: 'running', actual: 'exited' }),
    );
  });

  it('service_completed_successfully requires exit code 0', async () => {
    const ends = (code: number) =>
      bench(({ kind, container }) => (kind === 'container' && container === 'shop-db' ? () => code : undefined));
    const good = ends(0);
    await good.up(withCondition('service_completed_successfully'));
    expect(await good.statuses()).toEqual({ 'shop-db': 'exited', 'shop-web': 'running' });
    const bad = ends(3);
    await expect(bad.up(withCondition('service_completed_successfully'))).rejects.toThrow(
      "Container 'shop-db' exited with non-zero status 3; service_completed_successfully condition not satisfied.",
    );
    expect(await bad.statuses()).toEqual({ 'shop-db': 'exited', 'shop-web': 'created' });
  });

  it('runs a completed job again, and fails with it although its dependents run', async () => {
    const codes = [0, 0, 5];
    const { up, statuses } = bench(({ container }) => (container === 'shop-db' ? () => codes.shift() ?? 0 : undefined));
    const file = withCondition('service_completed_successfully');
    await up(file);
    await up(file);
    await expect(up(file)).rejects.toMatchObject({ failure: { case: 'nonZeroExitCode', exitCode: 5 } });
    expect(codes).toEqual([]);
    expect(await statuses()).toEqual({ 'shop-db': 'exited', 'shop-web': 'running' });
  });

  it('a failing dependency that is not required causes a warning only', async () => {
    const { up, statuses, warnings } = bench(({ container }) => (container === 'shop-db' ? () => 3 : undefined));
    const file = withCondition('service_completed_successfully, required: false');
    await up(file);
    expect(await statuses()).toEqual({ 'shop-db': 'exited', 'shop-web': 'running' });
    expect(warnings()).toHaveLength(1);
  });

  it('a failing service ends the wait for the others', async () => {
    const { up, orchestration } = bench(({ container }) => (container === 'shop-bad' ? () => 3 : undefined));
    const begun = orchestration.clock.now().getTime();
    await expect(
      up(`
services:
  slow: { image: s, ${HEALTHCHECK.replace('1s', '30s')} }
  bad: { image: b }
  one: { image: o, depends_on: { slow: { condition: service_healthy } } }
  two: { image: t, depends_on: { bad: { condition: service_completed_successfully } } }
`),
    ).rejects.toMatchObject({ failure: { case: 'nonZeroExitCode', exitCode: 3 } });
    expect(orchestration.clock.now().getTime() - begun).toBeLessThan(30_000);
  });
});

describe('down', () => {
  it('removes containers and networks, dependents first, and keeps the volumes', async () => {
    const { up, orchestration, actions, containers } = bench();
    await up(SHOP);
    actions();
    await down(orchestration, PROJECT);
    expect(actions()).toEqual(['Stopped shop-web', 'Removed shop-web', 'Stopped shop-db', 'Removed shop-db']);
    expect(await containers()).toEqual([]);
    const { internal, volumes } = orchestration.backend;
    expect(await internal.networks.list()).toEqual([]);
    expect((await volumes.list()).map(({ name }) => name)).toEqual(['shop_data']);
  });

  it('removes volumes if asked to, and a second run changes nothing', async () => {
    const { up, orchestration } = bench();
    await up(SHOP);
    await down(orchestration, PROJECT, { volumes: true });
    await down(orchestration, PROJECT, { volumes: true });
    expect(await orchestration.backend.volumes.list()).toEqual([]);
  });

  it('names the networks that are still in use', async () => {
    const { up, orchestration, control } = bench();
    await up(SHOP);
    control.addImage('x');
    const networks = [{ network: 'shop_default' }];
    await orchestration.backend.containers.create({ name: 'guest', image: 'x', networks });
    expect((await down(orchestration, PROJECT)).keptNetworks).toEqual(['shop_default']);
  });

  it('does not touch another project whose name begins with the same text', async () => {
    const { up, orchestration, control } = bench();
    await up(SHOP);
    control.addImage('x');
    const labels = { [LABELS.project]: 'shop-db', [LABELS.service]: 'x' };
    await orchestration.backend.containers.create({ name: 'shop-db-x', image: 'x', labels });
    await down(orchestration, PROJECT);
    expect((await orchestration.backend.containers.list()).map(({ name }) => name)).toEqual(['shop-db-x']);
  });
});
