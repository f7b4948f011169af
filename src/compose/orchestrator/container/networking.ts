/** A container's networking: networks with aliases, published ports, host names. */
import { failure } from '../../model/errors.js';
import type { Project } from '../../model/project/project.js';
import type { Port, ServiceNetwork } from '../../model/project/service.js';
import type { ContainerSpec, NetworkAttachment, PortProtocol, PublishedPort } from '../../runtime/spec.js';
import { sharedNamespace, type CreationContext } from './creation-context.js';
import { optionalField } from './optional-field.js';

export function networking(
  project: Project,
  serviceName: string,
  { containerOf, number }: CreationContext,
): Partial<ContainerSpec> {
  const service = project.services[serviceName] ?? {};
  const mode = sharedNamespace(service.network_mode, containerOf);
  return {
    ...(mode === undefined || mode === 'bridge'
      ? optionalField('networks', service.networks && attachments(project, serviceName, service.networks))
      : { networkMode: networkMode(mode, serviceName) }),
    ...optionalField(
      'ports',
      service.ports?.map((port, index) => publishedPort(port, number, ['services', serviceName, 'ports', index])),
    ),
    ...optionalField('expose', service.expose?.flatMap(exposedPorts)),
    ...optionalField('hostname', service.hostname),
    ...optionalField('domainName', service.domainname),
    ...optionalField('macAddress', service.mac_address),
    ...optionalField(
      'extraHosts',
      service.extra_hosts &&
        Object.entries(service.extra_hosts).flatMap(([host, addresses]) =>
          addresses.map((address) => ({ host, address })),
        ),
    ),
    ...optionalField('dns', service.dns),
    ...optionalField('dnsSearch', service.dns_search),
    ...optionalField('dnsOptions', service.dns_opt),
  };
}

/** Services reach each other by service name, by their aliases, and by link names. */
function attachments(
  project: Project,
  serviceName: string,
  networks: Readonly<Record<string, ServiceNetwork | null>>,
): NetworkAttachment[] {
  const linked = Object.values(project.services).flatMap(({ links = [] }) =>
    links.flatMap((link) => {
      const [service, alias] = link.split(':');
      return service === serviceName && alias !== undefined ? [alias] : [];
    }),
  );
  return Object.entries(networks)
    .sort(([one, first], [other, second]) => precedence(second) - precedence(first) || (one < other ? -1 : 1))
    .map(([key, settings]) => ({
      network: project.networks[key]?.name ?? key,
      aliases: [...new Set([serviceName, ...(settings?.aliases ?? []), ...linked])],
      ...optionalField('ipv4Address', settings?.ipv4_address),
      ...optionalField('ipv6Address', settings?.ipv6_address),
      ...optionalField('linkLocalAddresses', settings?.link_local_ips),
      ...optionalField('macAddress', settings?.mac_address),
      ...optionalField('driverOptions', settings?.driver_opts),
      ...optionalField('interfaceName', settings?.interface_name),
    }));
}

/** The first network's gateway is the default route. */
function precedence(network: ServiceNetwork | null): number {
  return network?.gw_priority ?? network?.priority ?? 0;
}

function networkMode(mode: string, service: string): NonNullable<ContainerSpec['networkMode']> {
  if (mode === 'none' || mode === 'host') return mode;
  if (mode.startsWith('container:')) return `container:${mode.slice('container:'.length)}`;
  throw failure('ComposeValidationError', 'unsupported', {
    path: ['services', service, 'network_mode'],
    reason: "use none, host, service:<name>, container:<name>, or 'networks'",
  });
}

/**
 * Assigns each replica its own port from a range of host ports.
 *
 * @throws ComposeFailure ComposeValidationError.conflict when there are more replicas than ports
 */
function publishedPort(port: Port, number: number, path: readonly (string | number)[]): PublishedPort {
  const [first, last] = (port.published ?? '').split('-').filter((part) => part !== '');
  const hostPort = first === undefined ? undefined : Number(first) + (last === undefined ? 0 : number - 1);
  if (hostPort !== undefined && last !== undefined && hostPort > Number(last)) {
    const reason = `there are more replicas than host ports in ${port.published ?? ''}`;
    throw failure('ComposeValidationError', 'conflict', { path, reason });
  }
  return {
    containerPort: port.target,
    protocol: protocolOf(port.protocol),
    ...optionalField('hostAddress', port.host_ip),
    ...optionalField('hostPort', hostPort),
  };
}

function exposedPorts(entry: string): { port: number; protocol: PortProtocol }[] {
  const [range = '', protocol = 'tcp'] = entry.split('/');
  const [first = 0, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    port: first + index,
    protocol: protocolOf(protocol),
  }));
}

function protocolOf(text: string): PortProtocol {
  return text === 'udp' || text === 'sctp' ? text : 'tcp';
}
