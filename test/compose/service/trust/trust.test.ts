/** Projects that are sent get nothing of the host, key by key, unless the operator allows it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { allowanceNames, isAllowance, type Allowance } from '../../../../src/compose/service/trust/allowances.js';
import { runService, type RunningService } from '../running-service.js';

/** A service with these keys, and other sections. */
const web = (keys: string, others = ''): string => `services: { web: { image: app, ${keys} } }\n${others}`;

type Case = readonly [needs: Allowance | 'none', place: string, yaml: string];

const volume = (definition: string): string => web('volumes: ["data:/v"]', `volumes: { data: { ${definition} } }`);
const volumeMount = (definition: string): string =>
  web(`volumes: [{ type: volume, source: data, target: /v, ${definition} }]`, 'volumes: { data: {} }');
const network = (definition: string): string => web('networks: [n]', `networks: { n: { ${definition} } }`);
const build = (keys: string): string => `services: { web: { build: { ${keys} } } }`;

const refused: readonly Case[] = [
  ['none', 'include', `include: [/etc/passwd]\n${web('')}`],
  ['none', 'services.web.provider', 'services: { web: { provider: { type: sh } } }'],
  ['none', 'services.web.labels', web('labels: { com.docker.compose.project: other }')],
  ['none', 'services.web.labels', web('labels: [io.containers.autoupdate=registry]')],
  ['none', 'services.web.labels', web('labels: { PODMAN_SYSTEMD_UNIT: ssh.service }')],
  ['none', 'services.web.labels', web('labels: { com.docker.swarm.service.name: other }')],
  ['none', 'services.web.labels', web('labels: { com.docker.stack.namespace: other }')],
  ['none', 'services.web.labels', web('labels: { io.kubernetes.pod.name: other }')],
  ['none', 'services.web.labels', web('labels: { " com.docker.swarm.task": other }')],
  ['none', 'services.web.volumes.0.target', web('volumes: [{ type: volume, target: "/etc:/host" }]')],
  [
    'none',
    'services.web.configs.0.target',
    web('configs: [{ source: c, target: "/a,src=/etc" }]', 'configs: { c: { content: x } }'),
  ],
  [
    'none',
    'services.web.secrets.0.target',
    web('secrets: [{ source: s, target: "/a:/b" }]', 'secrets: { s: { environment: X } }'),
  ],
  ['none', 'services.web.volumes.0.volume.subpath', volumeMount('volume: { subpath: "a,src=/etc" }')],
  ['none', 'services.web.volumes.0.volume.subpath', volumeMount('volume: { subpath: "../../etc" }')],
  ['none', 'services.web.volumes.0.volume.subpath', volumeMount('volume: { subpath: /etc }')],
  [
    'none',
    'services.web.volumes.0.volume.labels',
    volumeMount('volume: { labels: { com.docker.compose.project: other } }'),
  ],
  ['none', 'services.web.labels', web('labels: { io.plumbline.compose.sent: "1" }')],
  ['none', 'volumes.data.name', volume('name: /etc')],
  [
    'none',
    'services.web.networks.n.aliases',
    web('networks: { n: { aliases: ["a,ip=10.0.0.1"] } }', 'networks: { n: {} }'),
  ],
  [
    'none',
    'services.web.networks.n.ipv4_address',
    web('networks: { n: { ipv4_address: "10.0.0.1,x=y" } }', 'networks: { n: {} }'),
  ],
  ['host-files', 'services.web.extends.file', web('extends: { file: /etc/passwd, service: a }')],
  ['host-files', 'services.web.env_file', web('env_file: /etc/environment')],
  ['host-files', 'services.web.env_file', web('env_file: [{ path: none.env, required: false }]')],
  ['host-files', 'services.web.label_file', web('label_file: /etc/environment')],
  ['host-files', 'services.web.credential_spec', web('credential_spec: { file: spec.json }')],
  ['host-files', 'services.web.volumes.0.type', web('volumes: ["/etc:/host"]')],
  ['host-files', 'services.web.volumes.0.type', web('volumes: ["./sub:/host"]')],
  ['host-files', 'services.web.volumes.0.type', web('volumes: ["~/.ssh:/host"]')],
  ['host-files', 'services.web.volumes.0.type', web("volumes: ['C:\\Users:/host']")],
  ['host-files', 'services.web.volumes.0.type', web('volumes: [{ type: bind, source: /etc, target: /host }]')],
  ['host-files', 'services.web.volumes.0.type', web('volumes: [{ type: npipe, source: p, target: /host }]')],
  ['host-files', 'volumes.data.driver_opts', volume('driver_opts: { type: none, o: bind, device: /etc }')],
  ['host-files', 'volumes.data.driver_opts', volume('driver_opts: { type: tmpfs, device: tmpfs, o: "size=1m,bind" }')],
  ['host-files', 'volumes.data.driver_opts', volume('driver_opts: { type: tmpfs, device: /etc, o: size=1m }')],
  ['host-files', 'volumes.data.driver_opts', volume('driver_opts: { type: nfs, o: "addr=10.0.0.1", device: ":/" }')],
  ['host-files', 'secrets.s.file', web('secrets: [s]', 'secrets: { s: { file: /etc/shadow } }')],
  ['host-files', 'configs.c.file', web('configs: [c]', 'configs: { c: { file: ./c } }')],
  ['build', 'services.web.build', build('context: ., dockerfile: /etc/passwd')],
  ['build', 'services.web.build', build('dockerfile_inline: FROM scratch')],
  ['build', 'services.web.build', 'services: { web: { build: . } }'],
  ['privileges', 'services.web.privileged', web('privileged: true')],
  ['privileges', 'services.web.privileged', web('privileged: "${NONE:-true}"')],
  ['privileges', 'services.web.cap_add', web('cap_add: [SYS_ADMIN]')],
  ['privileges', 'services.web.security_opt', web('security_opt: ["seccomp=unconfined"]')],
  ['privileges', 'services.web.security_opt', web('security_opt: ["no-new-privileges:true", "apparmor=unconfined"]')],
  ['privileges', 'services.web.annotations', web('annotations: { run.oci.handler: x }')],
  ['privileges', 'services.web.cgroup_parent', web('cgroup_parent: /')],
  ['privileges', 'services.web.runtime', web('runtime: runc')],
  ['privileges', 'services.web.sysctls', web('sysctls: { vm.swappiness: 1 }')],
  ['privileges', 'services.web.sysctls', web('sysctls: { kernel.core_pattern: "|/bin/sh" }')],
  ['privileges', 'services.web.sysctls', web('sysctls: { kernel.panic: 1 }')],
  ['privileges', 'services.web.sysctls', web('sysctls: { net.core.somaxconn: 1, kernel.modprobe: /bin/sh }')],
  ['privileges', 'services.web.sysctls', web('sysctls: [fs.suid_dumpable=2]')],
  ['privileges', 'services.web.storage_opt', web('storage_opt: { overlay.mount_program: /bin/sh }')],
  ['privileges', 'services.web.oom_kill_disable', web('oom_kill_disable: true')],
  ['privileges', 'services.web.oom_score_adj', web('oom_score_adj: -1000')],
  ['privileges', 'services.web.cpu_rt_runtime', web('cpu_rt_runtime: 1000')],
  ['privileges', 'services.web.group_add', web('group_add: [keep-groups]')],
  ['privileges', 'services.web.use_api_socket', web('use_api_socket: true')],
  ['privileges', 'services.web.post_start.0.privileged', web('post_start: [{ command: id, privileged: true }]')],
  ['privileges', 'services.web.pre_stop.0.privileged', web('pre_stop: [{ command: id, privileged: true }]')],
  ['privileges', 'services.web.pre_start.0.privileged', web('pre_start: [{ command: id, privileged: true }]')],
  ['host-namespaces', 'services.web.pid', web('pid: host')],
  ['host-namespaces', 'services.web.ipc', web('ipc: host')],
  ['host-namespaces', 'services.web.uts', web('uts: host')],
  ['host-namespaces', 'services.web.cgroup', web('cgroup: host')],
  ['host-namespaces', 'services.web.userns_mode', web('userns_mode: host')],
  ['host-namespaces', 'services.web.network_mode', web('network_mode: host')],
  ['host-namespaces', 'services.web.network_mode', web('network_mode: "ns:/proc/1/ns/net"')],
  ['host-namespaces', 'networks.n.name', network('name: host')],
  ['devices', 'services.web.devices', web('devices: ["/dev/kmsg"]')],
  ['devices', 'services.web.device_cgroup_rules', web('device_cgroup_rules: ["a *:* rwm"]')],
  ['devices', 'services.web.gpus', web('gpus: all')],
  [
    'devices',
    'services.web.blkio_config.weight_device',
    web('blkio_config: { weight_device: [{ path: /dev/sda, weight: 9 }] }'),
  ],
  [
    'devices',
    'services.web.deploy.resources.reservations.devices',
    web('deploy: { resources: { reservations: { devices: [{ capabilities: [gpu], count: 1 }] } } }'),
  ],
  ['networks', 'networks.n.driver', network('driver: macvlan')],
  ['networks', 'networks.n.driver_opts', network('driver_opts: { parent: eth0 }')],
  ['networks', 'networks.n.ipam.config', network('ipam: { config: [{ subnet: 8.8.8.0/24 }] }')],
  [
    'networks',
    'services.web.networks.n.driver_opts',
    web('networks: { n: { driver_opts: { a: b } } }', 'networks: { n: {} }'),
  ],
  ['networks', 'services.web.ports.0.published', web('ports: ["80:80"]')],
  ['networks', 'services.web.ports.0.published', web('ports: ["127.0.0.1:1000-1030:1000-1030"]')],
  ['networks', 'services.web.ports.0.published', web('ports: [{ target: 80, published: "0-1023" }]')],
  [
    'plugins',
    'services.web.logging.options',
    web('logging: { driver: k8s-file, options: { tag: "x,path=/etc/cron.d/x" } }'),
  ],
  ['privileges', 'services.web.group_add', web(`group_add: ['"keep-groups"']`)],
  ['plugins', 'volumes.data.driver', volume('driver: sshfs')],
  ['plugins', 'services.web.logging.driver', web('logging: { driver: syslog }')],
  ['plugins', 'services.web.logging.options', web('logging: { driver: k8s-file, options: { path: /etc/cron.d/x } }')],
  ['other-projects', 'services.web.pid', web('pid: "container:other"')],
  ['other-projects', 'services.web.ipc', web('ipc: "container:other"')],
  ['other-projects', 'services.web.network_mode', web('network_mode: "container:other"')],
  ['other-projects', 'services.web.network_mode', web('network_mode: bridge')],
  ['other-projects', 'services.web.network_mode', web('network_mode: default')],
  ['other-projects', 'services.web.volumes_from', web('volumes_from: ["container:other"]')],
  ['other-projects', 'services.web.external_links', web('external_links: [other]')],
  ['other-projects', 'networks.n.external', network('external: true')],
  ['other-projects', 'volumes.data.external', volume('external: true')],
  ['other-projects', 'volumes.data.external', volume('external: { name: other_data }')],
  ['other-projects', 'secrets.s.external', web('secrets: [s]', 'secrets: { s: { external: true } }')],
];

/** Of builds that the operator allows. */
const refusedBuilds: readonly Case[] = [
  ['host-files', 'services.web.build.context', build('context: /')],
  ['host-files', 'services.web.build.dockerfile_inline', build('dockerfile_inline: "FROM oci-archive:/x.tar"')],
  [
    'host-files',
    'services.web.build.dockerfile_inline',
    build('dockerfile_inline: "FROM \\\\\\n# comment\\n oci-archive:/x.tar"'),
  ],
  ['host-files', 'services.web.build.dockerfile_inline', build('dockerfile_inline: "FROM oci-archive\\\\:/x.tar"')],
  ['host-files', 'services.web.build.dockerfile_inline', build('dockerfile_inline: "FROM new-transport:/x.tar"')],
  ['host-files', 'services.web.build.cache_from', build('dockerfile_inline: "FROM app", cache_from: ["oci:/x"]')],
  ['host-files', 'services.web.build.tags', build('dockerfile_inline: "FROM app", tags: ["oci-archive:/x.tar"]')],
  ['host-files', 'services.web.image', 'services: { web: { image: "docker-archive:/x.tar" } }'],
  [
    'host-files',
    'services.web.volumes.0.source',
    web('volumes: [{ type: image, source: "docker-archive:/x.tar", target: /i }]'),
  ],
  [
    'host-files',
    'services.web.pre_start.0.image',
    web('pre_start: [{ command: [a], image: "docker-archive:/x.tar" }]'),
  ],
  ['host-files', 'services.web.build.dockerfile_inline', build('dockerfile_inline: "ARG a\\nFROM $$a"')],
  [
    'host-files',
    'services.web.build.dockerfile_inline',
    build('dockerfile_inline: "FROM scratch\\nCOPY --from=dir:/etc / /"'),
  ],
  [
    'host-files',
    'services.web.build.additional_contexts',
    build('additional_contexts: { "x=/etc/a": "https://example.com/x" }'),
  ],
  ['host-files', 'services.web.build.context', build('context: ../..')],
  ['host-files', 'services.web.build.context', build('context: "git@example.com:private.git"')],
  ['host-files', 'services.web.build.dockerfile', build('context: ., dockerfile: /etc/passwd')],
  ['host-files', 'services.web.build.dockerfile', build('context: ., dockerfile: ../../../proc/self/environ')],
  ['host-files', 'services.web.build.additional_contexts', build('additional_contexts: { root: / }')],
  [
    'host-files',
    'services.web.build.additional_contexts',
    build('additional_contexts: { x: "docker-image://oci-archive:/x.tar" }'),
  ],
  ['host-files', 'services.web.build.additional_contexts', build('additional_contexts: ["o=oci-layout:///var"]')],
  ['host-files', 'services.web.build.ssh', build('ssh: [default]')],
  ['host-files', 'services.web.build.cache_from', build('cache_from: ["type=local,src=/etc"]')],
  ['host-files', 'services.web.build.cache_to', build('cache_to: ["type=local,dest=/etc"]')],
  ['host-files', 'services.web.build.cache_to', build('cache_to: ["example.com/cache"]')],
  ['host-namespaces', 'services.web.build.network', build('network: host')],
  ['privileges', 'services.web.build.privileged', build('privileged: true')],
  ['privileges', 'services.web.build.entitlements', build('entitlements: [security.insecure]')],
];

const accepted: readonly (readonly [what: string, yaml: string])[] = [
  ['named and anonymous volumes', web('volumes: ["data:/data", "/cache"]', 'volumes: { data: {} }')],
  ['a volume in memory', volume('driver: local, driver_opts: { type: tmpfs, device: tmpfs, o: "size=1m,noexec" }')],
  ['ports from 1024 on', web('ports: ["8080:80", "80", "127.0.0.1:9000-9001:90-91/udp"]')],
  [
    'namespaces of services of the same project',
    `services: { a: { image: app }, web: { image: app, pid: "service:a", network_mode: "service:a" } }`,
  ],
  ['settings that restrict', web('cap_drop: [ALL], read_only: true, security_opt: ["no-new-privileges:true"]')],
  ['settings of a private network namespace', web('sysctls: { net.core.somaxconn: 1024 }')],
  [
    'settings of a private IPC namespace',
    web('sysctls: { kernel.shmmax: 1, kernel.msgmax: 1, kernel.sem: "1 1 1 1", fs.mqueue.msg_max: 1 }'),
  ],
  ['limits', web('mem_limit: 64m, cpus: 0.5, pids_limit: 10, ulimits: { nofile: 100 }, oom_score_adj: 100')],
  [
    'the address of the server by name, which containers can reach without it',
    web('extra_hosts: ["host:host-gateway"]'),
  ],
  ['a part of a volume', volumeMount('volume: { subpath: a/b }')],
  [
    'targets of configs and secrets',
    web('configs: [{ source: c, target: /etc/app.conf }]', 'configs: { c: { content: x } }'),
  ],
  [
    'mappings with any names',
    web('environment: { brand_new: x }, labels: { brand_new: x }, extra_hosts: { brand_new: "10.0.0.1" }'),
  ],
  ['extensions', web('x-other: { brand_new: 1 }', 'x-more: [{ brand_new: 1 }]')],
  [
    'services and networks with names of keys',
    'services: { build: { image: app, networks: [x-n] } }\nnetworks: { x-n: {} }',
  ],
  ['hooks', web('post_start: [{ command: id, user: root }]')],
  ['log rotation', web('logging: { driver: json-file, options: { max-size: 1m } }')],
  ['values that say no', web('privileged: false, devices: [], cap_add: [], oom_kill_disable: false')],
  ['configs with their content', web('configs: [c]', 'configs: { c: { content: hello } }')],
  ['a separate network', network('driver: bridge, internal: true, labels: { team: a }')],
];

let closed: RunningService;
let open: RunningService;
let builder: RunningService;
beforeAll(async () => {
  closed = await runService();
  builder = await runService({ allow: ['build'] });
  open = await runService({ allow: allowanceNames.filter(isAllowance) });
});
afterAll(async () => {
  await Promise.all([closed, builder, open].map((service) => service.stop()));
});

const named = (cases: readonly Case[]): [string, Case][] =>
  cases.map((each) => [`${each[1]}: ${each[2].replaceAll('\n', ' ').trim()}`, each]);

async function expectRefusal(service: RunningService, [needs, place, yaml]: Case): Promise<void> {
  const problem = (await service.expect(400, 'POST', '/projects/hostile', yaml)) as { message: string };
  const path = place.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  expect(problem).toMatchObject({ error: 'ComposeValidationError', case: 'notAllowed', path, allowance: needs });
  if (needs !== 'none') expect(problem.message).toContain(`--allow ${needs}`);
  await service.expect(404, 'GET', '/projects/hostile');
}

describe('a key that gives access to the host is refused by name before anything runs', () => {
  test.each(named(refused))('%s', (_name, each) => expectRefusal(closed, each));
});

describe('an allowed build has no further access', () => {
  test.each(named(refusedBuilds))('%s', (_name, each) => expectRefusal(builder, each));

  test('a Dockerfile in the project is accepted', async () => {
    await builder.expect(201, 'POST', '/projects/inline', build('context: ., dockerfile_inline: FROM scratch'));
  });
});

describe('what gives no access to the host is accepted', () => {
  test.each(accepted)('%s', async (_what, yaml) => {
    await closed.expect(201, 'POST', '/projects/friendly', yaml);
    await closed.expect(204, 'DELETE', '/projects/friendly');
  });
});

describe('the operator can allow a class of keys', () => {
  test.each(named([...refused, ...refusedBuilds].filter(([needs]) => needs !== 'none')))('%s', async (_name, each) => {
    const response = await open.call('POST', '/projects/trusted?replace=true', each[2]);
    expect(await response.text()).not.toContain('notAllowed');
  });

  test('missing files are named then', async () => {
    expect(await open.expect(400, 'POST', '/projects/x', web('env_file: none.env'))).toMatchObject({
      error: 'EnvFileError',
      case: 'notFound',
    });
    expect(
      await open.expect(400, 'POST', '/projects/x', web('extends: { file: none.yaml, service: a }')),
    ).toMatchObject({ error: 'ExtendsError', case: 'fileNotFound' });
  });

  test('a key that no class covers is always refused', async () => {
    for (const each of refused.filter(([needs]) => needs === 'none')) await expectRefusal(open, each);
  });
});

describe('callers of single operations', () => {
  test('cannot run a privileged command in a container', async () => {
    await closed.up('shop', web(''));
    const body = { command: ['id'], privileged: true };
    expect(await closed.expect(400, 'POST', '/containers/shop-web/exec', body)).toMatchObject({
      case: 'notAllowed',
      path: ['privileged'],
      allowance: 'privileges',
    });
    await closed.expect(204, 'DELETE', '/projects/shop');
    await open.up('shop', web(''));
    const response = await open.call('POST', '/containers/shop-web/exec', body);
    expect(response.status).toBe(200);
    await response.text();
  });

  test('cannot create a volume with the driver of a plug-in', async () => {
    expect(await closed.expect(400, 'POST', '/volumes', { name: 'v', driver: 'sshfs' })).toMatchObject({
      case: 'notAllowed',
      path: ['driver'],
      allowance: 'plugins',
    });
  });
});

test('A stored project that is no longer allowed fails the start with the refused key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-trust-'));
  const text = web('privileged: true');
  await writeFile(join(folder, 'kept.json'), JSON.stringify({ ingested_at: '2026-01-01T00:00:00Z', text }));
  await expect(runService({ projectsFolder: folder })).rejects.toMatchObject({
    failure: { case: 'persistenceFailure' },
    message: expect.stringMatching(
      /kept\.json is not allowed: services\.web\.privileged is refused: .*Allow it/,
    ) as string,
  });
  const service = await runService({ projectsFolder: folder, allow: ['privileges'] });
  await service.expect(200, 'GET', '/projects/kept');
  await service.stop();
  await rm(folder, { recursive: true });
});

test('No value of a refused key is revealed, not even through interpolation', async () => {
  vi.stubEnv('PLT_LEAK', 'leaked-value');
  onTestFinished(() => void vi.unstubAllEnvs());
  const body = await (
    await closed.call('POST', '/projects/leak', web('env_file: "/etc/${PLT_LEAK:-chosen}", cap_add: ["${PLT_LEAK}"]'))
  ).text();
  expect(body).not.toMatch(/leaked-value|chosen|root:/);
});
