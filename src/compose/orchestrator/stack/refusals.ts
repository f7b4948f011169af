/** What a service cannot have on a swarm. */
import type { Project } from '../../model/project/project.js';
import type { Service } from '../../model/project/service.js';
import { notSupported } from '../../runtime/errors.js';
import { serviceName } from '../../runtime/swarm/labels.js';

/** Services are names in the DNS of a swarm. */
const LONGEST_SERVICE_NAME = 63;

/** Keys that a swarm has no counterpart for. Without them a service would not do what its file says. */
const REFUSED: readonly (keyof Service)[] = [
  'annotations',
  'blkio_config',
  'cgroup',
  'cgroup_parent',
  'container_name',
  'cpu_count',
  'cpu_percent',
  'cpu_period',
  'cpu_quota',
  'cpu_rt_period',
  'cpu_rt_runtime',
  'cpu_shares',
  'cpuset',
  'credential_spec',
  'device_cgroup_rules',
  'devices',
  'domainname',
  'gpus',
  'ipc',
  'isolation',
  'mac_address',
  'mem_swappiness',
  'memswap_limit',
  'models',
  'oom_kill_disable',
  'oom_score_adj',
  'pid',
  'platform',
  'post_start',
  'pre_start',
  'pre_stop',
  'privileged',
  'provider',
  'runtime',
  'security_opt',
  'shm_size',
  'storage_opt',
  'use_api_socket',
  'userns_mode',
  'uts',
  'volumes_from',
];

/** Parts of other keys. */
const REFUSED_PARTS: readonly (readonly [key: string, isUsed: (service: Service) => boolean])[] = [
  ['build', ({ build, image }) => build !== undefined && image === undefined],
  ['network_mode', ({ network_mode: mode }) => mode !== undefined && mode !== 'host'],
  ['networks.*.ipv4_address', (service) => networksHave(service, 'ipv4_address')],
  ['networks.*.ipv6_address', (service) => networksHave(service, 'ipv6_address')],
  ['networks.*.link_local_ips', (service) => networksHave(service, 'link_local_ips')],
  ['networks.*.interface_name', (service) => networksHave(service, 'interface_name')],
  ['networks.*.mac_address', (service) => networksHave(service, 'mac_address')],
  ['ports.*.host_ip', ({ ports = [] }) => ports.some((port) => port.host_ip !== undefined)],
  ['ports.*.published of a range', ({ ports = [] }) => ports.some(({ published = '' }) => published.includes('-'))],
  ['deploy.resources.reservations.devices', ({ deploy }) => isSet(deploy?.resources?.reservations?.devices)],
  ['volumes.*.type image', ({ volumes = [] }) => volumes.some(({ type }) => type === 'image')],
  ['volumes.*.volume.subpath', ({ volumes = [] }) => volumes.some(({ volume }) => volume?.subpath !== undefined)],
];

/**
 * Checks that a swarm can run the project, before anything is changed.
 *
 * @throws RuntimeError.notSupported, which names all keys
 */
export function requireDeployable({ name: project, services, secrets, configs }: Project): void {
  const ofServices = Object.entries(services).flatMap(([name, service]) => [
    ...REFUSED.filter((key) => isSet(service[key])).map((key) => `services.${name}.${key}`),
    ...REFUSED_PARTS.filter(([, isUsed]) => isUsed(service)).map(([key]) => `services.${name}.${key}`),
  ]);
  const ofFiles = [
    ...Object.entries(secrets).filter(([, each]) => each.driver !== undefined || each.template_driver !== undefined),
    ...Object.entries(configs).filter(([, each]) => each.template_driver !== undefined),
  ].map(([name]) => `${Object.hasOwn(secrets, name) ? 'secrets' : 'configs'}.${name}.template_driver`);
  const tooLong = Object.keys(services)
    .filter((name) => serviceName(project, name).length > LONGEST_SERVICE_NAME)
    .map((name) => `services.${name}, whose name with that of the project is longer than ${LONGEST_SERVICE_NAME}`);
  const found = [...ofServices, ...ofFiles, ...tooLong];
  if (found.length > 0) throw notSupported(found.join(', '), 'swarm');
}

/** One sentence for each key that has less effect than on one engine. */
export function reducedKeys({ services }: Project): string[] {
  const users = (isUsed: (service: Service) => boolean): string =>
    Object.entries(services)
      .flatMap(([name, service]) => (isUsed(service) ? [name] : []))
      .join(', ');
  const waiting = users(({ depends_on: dependencies = {} }) =>
    Object.values(dependencies).some(({ condition }) => condition !== 'service_started'),
  );
  const built = users(({ build, image }) => build !== undefined && image !== undefined);
  return [
    ...(waiting === ''
      ? []
      : [
          "The conditions of 'depends_on' are not awaited: a swarm starts all services at once, and starts a container " +
            `that ends again (services: ${waiting}).`,
        ]),
    ...(built === '' ? [] : [`'build' is not run: the nodes pull 'image', so push it first (services: ${built}).`]),
  ];
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === false) return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

function networksHave(
  { networks = {} }: Service,
  key: 'interface_name' | 'ipv4_address' | 'ipv6_address' | 'link_local_ips' | 'mac_address',
): boolean {
  return Object.values(networks).some((settings) => isSet(settings?.[key]));
}
