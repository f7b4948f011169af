/** What a swarm is given for a service. The engine's side is in engines/swarm.slow.test.ts. */
import { expect, it } from 'vitest';
import { loadProject } from '../../../src/compose/model/loader/load.js';
import { reducedKeys, requireDeployable } from '../../../src/compose/orchestrator/stack/refusals.js';
import { serviceSpec } from '../../../src/compose/orchestrator/stack/service-spec.js';
import type { Project } from '../../../src/compose/model/project/project.js';
import { currentTasks } from '../../../src/compose/runtime/swarm/task-list.js';
import type { ClusterTask } from '../../../src/compose/runtime/cluster.js';
import { folderWith } from '../model/project-folder.js';

async function projectOf(text: string): Promise<Project> {
  const workingDirectory = await folderWith({ 'compose.yaml': text });
  return (await loadProject({ environment: {}, workingDirectory, services: [] })).project;
}

const context = { image: 'app@sha256:1', files: { secrets: [], configs: [] }, replicas: undefined, labels: {} };

it('carries the deployment settings of a service', async () => {
  const project = await projectOf(`
name: shop
services:
  web:
    image: app
    entrypoint: [serve]
    command: [--fast]
    environment: { A: '1', B: }
    cap_drop: [ALL]
    stop_grace_period: 3s
    ports: ['80:8080', { target: 53, published: '5353', protocol: udp, mode: host }]
    volumes: [data:/data]
    networks: { back: { aliases: [api] } }
    labels: { on: container }
    deploy:
      replicas: 4
      endpoint_mode: dnsrr
      labels: { on: service }
      placement:
        constraints: [node.role==worker]
        preferences: [{ spread: node.labels.zone }]
        max_replicas_per_node: 2
      update_config: { parallelism: 2, delay: 1s, failure_action: rollback, order: start-first }
      rollback_config: { parallelism: 0 }
      restart_policy: { condition: on-failure, max_attempts: 3 }
      resources:
        limits: { cpus: '0.5', memory: 64m, pids: 20 }
        reservations: { generic_resources: [{ discrete_resource_spec: { kind: gpu, value: 1 } }] }
networks: { back: }
volumes: { data: { driver: nfs, driver_opts: { share: a } } }
`);
  expect(serviceSpec(project, 'web', context)).toMatchObject({
    Name: 'shop_web',
    Labels: { on: 'service', 'com.docker.stack.namespace': 'shop' },
    Mode: { Replicated: { Replicas: 4 } },
    EndpointSpec: {
      Mode: 'dnsrr',
      Ports: [
        { TargetPort: 8080, PublishedPort: 80, Protocol: 'tcp', PublishMode: 'ingress' },
        { TargetPort: 53, PublishedPort: 5353, Protocol: 'udp', PublishMode: 'host' },
      ],
    },
    UpdateConfig: { Parallelism: 2, Delay: 1e9, FailureAction: 'rollback', Order: 'start-first' },
    RollbackConfig: { Parallelism: 0, Order: 'stop-first' },
    TaskTemplate: {
      Networks: [{ Target: 'shop_back', Aliases: ['web', 'api'] }],
      Placement: {
        Constraints: ['node.role==worker'],
        Preferences: [{ Spread: { SpreadDescriptor: 'node.labels.zone' } }],
        MaxReplicas: 2,
      },
      RestartPolicy: { Condition: 'on-failure', MaxAttempts: 3 },
      Resources: {
        Limits: { NanoCPUs: 5e8, MemoryBytes: 64 * 1024 * 1024, Pids: 20 },
        Reservations: { GenericResources: [{ DiscreteResourceSpec: { Kind: 'gpu', Value: 1 } }] },
      },
      ContainerSpec: {
        Image: 'app@sha256:1',
        Labels: { on: 'container' },
        Command: ['serve'],
        Args: ['--fast'],
        Env: ['A=1', 'B'],
        CapabilityDrop: ['ALL'],
        StopGracePeriod: 3e9,
        Mounts: [
          {
            Type: 'volume',
            Source: 'shop_data',
            Target: '/data',
            VolumeOptions: { DriverConfig: { Name: 'nfs', Options: { share: 'a' } } },
          },
        ],
      },
    },
  });
});

it('gives a service in each mode', async () => {
  const project = await projectOf(`
name: shop
services:
  agent: { image: app, deploy: { mode: global } }
  task: { image: app, deploy: { mode: replicated-job, replicas: 2 } }
  each: { image: app, deploy: { mode: global-job } }
  once: { image: app, restart: 'no' }
`);
  const settings = (name: string): unknown[] => {
    const { Mode, TaskTemplate } = serviceSpec(project, name, context);
    return [Mode, TaskTemplate?.RestartPolicy];
  };
  expect(settings('agent')).toEqual([{ Global: {} }, undefined]);
  expect(settings('task')).toEqual([
    { ReplicatedJob: { MaxConcurrent: 2, TotalCompletions: 2 } },
    { Condition: 'on-failure' },
  ]);
  expect(settings('each')).toEqual([{ GlobalJob: {} }, { Condition: 'on-failure' }]);
  expect(settings('once')).toEqual([{ Replicated: { Replicas: 1 } }, { Condition: 'none' }]);
});

it('names every key that a swarm cannot carry', async () => {
  const project = await projectOf(`
name: shop
services:
  web:
    build: .
    container_name: web
    ports: ['127.0.0.1:80:80']
    networks: { default: { ipv4_address: 10.0.0.1, interface_name: eth7 } }
    volumes: [{ type: image, source: site, target: /site }]
    secrets: [key]
  db: { image: db, network_mode: 'service:web' }
secrets: { key: { environment: KEY, template_driver: golang } }
`);
  expect(() => {
    requireDeployable(project);
  }).toThrow(
    "The swarm backend does not support 'services.web.container_name, services.web.build, " +
      'services.web.networks.*.ipv4_address, services.web.networks.*.interface_name, ' +
      'services.web.ports.*.host_ip, services.web.volumes.*.type image, services.db.network_mode, ' +
      "secrets.key.template_driver'.",
  );
});

it('warns about what has less effect', async () => {
  const project = await projectOf(`
name: shop
services:
  web: { image: app, build: ., depends_on: { db: { condition: service_healthy } } }
  db: { image: db }
`);
  expect(reducedKeys(project)).toEqual([
    "The conditions of 'depends_on' are not awaited: a swarm starts all services at once, and starts a container that " +
      'ends again (services: web).',
    "'build' is not run: the nodes pull 'image', so push it first (services: web).",
  ]);
});

it('counts the newest task of each replica as its container', () => {
  const task = (id: string, slot: number, createdAt: string, state: string, desiredState: string): ClusterTask => ({
    id,
    serviceId: 's',
    slot,
    node: undefined,
    createdAt,
    state,
    since: createdAt,
    desiredState,
    problem: '',
    exitCode: 0,
    containerId: '',
    spec: {},
    json: {},
  });
  const tasks = [
    task('replaced', 1, '1', 'failed', 'shutdown'),
    task('current', 1, '2', 'running', 'running'),
    task('ended', 2, '1', 'failed', 'shutdown'),
    task('scaled-away', 3, '1', 'running', 'remove'),
    task('on-a-dead-node', 4, '1', 'running', 'shutdown'),
    task('rolled-back-to', 5, '1', 'running', 'running'),
    task('rolled-back', 5, '2', 'shutdown', 'shutdown'),
  ];
  expect(currentTasks(tasks).map(({ id }) => id)).toEqual(['ended', 'rolled-back-to', 'current']);
});
