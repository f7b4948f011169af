/**
 * What a project that was sent may use: a decision for every key of the Compose Specification. A key is allowed, needs
 * an allowance of the operator for some of its values, or is refused always.
 */
import {
  allowed,
  always,
  device,
  driver,
  external,
  image,
  isFilled,
  isOther,
  isTrue,
  labels,
  namespace,
  networkPart,
  privilege,
  privileged,
  serverFile,
  subpath,
  target,
  when,
  type Decision,
} from './decision.js';
import {
  hasBuildDirectory,
  hasImageOfServer,
  isBuildDirectory,
  isImageOfServer,
  isLocalCache,
  isNoAddress,
  isNoVolumeName,
  isOutsidePath,
  isTmpfs,
  keysOf,
  logOptionNeed,
  namespaceNeed,
  networkModeNeed,
  networkNameNeed,
  publishesLowPort,
  textsOf,
} from './values.js';

const hook = (name: string): Record<string, Decision> => ({
  [`services.*.${name}`]: 'allowed',
  ...allowed(`services.*.${name}.*`, 'command user working_dir environment per_replica'),
  [`services.*.${name}.*.image`]: image,
  [`services.*.${name}.*.privileged`]: privileged,
});

const service: Record<string, Decision> = {
  // Own processes, limits and addresses inside the container, or keys without effect here.
  ...allowed(
    'services.*',
    `attach blkio_config cap_drop command configs container_name cpu_count cpu_percent cpu_shares cpu_quota
    cpu_period cpus cpuset depends_on deploy develop dns dns_opt dns_search domainname entrypoint environment expose
    extends extra_hosts healthcheck hostname init isolation logging mem_limit
    mem_reservation mem_swappiness memswap_limit models networks pids_limit platform ports profiles pull_policy
    pull_refresh_after read_only restart scale shm_size secrets stdin_open stop_grace_period stop_signal tmpfs tty
    ulimits user volumes working_dir`,
  ),
  'services.*.annotations': { need: when('privileges', isFilled), reason: 'the OCI runtime acts on annotations' },
  'services.*.blkio_config.weight': 'allowed',
  'services.*.blkio_config.weight_device': device,
  'services.*.blkio_config.device_read_bps': device,
  'services.*.blkio_config.device_read_iops': device,
  'services.*.blkio_config.device_write_bps': device,
  'services.*.blkio_config.device_write_iops': device,
  'services.*.build': { need: always('build'), reason: 'it builds an image on the server' },
  'services.*.cap_add': { need: when('privileges', isFilled), reason: privilege.reason },
  'services.*.cgroup': namespace,
  'services.*.cgroup_parent': privilege,
  ...allowed('services.*.configs.*', 'source uid gid mode'),
  'services.*.configs.*.target': target,
  'services.*.cpu_rt_period': privilege,
  'services.*.cpu_rt_runtime': privilege,
  'services.*.credential_spec': serverFile,
  ...allowed('services.*.depends_on.*', 'restart required condition'),
  'services.*.device_cgroup_rules': device,
  'services.*.devices': device,
  'services.*.env_file': serverFile,
  ...allowed('services.*.extends', 'service'),
  'services.*.extends.file': serverFile,
  'services.*.external_links': {
    need: when('other-projects', isFilled),
    reason: 'it links to containers that are not part of the project',
  },
  'services.*.gpus': device,
  'services.*.group_add': {
    need: when('privileges', (value) => textsOf(value).some((group) => /keep-groups|[",]/.test(group))),
    reason: 'it gives the groups of the server process',
  },
  ...allowed('services.*.healthcheck', 'disable interval retries test timeout start_period start_interval'),
  'services.*.image': image,
  'services.*.ipc': namespace,
  'services.*.label_file': serverFile,
  'services.*.labels': labels,
  'services.*.links': networkPart,
  'services.*.logging.driver': {
    need: when('plugins', isOther('', 'json-file', 'local', 'k8s-file', 'none')),
    reason: 'it sends the log to another program or machine',
  },
  'services.*.logging.options': { need: logOptionNeed, reason: 'it has an option that can name a file or an address' },
  'services.*.mac_address': networkPart,
  ...allowed('services.*.models.*', 'endpoint_var model_var'),
  // Engines have one bridge for all containers without a separate network.
  'services.*.network_mode': { need: networkModeNeed, reason: namespace.reason },
  ...allowed('services.*.networks.*', 'link_local_ips priority gw_priority'),
  'services.*.networks.*.aliases': networkPart,
  'services.*.networks.*.interface_name': networkPart,
  'services.*.networks.*.ipv4_address': networkPart,
  'services.*.networks.*.ipv6_address': networkPart,
  'services.*.networks.*.mac_address': networkPart,
  'services.*.networks.*.driver_opts': { need: when('networks', isFilled), reason: 'it sets options of a driver' },
  'services.*.oom_kill_disable': { need: when('privileges', isTrue), reason: 'it can starve the server of memory' },
  'services.*.oom_score_adj': {
    need: when('privileges', (value) => !(Number(value) >= 0)),
    reason: 'it can starve the server of memory',
  },
  'services.*.pid': namespace,
  ...allowed('services.*.ports.*', 'name mode target protocol app_protocol'),
  'services.*.ports.*.host_ip': { need: when('never', isNoAddress), reason: 'it is not an IP address' },
  'services.*.ports.*.published': {
    need: when('networks', publishesLowPort),
    reason: 'it publishes a port below 1024',
  },
  ...hook('pre_start'),
  ...hook('post_start'),
  ...hook('pre_stop'),
  'services.*.privileged': privileged,
  'services.*.provider': { need: always('never'), reason: 'it runs a program on the server' },
  'services.*.runtime': privilege,
  ...allowed('services.*.secrets.*', 'source uid gid mode'),
  'services.*.secrets.*.target': target,
  'services.*.security_opt': {
    need: when('privileges', (value) => textsOf(value).some((text) => !/^no-new-privileges([:=]true)?$/.test(text))),
    reason: privilege.reason,
  },
  'services.*.storage_opt': {
    need: when('privileges', (value) => keysOf(value).some((key) => key !== 'size')),
    reason: 'it sets options of the storage driver',
  },
  // Settings of a namespace that the container has to itself; the engine refuses them where it is shared.
  'services.*.sysctls': {
    need: when('privileges', (value) =>
      keysOf(value).some((key) => !/^(net\.|fs\.mqueue\.|kernel\.(shm|msg|sem))/.test(key)),
    ),
    reason: 'it changes a setting of the kernel',
  },
  ...allowed('services.*.ulimits.*', 'hard soft'),
  'services.*.use_api_socket': { need: when('privileges', isTrue), reason: 'it gives access to the engine' },
  'services.*.userns_mode': { need: namespaceNeed, reason: 'it joins a user namespace outside the project' },
  'services.*.uts': namespace,
  ...allowed('services.*.volumes.*', 'read_only consistency bind volume tmpfs image'),
  'services.*.volumes.*.type': {
    need: (value) =>
      value === 'bind' || value === 'npipe' ? 'host-files' : value === 'cluster' ? 'plugins' : undefined,
    reason: 'it mounts a file or directory of the server',
  },
  // No path and no name of a volume looks like an image of a file.
  'services.*.volumes.*.source': image,
  'services.*.volumes.*.target': target,
  ...allowed('services.*.volumes.*.bind', 'propagation create_host_path recursive selinux'),
  ...allowed('services.*.volumes.*.volume', 'nocopy'),
  'services.*.volumes.*.volume.labels': labels,
  'services.*.volumes.*.volume.subpath': subpath,
  ...allowed('services.*.volumes.*.tmpfs', 'size mode'),
  'services.*.volumes.*.image.subpath': subpath,
  'services.*.volumes_from': {
    need: when('other-projects', (value) => textsOf(value).some((text) => text.startsWith('container:'))),
    reason: 'it uses volumes of a container that is not part of the project',
  },
};

/** Decides what allowed builds would reach beyond their context. */
const build: Record<string, Decision> = {
  ...allowed(
    'services.*.build',
    `args no_cache no_cache_filter provenance sbom pull target shm_size extra_hosts isolation
    secrets ulimits platforms`,
  ),
  'services.*.build.context': {
    need: (context, directory) => (isBuildDirectory(context, directory) ? 'host-files' : undefined),
    reason: 'it reads a directory of the server',
  },
  'services.*.build.dockerfile_inline': {
    need: when('host-files', hasImageOfServer),
    reason: 'it can take an image from a file of the server',
  },
  'services.*.build.dockerfile': { need: when('host-files', isOutsidePath), reason: serverFile.reason },
  'services.*.build.entitlements': { need: when('privileges', isFilled), reason: privilege.reason },
  'services.*.build.ssh': { need: when('host-files', isFilled), reason: 'it uses SSH keys of the server' },
  'services.*.build.tags': {
    need: when('host-files', (value) => textsOf(value).some(isImageOfServer)),
    reason: 'it writes a file of the server',
  },
  'services.*.build.labels': labels,
  'services.*.build.cache_from': { need: when('host-files', isLocalCache), reason: serverFile.reason },
  'services.*.build.cache_to': {
    need: when('host-files', isFilled),
    reason: 'it writes files of the server, or to a registry with the credentials of the server',
  },
  'services.*.build.additional_contexts': {
    need: (contexts, directory) => (hasBuildDirectory(contexts, directory) ? 'host-files' : undefined),
    reason: 'it reads a directory of the server',
  },
  'services.*.build.network': namespace,
  'services.*.build.privileged': privileged,
  ...allowed('services.*.build.secrets.*', 'source target uid gid mode'),
  ...allowed('services.*.build.ulimits.*', 'hard soft'),
};

/** The server does not watch, and Swarm's settings have no effect. */
const deployment: Record<string, Decision> = {
  'services.*.develop.watch': 'allowed',
  ...allowed('services.*.develop.watch.*', 'ignore include path action target exec initial_sync'),
  ...allowed('services.*.develop.watch.*.exec', 'command user privileged working_dir environment'),
  ...allowed(
    'services.*.deploy',
    'mode endpoint_mode replicas rollback_config update_config resources restart_policy placement',
  ),
  'services.*.deploy.labels': labels,
  ...allowed('services.*.deploy.rollback_config', 'parallelism delay failure_action monitor max_failure_ratio order'),
  ...allowed('services.*.deploy.update_config', 'parallelism delay failure_action monitor max_failure_ratio order'),
  ...allowed('services.*.deploy.resources', 'limits reservations'),
  ...allowed('services.*.deploy.resources.limits', 'cpus memory pids'),
  ...allowed('services.*.deploy.resources.reservations', 'cpus memory generic_resources'),
  ...allowed('services.*.deploy.resources.reservations.generic_resources.*', 'discrete_resource_spec'),
  ...allowed('services.*.deploy.resources.reservations.generic_resources.*.discrete_resource_spec', 'kind value'),
  'services.*.deploy.resources.reservations.devices': device,
  ...allowed('services.*.deploy.restart_policy', 'condition delay max_attempts window'),
  ...allowed('services.*.deploy.placement', 'constraints preferences max_replicas_per_node'),
  ...allowed('services.*.deploy.placement.preferences.*', 'spread'),
};

const resources: Record<string, Decision> = {
  ...allowed('networks.*', 'internal enable_ipv4 enable_ipv6 attachable ipam'),
  'networks.*.name': { need: networkNameNeed, reason: 'it is the name of a network of the server' },
  'networks.*.driver': { need: when('networks', isOther('', 'bridge')), reason: 'it can reach networks of the server' },
  'networks.*.driver_opts': { need: when('networks', isFilled), reason: 'it sets options of a driver' },
  'networks.*.external': external,
  ...allowed('networks.*.external', 'name'),
  'networks.*.labels': labels,
  'networks.*.ipam.driver': { need: when('networks', isOther('', 'default')), reason: 'it uses a driver plug-in' },
  // A subnet becomes a route of the server, and can take the place of one that it needs.
  'networks.*.ipam.config': { need: when('networks', isFilled), reason: 'it changes routes of the server' },
  'networks.*.ipam.options': { need: when('networks', isFilled), reason: 'it sets options of a driver' },
  // A name that is in use by another project is refused when the project starts.
  'volumes.*.name': { need: when('never', isNoVolumeName), reason: 'it is not the name of a volume' },
  'volumes.*.driver': driver,
  'volumes.*.driver_opts': {
    need: when('host-files', (options) => isFilled(options) && !isTmpfs(options)),
    reason: 'options of a volume driver can mount directories of the server',
  },
  'volumes.*.external': external,
  ...allowed('volumes.*.external', 'name'),
  'volumes.*.labels': labels,
  // A variable is not taken from the environment of the server, so there is nothing to read.
  ...allowed('secrets.*', 'name environment labels template_driver'),
  'secrets.*.file': serverFile,
  'secrets.*.external': external,
  ...allowed('secrets.*.external', 'name'),
  'secrets.*.driver': driver,
  'secrets.*.driver_opts': { need: when('plugins', isFilled), reason: 'it sets options of a driver' },
  ...allowed('configs.*', 'name content environment labels template_driver'),
  'configs.*.file': serverFile,
  'configs.*.external': external,
  ...allowed('configs.*.external', 'name'),
  ...allowed('models.*', 'name model context_size runtime_flags'),
};

/** Mappings whose keys authors choose and whose values no decision has to look at. */
export const FREE_MAPPINGS: ReadonlySet<string> = new Set([
  ...['environment', 'extra_hosts', 'build.args', 'build.extra_hosts', 'develop.watch.*.exec.environment'].map(
    inService,
  ),
  ...['pre_start', 'post_start', 'pre_stop'].map((name) => inService(`${name}.*.environment`)),
  'secrets.*.labels',
  'configs.*.labels',
]);

function inService(key: string): string {
  return `services.*.${key}`;
}

/** By the place of the key; `*` stands for any name or index. */
export const DECISIONS: Readonly<Record<string, Decision>> = {
  version: 'allowed',
  name: 'allowed',
  include: { need: always('never'), reason: 'a project that is sent is one file' },
  services: 'allowed',
  models: 'allowed',
  networks: 'allowed',
  volumes: 'allowed',
  secrets: 'allowed',
  configs: 'allowed',
  ...service,
  ...build,
  ...deployment,
  ...resources,
};
