import { describe, expect, it } from 'vitest';
import { ComposeFailure } from '../../../src/compose/model/errors.js';
import { containerSpec } from '../../../src/compose/orchestrator/container/container-spec.js';
import type { ContainerSpec } from '../../../src/compose/runtime/spec.js';
import { loaded } from './bench.js';

describe('the specification of a container', () => {
  it.each<[string, string, Partial<ContainerSpec>]>([
    [
      'durations become milliseconds',
      'healthcheck: { test: [CMD, x], interval: 1m30s, timeout: 500ms }',
      { healthcheck: { test: ['CMD', 'x'], intervalMs: 90_000, timeoutMs: 500 } },
    ],
    ['a disabled health check is switched off', 'healthcheck: { disable: true }', { healthcheck: { test: ['NONE'] } }],
    ['restart with a limit', 'restart: "on-failure:3"', { restart: { name: 'on-failure', maximumRetries: 3 } }],
    [
      'deploy.restart_policy stands in for restart',
      'deploy: { restart_policy: { condition: any } }',
      { restart: { name: 'always' } },
    ],
    ['one number for both limits', 'ulimits: { nofile: 1024 }', { ulimits: { nofile: { soft: 1024, hard: 1024 } } }],
    ['sizes become bytes', 'shm_size: 64m', { shmSizeBytes: 64 * 2 ** 20 }],
    ['an empty entrypoint clears that of the image', 'entrypoint: []', { entrypoint: [] }],
    [
      'a seccomp profile is a file of the project',
      'security_opt: ["seccomp:./p.json", "seccomp=/etc/q.json", "seccomp=unconfined", "no-new-privileges:true"]',
      {
        securityOptions: [
          expect.stringMatching(/^seccomp=\/.*\/p\.json$/) as string,
          'seccomp=/etc/q.json',
          'seccomp=unconfined',
          'no-new-privileges:true',
        ],
      },
    ],
    [
      'a bind creates its path on the host in the long syntax too, unless it says otherwise',
      `volumes: [
         { type: bind, source: /a, target: /a },
         { type: bind, source: /b, target: /b, bind: { create_host_path: false } }]`,
      {
        mounts: [
          { type: 'bind', source: '/a', target: '/a', createHostPath: true },
          { type: 'bind', source: '/b', target: '/b', createHostPath: false },
        ],
      },
    ],
    ['gpus', 'gpus: all', { deviceRequests: [{ capabilities: ['gpu'], count: -1 }] }],
  ])('%s', async (_, body, expected) => {
    expect(await spec(body)).toMatchObject(expected);
  });

  it('takes limits from the short keys, else from deploy.resources', async () => {
    const { resources } = await spec('cpus: 0.5, deploy: { resources: { limits: { memory: 1g, pids: 10 } } }');
    expect(resources).toEqual({ cpus: 0.5, memoryBytes: 2 ** 30, pids: 10 });
  });

  it('gives each replica a port of the range, and refuses more replicas than ports', async () => {
    const body = 'ports: ["8000-8001:80"]';
    expect((await spec(body, 2)).ports).toEqual([{ containerPort: 80, protocol: 'tcp', hostPort: 8001 }]);
    await expect(spec(body, 3)).rejects.toBeInstanceOf(ComposeFailure);
  });

  it('mounts a secret in a file; copies it if it has an owner', async () => {
    const secrets = 'secrets: { key: { file: /keys/key } }';
    const target = '/run/secrets/key';
    expect((await spec('secrets: [key]', 1, secrets)).mounts).toEqual([
      { type: 'bind', source: '/keys/key', target, readOnly: true },
    ]);
    expect((await spec('secrets: [{ source: key, uid: "5" }]', 1, secrets)).mounts).toEqual([]);
  });

  it('uses the network of the other container if shared, and adds none', async () => {
    const shared = await spec('network_mode: "service:other"');
    expect(shared.networkMode).toBe('container:id-of-other');
    expect(shared.networks).toBeUndefined();
  });

  it('refuses a mount type that no backend supports', async () => {
    await expect(spec('volumes: [{ type: cluster, source: i, target: /i }]')).rejects.toMatchObject({
      error: 'ComposeValidationError',
      case: 'unsupported',
    });
  });
});

async function spec(body: string, number = 1, more = ''): Promise<ContainerSpec> {
  const { project } = await loaded(`services: { web: { image: web, ${body} }, other: { image: o } }\n${more}`);
  return containerSpec(project, 'web', {
    name: 'shop-web',
    labels: {},
    image: 'web',
    number,
    containerOf: (service) => `id-of-${service}`,
  });
}
