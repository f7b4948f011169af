import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../../src/compose/model/errors.js';
import { load, loadFailure } from '../project-folder.js';

describe('names of containers', () => {
  it('that two services would have are found with the place and both services', async () => {
    const failure = await loadFailure('services:\n  w-2: {image: i}\n  w: {image: i, scale: 2}\n');
    expect(failure).toMatchObject({ case: 'conflict', fields: { path: ['services', 'w'] }, location: { line: 3 } });
    expect(failure.message).toBe(
      "services.w: one of its containers has the name 'folder-w-2', which the container of service w-2 has.",
    );
  });

  it.each([1, 2])('that a container_name repeats are found, also with %i replicas', async (replicas) => {
    const given = `folder-w${replicas === 1 ? '' : '-2'}`;
    const failure = await loadFailure(
      `services: {x: {image: i, container_name: ${given}}, w: {image: i, scale: ${replicas}}}`,
    );
    expect(failure).toMatchObject({ case: 'conflict', fields: { path: ['services', 'w'] } });
  });

  it.each([
    ['of fewer replicas', 'services: {w: {image: i}, w-2: {image: i}}', {}],
    ['of replicas from 2 on', 'services: {w: {image: i, scale: 3}, w-1: {image: i}, w-02: {image: i}}', {}],
    ['of no container', 'services: {w: {image: i, scale: 2}, w-2: {image: i, scale: 0}}', {}],
    ['with a name given', 'services: {w: {image: i, scale: 2}, w-2: {image: i, container_name: own}}', {}],
    ['with docker compose 1', 'services: {w: {image: i, scale: 2}, w-2: {image: i}}', { compatibility: true }],
    ['on a swarm', 'services: {w: {image: i, scale: 2}, w-2: {image: i}}', { forSwarm: true }],
  ])('%s do not clash', async (_what, file, options) => {
    await load(file, options);
  });
});

describe('an inconsistent project', () => {
  it('fails with the exact message if a service has neither image nor build', async () => {
    const failure = await loadFailure('services:\n  web:\n    command: x\n');
    expect(failure).toMatchObject({
      error: 'ComposeError',
      case: 'imageNotFound',
      fields: { service: 'web' },
      location: { line: 3 },
    });
    expect(failure.message).toBe("Service web must define either 'image' or 'build'.");
  });

  it.each([
    ['services: {a: {image: i, depends_on: [b]}}', 'undefinedReference'],
    ['services: {a: {image: i, depends_on: [constructor]}}', 'undefinedReference'],
    ['services: {a: {image: i, networks: [n]}}', 'undefinedReference'],
    ['services: {a: {image: i, volumes: ["vol:/v"]}}', 'undefinedReference'],
    ['services: {a: {image: i, secrets: [s]}}', 'undefinedReference'],
    ['services: {a: {image: i, configs: [c]}}', 'undefinedReference'],
    ['services: {a: {build: {context: ., secrets: [s]}}}', 'undefinedReference'],
    ['services: {a: {image: i, gpus: [{count: 1, device_ids: ["0"]}]}}', 'conflict'],
    [
      'services: {a: {image: i, deploy: {resources: {reservations: {devices: [{capabilities: [gpu], count: 1, device_ids: ["0"]}]}}}}}',
      'conflict',
    ],
    ['services: {a: {image: i, volumes: [{type: tmpfs, target: /t, tmpfs: {size: 1.5}}]}}', 'invalidValue'],
    ['services: {a: {build: {context: ., additional_contexts: {x: "service:b"}}}}', 'undefinedReference'],
    ['services: {a: {image: i, network_mode: "service:b"}}', 'undefinedReference'],
    ['services: {a: {image: i, network_mode: host, networks: [default]}}', 'conflict'],
    ['services: {a: {build: {dockerfile: x, dockerfile_inline: y}}}', 'conflict'],
    ['services: {a: {image: i, platform: linux/arm64, build: {platforms: [linux/amd64]}}}', 'conflict'],
    ['services: {a: {image: i, scale: 2, deploy: {replicas: 3}}}', 'conflict'],
    ['services: {a: {image: i, scale: -1}}', 'conflict'],
    ['services: {a: {image: i, scale: 2, container_name: one}}', 'conflict'],
    ['services: {a: {image: i, mem_limit: 1m, deploy: {resources: {limits: {memory: 2m}}}}}', 'conflict'],
    ['services: {a: {image: i, cpus: 1, deploy: {resources: {limits: {cpus: "2"}}}}}', 'conflict'],
    ['services: {a: {image: i, container_name: nn}, b: {image: i, container_name: nn}}', 'conflict'],
    ['services: {a: {image: i, scale: 2}, a-2: {image: i}}', 'conflict'],
    ['services: {a: {image: i, deploy: {replicas: 12}}, a-12: {image: i}}', 'conflict'],
    ['services: {a: {image: i, scale: 3}, b: {image: i, container_name: folder-a-3}}', 'conflict'],
    ['services: {a: {image: i, tmpfs: /x, volumes: ["/x"]}}', 'conflict'],
    ['services: {a: {image: i, develop: {watch: [{path: ., action: sync}]}}}', 'conflict'],
    ['services: {a: {image: i}}\nsecrets: {s: {}}', 'conflict'],
    ['services: {a: {image: i}}\nsecrets: {s: {file: f, environment: E}}', 'conflict'],
    ['services: {a: {image: i}}\nconfigs: {c: {file: f, content: x}}', 'conflict'],
    ['services: {a: {image: i}}\nvolumes: {v: {external: true, driver: x}}', 'conflict'],
    ['services: {a: {image: i}}\nvolumes: {v: {external: {name: x}, name: y}}', 'conflict'],
    ['services: {a: {image: i, ports: [{published: 1}]}}', 'missingKey'],
    ['services: {a: {image: i, volumes: [{type: bind, target: /a}]}}', 'conflict'],
    ['services: {a: {image: i, healthcheck: {retries: -1}}}', 'invalidValue'],
    ['services: [a]', 'invalidValue'],
    ['services: {a: }', 'invalidValue'],
  ])('fails with a place: %s: %s', async (text, failureCase) => {
    expect(await loadFailure(text)).toMatchObject({
      error: 'ComposeValidationError',
      case: failureCase,
      location: { line: expect.any(Number) as unknown },
    });
  });

  it('fails with the cycle if services depend on each other', async () => {
    const failure = await loadFailure(
      'services: {x: {image: i, depends_on: [a]}, a: {image: i, depends_on: [b]}, b: {image: i, links: [a]}}',
    );
    expect(failure).toMatchObject({ case: 'circularDependency', fields: { chain: ['a', 'b', 'a'] } });
  });

  it('fails with the cycle if services are contexts of each other', async () => {
    const context = (name: string): string => `{build: {context: ., additional_contexts: {x: "service:${name}"}}}`;
    expect(await loadFailure(`services: {a: ${context('b')}, b: ${context('a')}}`)).toMatchObject({
      case: 'circularDependency',
      fields: { chain: ['a', 'b', 'a'] },
    });
  });

  it.each(['{type: image, target: /i}', '{type: image, source: $NOT_SET, target: /i}'])('refuses %s', async (mount) => {
    const failure = await loadFailure(`services: {a: {image: i, volumes: [${mount}]}}`);
    expect(failure).toMatchObject({ case: 'conflict', fields: { path: ['services', 'a', 'volumes', 0] } });
  });

  it('fails with file, line and column for an unknown key', async () => {
    const failure = await loadFailure('services:\n  web:\n    image: i\n    imagee: j\n');
    expect(failure).toMatchObject({
      case: 'unknownKey',
      fields: { path: ['services', 'web'], key: 'imagee' },
      location: { line: 4, column: 5 },
    });
    expect(describeFailure(failure)).toMatch(/compose\.yaml:4:5: Unknown key 'imagee' in services\.web\.$/);
  });

  it.each([
    'service: {}',
    'services: {web: {image: i, build: {contexts: .}}}',
    'services: {web: {image: i, deploy: {resources: {limit: {}}}}}',
    'services: {web: {image: i, healthcheck: {tests: x}}}',
    'services: {web: {image: i, ports: [{target: 1, publish: 2}]}}',
    'services: {web: {image: i, volumes: [{type: bind, target: /a, source: /b, bind: {selinx: z}}]}}',
    'services: {web: {image: i, networks: {default: {alias: [x]}}}}',
    'services: {web: {image: i}}\nnetworks: {n: {drivers: x}}',
    'services: {web: {image: i}}\nvolumes: {n: {external: {nam: x}}}',
    'services: {web: {image: i}}\ninclude: [{paths: x}]',
  ])('fails for an unknown key at any depth: %s', async (text) => {
    expect(await loadFailure(text)).toMatchObject({
      case: 'unknownKey',
      location: { line: expect.any(Number) as unknown },
    });
  });

  it('fails only if a profile enables the faulty service', async () => {
    await expect(load('services: {a: {image: i}, b: {profiles: [p], command: no-image}}')).resolves.toBeDefined();
    expect(
      await loadFailure('services: {a: {image: i}, b: {profiles: [p], command: no-image}}', { profiles: ['p'] }),
    ).toMatchObject({ case: 'imageNotFound' });
  });
});
