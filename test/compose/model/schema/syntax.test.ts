import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../../src/compose/model/normalize/duration.js';
import type { Service } from '../../../../src/compose/model/project/service.js';
import { load, loadFailure, loadWeb } from '../project-folder.js';

/** Short or loose spellings, and what the project has for them. */
const SPELLINGS: readonly (readonly [string, Partial<Service>])[] = [
  ['ports: [80]', { ports: [{ target: 80, protocol: 'tcp', mode: 'ingress' }] }],
  ['ports: ["8080:80/udp"]', { ports: [{ target: 80, published: '8080', protocol: 'udp', mode: 'ingress' }] }],
  [
    'ports: ["127.0.0.1:8080:80"]',
    { ports: [{ host_ip: '127.0.0.1', target: 80, published: '8080', protocol: 'tcp', mode: 'ingress' }] },
  ],
  ['ports: ["[::1]::80"]', { ports: [{ host_ip: '::1', target: 80, protocol: 'tcp', mode: 'ingress' }] }],
  ['ports: ["8000-8001:80"]', { ports: [{ target: 80, published: '8000-8001', protocol: 'tcp', mode: 'ingress' }] }],
  [
    'ports: ["9090-9091:8080-8081"]',
    {
      ports: [
        { target: 8080, published: '9090', protocol: 'tcp', mode: 'ingress' },
        { target: 8081, published: '9091', protocol: 'tcp', mode: 'ingress' },
      ],
    },
  ],
  [
    'ports: [{target: "80", published: 8080}]',
    { ports: [{ target: 80, published: '8080', protocol: 'tcp', mode: 'ingress' }] },
  ],
  ['volumes: [/cache]', { volumes: [{ type: 'volume', target: '/cache', volume: {} }] }],
  [
    'volumes: ["/a:/b/:ro,z"]',
    {
      volumes: [
        { type: 'bind', source: '/a', target: '/b', read_only: true, bind: { selinux: 'z', create_host_path: true } },
      ],
    },
  ],
  [
    'volumes: ["c:\\\\data:/d"]',
    { volumes: [{ type: 'bind', source: 'c:\\data', target: '/d', bind: { create_host_path: true } }] },
  ],
  ['devices: ["/dev/a"]', { devices: [{ source: '/dev/a', target: '/dev/a', permissions: 'rwm' }] }],
  ['devices: ["/dev/a:/dev/b:r"]', { devices: [{ source: '/dev/a', target: '/dev/b', permissions: 'r' }] }],
  ['environment: [A=1, "B=x=y", "C="]', { environment: { A: '1', B: 'x=y', C: '' } }],
  ['environment: {A: 1, B: true, C: 1.50}', { environment: { A: '1', B: 'true', C: '1.5' } }],
  ['labels: [a, b=c]', { labels: { a: '', b: 'c' } }],
  ['networks: [default]', { networks: { default: null } }],
  ['extra_hosts: ["a=1.1.1.1", "a:2.2.2.2", "v6=[::1]"]', { extra_hosts: { a: ['1.1.1.1', '2.2.2.2'], v6: ['::1'] } }],
  ['extra_hosts: {a: [1.1.1.1, 2.2.2.2]}', { extra_hosts: { a: ['1.1.1.1', '2.2.2.2'] } }],
  ['sysctls: ["net.core.somaxconn=1024"]', { sysctls: { 'net.core.somaxconn': '1024' } }],
  ['ulimits: {nproc: "7", nofile: {soft: 1, hard: 2}}', { ulimits: { nproc: 7, nofile: { soft: 1, hard: 2 } } }],
  ['tmpfs: /run', { tmpfs: ['/run'] }],
  ['dns: 1.1.1.1', { dns: ['1.1.1.1'] }],
  ['expose: [80, "81-82"]', { expose: ['80', '81-82'] }],
  [
    'healthcheck: {test: curl x, interval: 1m30s}',
    { healthcheck: { test: ['CMD-SHELL', 'curl x'], interval: 90_000_000_000 } },
  ],
  ['healthcheck: {test: [NONE], disable: true}', { healthcheck: { test: ['NONE'], disable: true } }],
  ['gpus: all', { gpus: [{ count: -1 }] }],
  ['cpus: "1.5"', { cpus: 1.5 }],
  ['read_only: yes', { read_only: true }],
  ['storage_opt: {size: 1G}', { storage_opt: { size: '1G' } }],
  [
    'blkio_config: {weight: 1, device_read_bps: [{path: /dev/a, rate: 1mb}]}',
    { blkio_config: { weight: 1, device_read_bps: [{ path: '/dev/a', rate: '1mb' }] } },
  ],
  ['restart: on-failure:3', { restart: 'on-failure:3' }],
  ['pull_policy: if_not_present', { pull_policy: 'missing' }],
];

describe('short and long syntax', () => {
  it.each(SPELLINGS)('%s', async (body, expected) => {
    expect(await loadWeb(body)).toMatchObject(expected);
  });

  it('expands a build path to a build with the defaults', async () => {
    const { project, folder } = await load('services: {web: {build: ./app}}');
    expect(project.services['web']?.build).toEqual({ context: `${folder}/app`, dockerfile: 'Dockerfile' });
  });

  it('uses the project directory as the context of a build without one', async () => {
    const { project, folder } = await load('services: {web: {build: {dockerfile: D}}}');
    expect(project.services['web']?.build).toEqual({ context: folder, dockerfile: 'D' });
  });

  it('reads the ssh agents of a build, of which the default one has no path', async () => {
    const { project } = await load('services: {web: {build: {context: ., ssh: [default, "k=/run/agent"]}}}');
    expect(project.services['web']?.build?.ssh).toEqual({ default: null, k: '/run/agent' });
  });

  it.each([
    ['mode: 0440', 0o440],
    ['mode: "0440"', 0o440],
    ['mode: 0o440', 0o440],
    ['mode: 288', 0o440],
  ])('reads file permissions from %s', async (mode, expected) => {
    const { project } = await load(
      `services: {web: {image: i, secrets: [{source: s, ${mode}}]}}\nsecrets: {s: {file: ./s}}`,
    );
    expect(project.services['web']?.secrets).toEqual([{ source: 's', target: '/run/secrets/s', mode: expected }]);
  });

  it('keeps dependencies from a list, a mapping, links and shared namespaces', async () => {
    const { project } = await load(
      ['services:', '  web: {image: i, depends_on: [a], links: ["b:x"], ipc: "service:c", volumes_from: [d]}']
        .concat(['a', 'b', 'c', 'd'].map((name) => `  ${name}: {image: i}`))
        .join('\n'),
    );
    expect(project.services['web']?.depends_on).toEqual({
      a: { condition: 'service_started', required: true },
      b: { condition: 'service_started', required: true, restart: true },
      c: { condition: 'service_started', required: true, restart: true },
      d: { condition: 'service_started', required: true },
    });
  });

  it('keeps x- keys at every level', async () => {
    const { project } = await load(
      'x-top: {a: [1]}\nservices: {web: {image: i, x-mine: 1, deploy: {x-deep: two}}}\nnetworks: {default: {x-net: true}}',
    );
    expect(project.extensions).toEqual({ 'x-top': { a: [1] } });
    expect(project.services['web']).toMatchObject({ 'x-mine': 1, deploy: { 'x-deep': 'two' } });
    expect(project.networks['default']).toMatchObject({ 'x-net': true });
  });
});

describe('invalid values', () => {
  it.each([
    ['ports: ["99999:80"]'],
    ['ports: ["80:81:82:83"]'],
    ['ports: ["8000-8002:80-81"]'],
    ['ports: ["82-81"]'],
    ['ports: ["80/icmp"]'],
    ['ports: ["1.2.3:80:80"]'],
    ['ports: [""]'],
    ['ports: [{target: 0}]'],
    ['ports: [true]'],
    ['volumes: ["a:b:c:d"]'],
    ['volumes: ["a::b"]'],
    ['volumes: ["data:/b:nonsense"]'],
    ['volumes: [{type: floppy, target: /a}]'],
    ['devices: ["a:b:c:d"]'],
    ['environment: "A=1"'],
    ['environment: {A: [1]}'],
    ['environment: ["A =1"]'],
    ['depends_on: {a: {condition: service_maybe}}'],
    ['ulimits: {nofile: {soft: x, hard: 1}}'],
    ['scale: 1.5'],
    ['scale: 99999999999999999999'],
    ['healthcheck: {interval: 10}'],
    ['healthcheck: {interval: 10 parsecs}'],
    ['healthcheck: {test: [curl]}'],
    ['restart: sometimes'],
    ['pull_policy: maybe'],
    ['user: [a]'],
    ['hostname: 1'],
    ['extra_hosts: [nohost]'],
    ['secrets: [{source: s, mode: 0999}]'],
    ['oom_score_adj: 2000'],
    ['tty: perhaps'],
    ['container_name: "-x"'],
    ['networks: {"bad name": }'],
  ])('%s fails with file, line and column', async (body) => {
    const failure = await loadFailure(`services:\n  web:\n    image: nginx\n    ${body}\n`);
    expect(failure.error).toBe('ComposeValidationError');
    expect(failure.location).toMatchObject({ file: expect.stringMatching(/compose\.yaml$/) as unknown, line: 4 });
    expect(failure.location?.column).toBeGreaterThan(4);
  });
});

describe('durations', () => {
  it.each([
    ['0', 0],
    ['10ns', 10],
    ['1us', 1_000],
    ['1.5ms', 1_500_000],
    ['1m30s', 90_000_000_000],
    ['2h45m', 9_900_000_000_000],
    ['1w2d', 777_600_000_000_000],
    ['-1.5h', -5_400_000_000_000],
    ['.5s', 500_000_000],
  ])('%s is %d ns', (text, nanoseconds) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  it.each(['', '10', 's', '1x', '1s 2s', '.s', '1e3s', '9999999999999999999999s', '300000w'])(
    '%j is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );

  it.each([
    [0, '0s'],
    [1, '1ns'],
    [1_500, '1.5\u00b5s'],
    [500_000_000, '500ms'],
    [90_000_000_000, '1m30s'],
    [3_600_000_000_000, '1h0m0s'],
    [-1_000_000_000, '-1s'],
  ])('%d ns is printed as %s', (nanoseconds, text) => {
    expect(formatDuration(nanoseconds)).toBe(text);
  });
});
