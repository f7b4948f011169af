import { describe, expect, it } from 'vitest';
import { serviceHash } from '../../../src/compose/model/project/hash.js';
import type { Project } from '../../../src/compose/model/project/project.js';
import { OrchestratorError } from '../../../src/compose/orchestrator/errors.js';
import { LABELS } from '../../../src/compose/orchestrator/labels.js';
import { memberOf, type Member } from '../../../src/compose/orchestrator/actual-state.js';
import { planUp, type PlanOptions } from '../../../src/compose/orchestrator/plan.js';
import type { ContainerRecord } from '../../../src/compose/runtime/records.js';
import { loaded } from './bench.js';

const WEB_ON_DB = `
services:
  db: { image: db }
  web: { image: web, depends_on: { db: { condition: service_started, restart: true } } }
`;

describe('the plan for a service', () => {
  it.each<[string, Partial<ContainerRecord>, string]>([
    ['one that runs as it should', { status: 'running' }, 'keep'],
    ['one that was never started', { status: 'created' }, 'start'],
    ['one that was stopped', { status: 'stopped', exitCode: 0 }, 'start'],
    ['one that has ended by itself', { status: 'exited', exitCode: 0 }, 'start'],
    ['one on its way down', { status: 'stopping' }, 'start'],
  ])('%s', async (_, record, act) => {
    const { project } = await loaded('services: { db: { image: db } }');
    expect(actions(project, [member(project, 'db', record)])).toEqual([`db 1 ${act}`]);
  });

  it('runs a completed job that others wait for again', async () => {
    const { project } = await loaded(`
services:
  migrate: { image: m }
  web: { image: w, depends_on: { migrate: { condition: service_completed_successfully } } }
`);
    const done = member(project, 'migrate', { status: 'exited', exitCode: 0 });
    expect(actions(project, [done, member(project, 'web')])).toEqual(['migrate 1 start', 'web 1 keep']);
  });

  it.each<[string, PlanOptions, string]>([
    ['is replaced', {}, 'recreate configuration'],
    ['stays with recreate: never', { recreate: 'never' }, 'keep'],
    ['is replaced with recreate: always', { recreate: 'always' }, 'recreate forced'],
  ])('one whose configuration has changed %s', async (_, options, act) => {
    const { project } = await loaded('services: { db: { image: db } }');
    const old = member(project, 'db', { labels: labels('db', 1, 'another-hash') });
    expect(actions(project, [old], options)).toEqual([`db 1 ${act}`]);
  });

  it('with new anonymous volumes, replaces an unchanged container', async () => {
    const { project } = await loaded('services: { db: { image: db } }');
    expect(actions(project, [member(project, 'db')], { renewAnonymousVolumes: true })).toEqual([
      'db 1 recreate forced',
    ]);
  });

  it('replaces a container whose network is replaced, or that is not attached to it', async () => {
    const { project } = await loaded('services: { db: { image: db } }');
    const options = { replacedNetworks: ['shop_default'] };
    expect(actions(project, [member(project, 'db')], options)).toEqual(['db 1 recreate network']);
    expect(actions(project, [member(project, 'db', { networks: [] })])).toEqual(['db 1 recreate network']);
  });

  it('replaces a container whose image has changed', async () => {
    const { project } = await loaded('services: { db: { image: db } }');
    const images = new Map([['db', 'new-image']]);
    expect(actions(project, [member(project, 'db')], {}, images)).toEqual(['db 1 recreate image']);
  });

  it('restarts dependents that ask for it when a dependency is replaced', async () => {
    const { project } = await loaded(WEB_ON_DB);
    const old = member(project, 'db', { labels: labels('db', 1, 'another-hash') });
    expect(actions(project, [old, member(project, 'web')])).toEqual(['db 1 recreate configuration', 'web 1 restart']);
  });

  it('also replaces a service that shares the network of a replaced one', async () => {
    const { project } = await loaded(`
services:
  vpn: { image: v }
  app: { image: a, network_mode: "service:vpn" }
`);
    const old = member(project, 'vpn', { labels: labels('vpn', 1, 'another-hash') });
    expect(actions(project, [old, member(project, 'app')])).toEqual([
      'vpn 1 recreate configuration',
      'app 1 recreate dependency',
    ]);
  });

  it('fills gaps in the numbers when scaling up, and removes the highest when scaling down', async () => {
    const { project } = await loaded('services: { web: { image: web } }');
    const third = member(project, 'web', {}, 3);
    expect(actions(project, [third], { scale: new Map([['web', 3]]) })).toEqual([
      'web 3 keep',
      'web 1 create shop-web',
      'web 2 create shop-web-2',
    ]);
    const all = [1, 2, 3].map((number) => member(project, 'web', {}, number));
    expect(actions(project, all)).toEqual(['web 2 remove', 'web 3 remove', 'web 1 keep']);
  });

  it('refuses a negative number of replicas, and an unknown service', async () => {
    const { project } = await loaded('services: { web: { image: web } }');
    const failureOf = (scale: [string, number]): unknown => {
      try {
        return planUp({ project, hashes: new Map(), images: new Map() }, [], { scale: new Map([scale]) });
      } catch (error) {
        return error instanceof OrchestratorError ? error.failure : error;
      }
    };
    expect(failureOf(['web', -1])).toEqual({ case: 'invalidReplicaCount', replicas: -1 });
    expect(failureOf(['Web', 1])).toEqual({ case: 'serviceNotFound', project: 'shop', service: 'Web' });
  });

  it('treats containers of services that left the file as orphans, but not those of a disabled profile', async () => {
    const { project } = await loaded('services: { web: { image: w }, debug: { image: d, profiles: [debug] } }');
    const actual = [member(project, 'gone'), member(project, 'debug')];
    const plan = planUp({ project, hashes: new Map(), images: new Map() }, actual);
    expect(plan.orphans.map(({ service }) => service)).toEqual(['gone']);
  });
});

/** `<service> <number> <act> [reason or name]` */
function actions(
  project: Project,
  actual: readonly Member[],
  options: PlanOptions = {},
  images: ReadonlyMap<string, string> = new Map(),
): string[] {
  const hashes = new Map(Object.entries(project.services).map(([name, service]) => [name, serviceHash(service)]));
  return planUp({ project, hashes, images }, actual, options).services.flatMap(({ service, steps }) =>
    steps.map((step) => {
      const detail = step.act === 'recreate' ? step.reason : step.act === 'create' && options.scale ? step.name : '';
      return `${service} ${step.number} ${step.act} ${detail}`.trim();
    }),
  );
}

function labels(service: string, number: number, hash: string): Record<string, string> {
  return {
    [LABELS.project]: 'shop',
    [LABELS.service]: service,
    [LABELS.number]: String(number),
    [LABELS.configHash]: hash,
    [LABELS.image]: 'image',
  };
}

function member(project: Project, service: string, record: Partial<ContainerRecord> = {}, number = 1): Member {
  const definition = project.services[service];
  const [found] = memberOf({
    id: `${service}-${number}`,
    name: `shop-${service}`,
    status: 'running',
    imageId: 'image',
    networks: Object.keys(definition?.networks ?? {}).map((key) => ({ network: `shop_${key}`, aliases: [] })),
    labels: labels(service, number, definition === undefined ? '' : serviceHash(definition)),
    ...record,
  } as ContainerRecord);
  if (found === undefined) throw new Error('the labels make no member');
  return found;
}
