/** How pods are reached: Services, and policies in place of separate networks. */
import type { Project } from '../model/project/project.js';
import { nameOf, metadataOf, serviceMetadata, type Conversion } from './conversion.js';
import type { NetworkPolicy, Protocol, Service, ServicePort } from './manifests.js';
import { networkLabel, objectName, projectLabels, selectorOf } from './names.js';

/** The ports of a service's containers: those that it publishes, then those that it exposes. */
export function portsOf({ project }: Conversion, key: string): ServicePort[] {
  const service = project.services[key] ?? {};
  const published = (service.ports ?? []).map(({ target, protocol, app_protocol: appProtocol }) => ({
    target,
    protocol: protocolOf(protocol),
    ...(appProtocol !== undefined && { appProtocol }),
  }));
  const exposed = (service.expose ?? []).flatMap((text) => {
    const [range = '', protocol = 'tcp'] = text.split('/');
    return portsIn(range).map((target) => ({ target, protocol: protocolOf(protocol) }));
  });
  const byName = new Map(
    [...published, ...exposed].map(({ target, protocol, ...rest }) => {
      const name = `${protocol.toLowerCase()}-${target}`;
      return [name, { name, port: target, targetPort: target, protocol, ...rest }];
    }),
  );
  return [...byName.values()];
}

function protocolOf(protocol: string): Protocol {
  const name = protocol.toUpperCase();
  return name === 'UDP' || name === 'SCTP' ? name : 'TCP';
}

/** `8000-8002` is three ports. */
function portsIn(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/**
 * A Service without an address gives the pods their name, and reaches every port of them, as in a compose network. What
 * a compose service publishes is a second one with a load balancer.
 */
export function servicesOf(conversion: Conversion, key: string): Service[] {
  const { project, notes } = conversion;
  const name = nameOf(conversion, 'services', key);
  const selector = selectorOf(project, name);
  const ports = portsOf(conversion, key);
  const shared = { apiVersion: 'v1', kind: 'Service' } as const;
  const internal: Service = {
    ...shared,
    metadata: serviceMetadata(conversion, key, name),
    spec: { clusterIP: 'None', selector, ...(ports.length > 0 && { ports }) },
  };
  const published = publishedPorts(conversion, key);
  if (published.length === 0) return [internal];
  notes.add(`services.${key}.ports`, `are those of the load balancer '${name}-published'`);
  const metadata = serviceMetadata(conversion, key, `${name}-published`);
  return [internal, { ...shared, metadata, spec: { type: 'LoadBalancer', selector, ports: published } }];
}

function publishedPorts({ project, notes }: Conversion, key: string): ServicePort[] {
  const byName = new Map<string, ServicePort>();
  for (const { target, published, protocol: text, app_protocol: appProtocol } of project.services[key]?.ports ?? []) {
    const protocol = protocolOf(text);
    if (published === undefined) continue; // The engine would choose a port of the host.
    const [port = target] = portsIn(published);
    if (published.includes('-')) notes.add(`services.${key}.ports`, `has the first port of ${published}`);
    const name = `${protocol.toLowerCase()}-${port}`;
    byName.set(name, { name, port, targetPort: target, protocol, ...(appProtocol !== undefined && { appProtocol }) });
  }
  return [...byName.values()];
}

/** The labels of pods by which policies find them. */
export function networkLabels(conversion: Conversion, key: string): Record<string, string> {
  if (!hasSeveralNetworks(conversion.project)) return {};
  const networks = Object.keys(conversion.project.services[key]?.networks ?? {});
  return Object.fromEntries(networks.map((network) => [networkLabel(nameOf(conversion, 'networks', network)), 'true']));
}

/** With one network every pod may reach every other one, as in a namespace. */
function hasSeveralNetworks({ services }: Project): boolean {
  return new Set(Object.values(services).map(({ networks = {} }) => Object.keys(networks).sort().join())).size > 1;
}

/** A policy per network: its pods reach each other. Published ports stay open to all. */
export function policiesOf(conversion: Conversion): NetworkPolicy[] {
  const { project } = conversion;
  if (!hasSeveralNetworks(project)) return [];
  const used = new Set(Object.values(project.services).flatMap(({ networks = {} }) => Object.keys(networks)));
  const shared = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const;
  const networks = [...used].map((network): NetworkPolicy => {
    const name = nameOf(conversion, 'networks', network);
    const podSelector = { matchLabels: { ...partOf(project), [networkLabel(name)]: 'true' } };
    const spec = { podSelector, policyTypes: ['Ingress'], ingress: [{ from: [{ podSelector }] }] } as const;
    return { ...shared, metadata: metadataOf(conversion, `network-${name}`), spec };
  });
  const published = Object.keys(project.services).flatMap((key): NetworkPolicy[] => {
    const ports = publishedPorts(conversion, key).map(({ targetPort: port, protocol }) => ({ port, protocol }));
    if (ports.length === 0) return [];
    const name = nameOf(conversion, 'services', key);
    const podSelector = { matchLabels: selectorOf(project, name) };
    const metadata = serviceMetadata(conversion, key, `${name}-published`);
    return [{ ...shared, metadata, spec: { podSelector, policyTypes: ['Ingress'], ingress: [{ ports }] } }];
  });
  return [...networks, ...published];
}

function partOf(project: Project): Record<string, string> {
  const label = 'app.kubernetes.io/part-of';
  return { [label]: projectLabels(project)[label] ?? objectName(project.name) };
}
