/**
 * Values for every row of the trust table that does not allow its key for all values: those that a project that was
 * sent may not have, with what each needs, and those that it may have. The values are in long syntax with absolute
 * paths, as the table gets them.
 */
import type { Json } from '../../../../src/compose/model/node.js';
import type { Need } from '../../../../src/compose/service/trust/decision.js';

/** The directory of the project, which is empty. */
export const DIRECTORY = '/projects/hostile';

type Refused = readonly [need: Need, ...values: Json[]];

export interface RowValues {
  readonly refused: readonly [Refused, ...Refused[]];
  /** `no value`: the row refuses whatever the key has. */
  readonly accepted: readonly [Json, ...Json[]] | 'no value';
}

const unsafeTargets = ['/etc:/host', '/a,src=/etc', ['/a']] as const;
const targets: RowValues = { refused: [['never', ...unsafeTargets]], accepted: ['/a', 'a/b.conf'] };
const subpaths: RowValues = {
  refused: [['never', ...unsafeTargets, '/etc', '..', '../etc', 'a/../../etc']],
  accepted: ['a', 'a/../b', '..a'],
};
const labels: RowValues = {
  refused: [
    [
      'never',
      { 'com.docker.compose.project': 'other' },
      { 'io.docker.any': 'x' },
      { 'org.dockerproject.any': 'x' },
      { 'desktop.docker.io/any': 'x' },
      { 'io.plumbline.compose.sent': '1' },
      { 'io.podman.any': 'x' },
      { 'io.containers.autoupdate': 'registry' },
      { 'io.buildah.any': 'x' },
      { 'io.kubernetes.pod.name': 'x' },
      { PODMAN_SYSTEMD_UNIT: 'ssh.service' },
      { team: 'a', ' COM.DOCKER.any': 'x' },
      ['team=a', 'io.containers.autoupdate=registry'],
    ],
  ],
  accepted: [{}, { team: 'a', 'com.example.docker.x': 'y', dockercom: 'z' }, ['traefik.enable=true']],
};
const imageFiles = [
  'docker-archive:/x.tar',
  'oci:/x',
  'OCI-ARCHIVE:x.tar',
  'dir:/etc',
  'containers-storage:x',
  'future-transport:/x',
  'app:~/x',
  'app\\:x',
  '${IMAGE}',
  'app:`x`',
] as const;
const images: RowValues = {
  refused: [['host-files', ...imageFiles]],
  accepted: ['app', 'app:1.2', 'example.com:5000/team/app@sha256:0123', 'docker://example.com/app'],
};
const truth: readonly [Json, ...Json[]] = [true, 'true', 'yes', 'on', 'y', '', 1];
const denials: readonly [Json, ...Json[]] = [false, 'false', 'No', 'off', 'n'];
const privileged: RowValues = { refused: [['privileges', ...truth]], accepted: denials };
const externals: RowValues = { refused: [['other-projects', ...truth, { name: 'x' }]], accepted: denials };
const devices: RowValues = { refused: [['devices', [{ path: '/dev/sda' }], 'all', ['a *:* rwm']]], accepted: [[], {}] };
const options = (need: Need): RowValues => ({ refused: [[need, { a: 'b' }, ['a=b'], 'a']], accepted: [{}, []] });
const drivers: RowValues = { refused: [['plugins', 'sshfs', 'Local', 1]], accepted: ['', 'local'] };
const anything = (need: Need): RowValues => ({ refused: [[need, 'x', ['x'], { x: 'y' }, 1]], accepted: 'no value' });
const parts: RowValues = {
  refused: [['never', 'a,ip=10.0.0.1', ['a', 'b,c'], 1, [1]]],
  accepted: ['a', ['a', 'b:c'], '10.0.0.1'],
};
const ownNamespaces = ['', 'none', 'private', 'shareable', 'auto', 'service:db'] as const;
const hostNamespaces = ['host', 'ns:/proc/1/ns/net', 'pod', 'keep-id'] as const;
const namespaces: RowValues = {
  refused: [
    ['host-namespaces', ...hostNamespaces],
    ['other-projects', 'container:other'],
  ],
  accepted: [...ownNamespaces, 'default', 'bridge'],
};

/** By the place of the row. */
export const ROW_VALUES: Readonly<Record<string, RowValues>> = {
  include: anything('never'),
  'services.*.annotations': options('privileges'),
  'services.*.blkio_config.weight_device': devices,
  'services.*.blkio_config.device_read_bps': devices,
  'services.*.blkio_config.device_read_iops': devices,
  'services.*.blkio_config.device_write_bps': devices,
  'services.*.blkio_config.device_write_iops': devices,
  'services.*.build': { refused: [['build', '.', {}, { context: DIRECTORY }]], accepted: 'no value' },
  'services.*.cap_add': { refused: [['privileges', ['SYS_ADMIN'], ['CHOWN'], 'ALL']], accepted: [[]] },
  'services.*.cgroup': namespaces,
  'services.*.cgroup_parent': anything('privileges'),
  'services.*.configs.*.target': targets,
  'services.*.cpu_rt_period': anything('privileges'),
  'services.*.cpu_rt_runtime': anything('privileges'),
  'services.*.credential_spec': anything('host-files'),
  'services.*.device_cgroup_rules': devices,
  'services.*.devices': devices,
  'services.*.env_file': anything('host-files'),
  'services.*.extends.file': anything('host-files'),
  'services.*.external_links': { refused: [['other-projects', ['other'], ['other:alias']]], accepted: [[]] },
  'services.*.gpus': devices,
  'services.*.group_add': {
    refused: [['privileges', ['keep-groups'], ['"keep-groups"'], ['1000', 'a,b']]],
    accepted: [[], ['1000', 'audio']],
  },
  'services.*.image': images,
  'services.*.ipc': namespaces,
  'services.*.label_file': anything('host-files'),
  'services.*.labels': labels,
  'services.*.links': parts,
  'services.*.logging.driver': {
    refused: [['plugins', 'syslog', 'journald', 'gelf', 'fluentd', 'awslogs', 'splunk', 'passthrough']],
    accepted: ['', 'json-file', 'local', 'k8s-file', 'none'],
  },
  'services.*.logging.options': {
    refused: [
      [
        'plugins',
        { path: '/etc/cron.d/x' },
        { 'syslog-address': 'udp://10.0.0.1' },
        { 'labels-regex': '.*' },
        { tag: 'x,path=/etc/cron.d/x' },
        { tag: 'x"' },
        { tag: 'x\nlabels=y' },
        ['max-size=1m', 'path=/x'],
      ],
    ],
    accepted: [
      {},
      {
        'max-size': '1m',
        'max-file': '3',
        'max-buffer-size': '1m',
        compress: 'true',
        mode: 'non-blocking',
        labels: 'a',
        env: 'b',
        tag: '{{.Name}}',
      },
      ['max-size=1m'],
    ],
  },
  'services.*.mac_address': parts,
  'services.*.network_mode': {
    refused: [
      ['host-namespaces', ...hostNamespaces, 'other_default'],
      ['other-projects', 'container:other', 'bridge', 'default'],
    ],
    accepted: ownNamespaces,
  },
  'services.*.networks.*.aliases': parts,
  'services.*.networks.*.interface_name': parts,
  'services.*.networks.*.ipv4_address': parts,
  'services.*.networks.*.ipv6_address': parts,
  'services.*.networks.*.mac_address': parts,
  'services.*.networks.*.driver_opts': options('networks'),
  'services.*.oom_kill_disable': privileged,
  'services.*.oom_score_adj': { refused: [['privileges', -1, '-1000', 'x']], accepted: [0, 1000, '500'] },
  'services.*.pid': namespaces,
  'services.*.ports.*.host_ip': {
    refused: [['never', 'localhost', '10.0.0.1:22', '[::1', '10.0.0', 1]],
    accepted: ['', '0.0.0.0', '127.0.0.1', '::1', '[::1]'],
  },
  'services.*.ports.*.published': {
    refused: [['networks', '80', 80, '1023', '0-1023', '1000-1030', '1023-2000']],
    accepted: ['', '0', 0, '1024', 8080, '1024-1030'],
  },
  'services.*.pre_start.*.image': images,
  'services.*.pre_start.*.privileged': privileged,
  'services.*.post_start.*.image': images,
  'services.*.post_start.*.privileged': privileged,
  'services.*.pre_stop.*.image': images,
  'services.*.pre_stop.*.privileged': privileged,
  'services.*.privileged': privileged,
  'services.*.provider': anything('never'),
  'services.*.runtime': anything('privileges'),
  'services.*.secrets.*.target': targets,
  'services.*.security_opt': {
    refused: [
      [
        'privileges',
        ['seccomp=unconfined'],
        ['apparmor:unconfined'],
        ['label=disable'],
        ['systempaths=unconfined'],
        ['no-new-privileges:false'],
        ['no-new-privileges:true', 'seccomp=unconfined'],
      ],
    ],
    accepted: [[], ['no-new-privileges'], ['no-new-privileges:true'], ['no-new-privileges=true']],
  },
  'services.*.storage_opt': {
    refused: [['privileges', { 'overlay.mount_program': '/bin/sh' }, { size: '1g', dm: 'x' }, ['dm.x=y']]],
    accepted: [{}, { size: '1g' }],
  },
  'services.*.sysctls': {
    refused: [
      [
        'privileges',
        { 'vm.swappiness': 1 },
        { 'kernel.core_pattern': '|/bin/sh' },
        { 'kernel.panic': 1 },
        { 'net.core.somaxconn': 1, 'kernel.modprobe': '/bin/sh' },
        ['fs.suid_dumpable=2'],
        { 'fs.file-max': 1 },
        { 'xnet.a': 1 },
      ],
    ],
    accepted: [
      { 'net.core.somaxconn': 1024, 'fs.mqueue.msg_max': 1 },
      { 'kernel.shmmax': 1, 'kernel.msgmax': 1, 'kernel.sem': '1 1 1 1' },
      ['net.ipv4.ip_forward=1'],
    ],
  },
  'services.*.use_api_socket': privileged,
  'services.*.userns_mode': namespaces,
  'services.*.uts': namespaces,
  'services.*.volumes.*.type': {
    refused: [
      ['host-files', 'bind', 'npipe'],
      ['plugins', 'cluster'],
    ],
    accepted: ['volume', 'tmpfs', 'image'],
  },
  'services.*.volumes.*.source': images,
  'services.*.volumes.*.target': targets,
  'services.*.volumes.*.volume.labels': labels,
  'services.*.volumes.*.volume.subpath': subpaths,
  'services.*.volumes.*.image.subpath': subpaths,
  'services.*.volumes_from': {
    refused: [['other-projects', ['container:other'], ['db', 'container:other:ro']]],
    accepted: [[], ['db', 'db:ro']],
  },
  'services.*.build.context': {
    refused: [
      [
        'host-files',
        '/',
        `${DIRECTORY}/..`,
        `${DIRECTORY}/sub`,
        'git@example.com:private.git',
        'ssh://git@example.com/private.git',
        'docker-image://oci-archive:/x.tar',
        ['x'],
      ],
    ],
    accepted: [
      DIRECTORY,
      'https://example.com/x.git',
      'http://example.com/x.tar',
      'git://example.com/x',
      'github.com/team/app',
      'service:base',
      'docker-image://app:1',
    ],
  },
  'services.*.build.dockerfile_inline': {
    refused: [
      [
        'host-files',
        'FROM oci-archive:/x.tar',
        'FROM --platform=linux/amd64 dir:/etc',
        'FROM \\\n# comment\n oci-archive:/x.tar',
        'FROM scratch\nCOPY --from=dir:/etc / /',
        'FROM scratch\nRUN --mount=type=bind,from=oci:/x true',
        'ARG a\nFROM $a',
        'FROM "oci":/x',
        ['FROM app'],
      ],
    ],
    accepted: ['FROM scratch', 'FROM app:1 AS base\nCOPY --from=base /a /b', '# FROM dir:/etc\nFROM app'],
  },
  'services.*.build.dockerfile': {
    refused: [['host-files', '/etc/passwd', '..', '../Dockerfile', 'a/../../Dockerfile', 1]],
    accepted: ['Dockerfile', 'docker/web.Dockerfile', './a/../Dockerfile'],
  },
  'services.*.build.entitlements': { refused: [['privileges', ['security.insecure']]], accepted: [[]] },
  'services.*.build.ssh': { refused: [['host-files', ['default'], 'default', { id: '/key' }]], accepted: [[], {}] },
  'services.*.build.tags': { refused: [['host-files', ['app', ...imageFiles]]], accepted: [[], ['app:1']] },
  'services.*.build.labels': labels,
  'services.*.build.cache_from': {
    refused: [
      [
        'host-files',
        ['type=local,src=/etc'],
        ['app', 'src=/etc,type=local'],
        ['type=s3,bucket=x'],
        ['type=registryx,ref=x'],
        ['oci:/x'],
      ],
    ],
    accepted: [[], ['app:1'], ['type=registry,ref=app', 'type=inline', 'type=gha,scope=x']],
  },
  'services.*.build.cache_to': {
    refused: [['host-files', ['type=local,dest=/etc'], ['example.com/cache'], ['type=inline']]],
    accepted: [[]],
  },
  'services.*.build.additional_contexts': {
    refused: [
      [
        'host-files',
        { root: '/' },
        { x: 'docker-image://oci-archive:/x.tar' },
        ['o=oci-layout:///var'],
        { 'x=/etc/a': 'https://example.com/x' },
        ['app=service:base', 'root=/'],
      ],
    ],
    accepted: [{}, { base: 'service:base', own: DIRECTORY }, ['app=docker-image://app:1']],
  },
  'services.*.build.network': namespaces,
  'services.*.build.privileged': privileged,
  'services.*.deploy.labels': labels,
  'services.*.deploy.resources.reservations.devices': devices,
  'networks.*.name': {
    refused: [
      [
        'host-namespaces',
        ...['host', 'HOST', 'none', 'bridge', 'default', 'private', 'pasta', 'slirp4netns', 'ns'],
        ...['ns:/proc/1/ns/net', 'container:other', '', '-x', 1],
      ],
    ],
    accepted: ['shop_default', 'Front.1-a'],
  },
  'networks.*.driver': {
    refused: [['networks', 'macvlan', 'ipvlan', 'overlay', 'host', 'Bridge']],
    accepted: ['', 'bridge'],
  },
  'networks.*.driver_opts': options('networks'),
  'networks.*.external': externals,
  'networks.*.labels': labels,
  'networks.*.ipam.driver': { refused: [['networks', 'dhcp', 'host-local']], accepted: ['', 'default'] },
  'networks.*.ipam.config': { refused: [['networks', [{ subnet: '8.8.8.0/24' }]]], accepted: [[]] },
  'networks.*.ipam.options': options('networks'),
  'volumes.*.name': {
    refused: [['never', '/etc', './sub', '-x', '', 'a:b', 1]],
    accepted: ['shop_data', '0A.b-c'],
  },
  'volumes.*.driver': drivers,
  'volumes.*.driver_opts': {
    refused: [
      [
        'host-files',
        { type: 'none', o: 'bind', device: '/etc' },
        { type: 'tmpfs', device: 'tmpfs', o: 'size=1m,bind' },
        { type: 'tmpfs', device: '/etc', o: 'size=1m' },
        { type: 'nfs', device: ':/', o: 'addr=10.0.0.1' },
        { type: 'tmpfs', device: 'tmpfs', copy: 'x' },
        { type: 'none', device: 'tmpfs' },
        ['type=tmpfs'],
      ],
    ],
    accepted: [
      {},
      { type: 'tmpfs', device: 'tmpfs' },
      { type: 'tmpfs', device: 'tmpfs', o: 'size=1m,mode=1777,uid=1,noexec,nosuid,nodev' },
    ],
  },
  'volumes.*.external': externals,
  'volumes.*.labels': labels,
  'secrets.*.file': anything('host-files'),
  'secrets.*.external': externals,
  'secrets.*.driver': drivers,
  'secrets.*.driver_opts': options('plugins'),
  'configs.*.file': anything('host-files'),
  'configs.*.external': externals,
};
