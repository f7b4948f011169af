/** Keys without a counterpart in Kubernetes. Each that a project uses is named, so that nothing is lost silently. */
import type { Project } from '../model/project/project.js';
import type { Port, Service } from '../model/project/service.js';
import type { Deploy } from '../model/project/workload.js';
import type { Notes } from './notes.js';

type KeyOf<T> = Exclude<keyof T, `x-${string}`>;

/** Converted, or removed when the file is loaded. */
const carried = null;
const noCounterpart = 'has no counterpart';
const ofTheNode = 'is a setting of the node or its runtime';
const ofAnEngine = 'is a setting of a container engine';

/** null: it is converted, or its own notes say what is not. */
const SERVICE_KEYS: Readonly<Record<KeyOf<Service>, string | null>> = {
  annotations: carried,
  attach: 'belongs to `up` in the foreground',
  blkio_config: noCounterpart,
  build: 'is not part of a cluster: build the image and push it to a registry that the cluster reads',
  cap_add: carried,
  cap_drop: carried,
  cgroup: ofTheNode,
  cgroup_parent: ofTheNode,
  command: carried,
  configs: carried,
  container_name: 'is left out: pods have other names',
  cpu_count: noCounterpart,
  cpu_percent: noCounterpart,
  cpu_period: noCounterpart,
  cpu_quota: noCounterpart,
  cpu_rt_period: noCounterpart,
  cpu_rt_runtime: noCounterpart,
  cpu_shares: noCounterpart,
  cpus: carried,
  cpuset: noCounterpart,
  credential_spec: noCounterpart,
  depends_on: carried,
  deploy: carried,
  develop: 'belongs to `watch`',
  device_cgroup_rules: noCounterpart,
  devices: 'needs a device plugin of the cluster',
  dns: carried,
  dns_opt: carried,
  dns_search: carried,
  domainname: noCounterpart,
  entrypoint: carried,
  environment: carried,
  env_file: carried,
  expose: carried,
  extends: carried,
  external_links: noCounterpart,
  extra_hosts: carried,
  gpus: 'needs a device plugin of the cluster',
  group_add: carried,
  healthcheck: carried,
  hostname: carried,
  image: carried,
  init: 'has no counterpart: the process is number 1 of its container',
  ipc: carried,
  isolation: ofAnEngine,
  label_file: carried,
  labels: carried,
  links: 'has no counterpart: services reach each other by their names',
  logging: 'is a setting of the node: read logs with kubectl logs',
  mac_address: noCounterpart,
  mem_limit: carried,
  mem_reservation: carried,
  mem_swappiness: ofTheNode,
  memswap_limit: ofTheNode,
  models: noCounterpart,
  network_mode: carried,
  networks: carried,
  oom_kill_disable: noCounterpart,
  oom_score_adj: noCounterpart,
  pid: carried,
  pids_limit: ofTheNode,
  platform: carried,
  ports: carried,
  post_start: carried,
  pre_start: carried,
  pre_stop: carried,
  privileged: carried,
  profiles: carried,
  provider: 'has no counterpart: the service is left out',
  pull_policy: carried,
  pull_refresh_after: noCounterpart,
  read_only: carried,
  restart: carried,
  runtime: 'is a setting of the node: name a RuntimeClass',
  scale: carried,
  secrets: carried,
  security_opt: carried,
  shm_size: carried,
  stdin_open: carried,
  stop_grace_period: carried,
  stop_signal: 'is that of the image',
  storage_opt: ofAnEngine,
  sysctls: carried,
  tmpfs: carried,
  tty: carried,
  ulimits: noCounterpart,
  use_api_socket: noCounterpart,
  user: carried,
  userns_mode: noCounterpart,
  uts: noCounterpart,
  volumes: carried,
  volumes_from: noCounterpart,
  working_dir: carried,
};

const DEPLOY_KEYS: Readonly<Record<KeyOf<Deploy>, string | null>> = {
  mode: carried,
  endpoint_mode: noCounterpart,
  replicas: carried,
  labels: carried,
  rollback_config: 'has no counterpart: use kubectl rollout undo',
  update_config: carried,
  resources: carried,
  restart_policy: carried,
  placement: 'names labels of Swarm nodes: set a node selector',
};

const PORT_KEYS: Readonly<Record<KeyOf<Port>, string | null>> = {
  target: carried,
  published: carried,
  host_ip: 'has no counterpart: the port is published on the addresses of the load balancer',
  protocol: carried,
  mode: carried,
  name: carried,
  app_protocol: carried,
};

/** Notes the keys of a project's services and resources that are not converted. */
export function noteUnsupported(project: Project, notes: Notes): void {
  for (const [name, service] of Object.entries(project.services)) {
    const path = `services.${name}`;
    noteKeys(path, service, SERVICE_KEYS, notes);
    noteKeys(`${path}.deploy`, service.deploy ?? {}, DEPLOY_KEYS, notes);
    for (const port of service.ports ?? []) noteKeys(`${path}.ports`, port, PORT_KEYS, notes);
    noteParts(path, service, notes);
  }
  for (const section of ['networks', 'volumes'] as const) {
    for (const [name, { driver, driver_opts: options = {} }] of Object.entries(project[section])) {
      const isPlain = [undefined, 'bridge', 'local', 'default'].includes(driver) && Object.keys(options).length === 0;
      if (!isPlain) notes.add(`${section}.${name}.driver`, ofAnEngine);
    }
  }
  for (const [name, { ipam, internal }] of Object.entries(project.networks)) {
    if (ipam?.config !== undefined) notes.add(`networks.${name}.ipam`, 'is chosen by the cluster');
    if (internal === true)
      notes.add(`networks.${name}.internal`, 'is left out: write a policy for outgoing connections');
  }
  for (const name of Object.keys(project.models)) notes.add(`models.${name}`, noCounterpart);
}

function noteKeys(path: string, value: object, table: Readonly<Record<string, string | null>>, notes: Notes): void {
  for (const [key, part] of Object.entries(value)) {
    const reason = key.startsWith('x-') ? null : table[key];
    if (reason !== null && reason !== undefined && isUsed(part)) notes.add(`${path}.${key}`, reason);
  }
}

/** Normalized services have empty lists, and switches that are off. */
function isUsed(part: unknown): boolean {
  if (part === undefined || part === null || part === false) return false;
  return typeof part !== 'object' || Object.keys(part).length > 0;
}

/** Keys below others that are not converted. */
function noteParts(path: string, service: Service, notes: Notes): void {
  const { deploy, healthcheck, networks = {} } = service;
  const { limits, reservations } = deploy?.resources ?? {};
  if (limits?.pids !== undefined) notes.add(`${path}.deploy.resources.limits.pids`, ofTheNode);
  if (isUsed(reservations?.devices))
    notes.add(`${path}.deploy.resources.reservations.devices`, SERVICE_KEYS.gpus ?? '');
  if (isUsed(reservations?.generic_resources))
    notes.add(`${path}.deploy.resources.reservations.generic_resources`, noCounterpart);
  if (healthcheck?.start_interval !== undefined) notes.add(`${path}.healthcheck.start_interval`, noCounterpart);
  for (const [name, network] of Object.entries(networks)) {
    const { aliases = [], ...rest } = network ?? {};
    if (aliases.some((alias) => alias !== service.container_name))
      notes.add(`${path}.networks.${name}.aliases`, 'has no counterpart: services are reached by their names');
    for (const key of Object.keys(rest).filter((each) => !each.startsWith('x-')))
      notes.add(`${path}.networks.${name}.${key}`, noCounterpart);
  }
}
