/** The pods of a service. */
import type { Service } from '../model/project/service.js';
import { optionalField } from '../orchestrator/container/optional-field.js';
import { annotationsOf } from './annotations.js';
import { networkLabels } from './access.js';
import { containerOf, initContainers } from './container.js';
import { nameOf, serviceMetadata, type Conversion } from './conversion.js';
import type { PodSpec, PodTemplate } from './manifests.js';
import type { Storage } from './storage.js';

const NANOSECONDS = 1e9;

/** @param restartPolicy only a Job has another one than Always */
export function podTemplate(
  conversion: Conversion,
  key: string,
  { volumes, mounts }: Storage,
  restartPolicy?: PodSpec['restartPolicy'],
): PodTemplate {
  const service = conversion.project.services[key] ?? {};
  const { labels } = serviceMetadata(conversion, key, nameOf(conversion, 'services', key));
  const annotations = {
    ...annotationsOf(conversion, `services.${key}.labels`, service.labels ?? {}),
    ...annotationsOf(conversion, `services.${key}.annotations`, service.annotations ?? {}),
  };
  const before = initContainers(conversion, key);
  return {
    metadata: {
      labels: { ...labels, ...networkLabels(conversion, key) },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: {
      ...(before.length > 0 && { initContainers: before }),
      containers: [containerOf(conversion, key, mounts)],
      ...(volumes.length > 0 && { volumes }),
      ...optionalField('restartPolicy', restartPolicy),
      ...(service.stop_grace_period !== undefined && {
        terminationGracePeriodSeconds: Math.ceil(service.stop_grace_period / NANOSECONDS),
      }),
      ...optionalField('hostname', service.hostname),
      ...namespaces(conversion, key, service),
      ...optionalField('hostAliases', hostAliases(conversion, key, service)),
      ...optionalField('dnsConfig', dnsConfig(conversion, key, service)),
      ...optionalField('nodeSelector', nodeSelector(service)),
      ...optionalField('securityContext', securityContext(conversion, key, service)),
      enableServiceLinks: false,
      automountServiceAccountToken: false,
    },
  };
}

function namespaces(
  { notes }: Conversion,
  key: string,
  { network_mode: network, pid, ipc }: Service,
): Pick<PodSpec, 'hostNetwork' | 'dnsPolicy' | 'hostPID' | 'hostIPC'> {
  const modes = { network_mode: network, pid, ipc };
  for (const [name, mode] of Object.entries(modes)) {
    const isKnown = mode === undefined || ['host', 'bridge', 'default', 'private', 'shareable'].includes(mode);
    if (!isKnown) notes.add(`services.${key}.${name}`, `has no counterpart for ${mode}`);
  }
  return {
    ...(network === 'host' && { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }),
    ...(pid === 'host' && { hostPID: true }),
    ...(ipc === 'host' && { hostIPC: true }),
  };
}

/** A domain name (RFC 1123), in lower case. */
const HOST = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

function hostAliases({ notes }: Conversion, key: string, { extra_hosts: hosts = {} }: Service): PodSpec['hostAliases'] {
  const names = new Map<string, string[]>();
  for (const [host, addresses] of Object.entries(hosts)) {
    if (!HOST.test(host)) {
      notes.add(`services.${key}.extra_hosts.${host}`, 'is left out: it is not the name of a host');
      continue;
    }
    for (const address of addresses) {
      if (address === 'host-gateway') notes.add(`services.${key}.extra_hosts`, 'has no counterpart for host-gateway');
      else names.set(address, [...(names.get(address) ?? []), host]);
    }
  }
  return names.size === 0 ? undefined : [...names].map(([ip, hostnames]) => ({ ip, hostnames }));
}

const MOST_NAME_SERVERS = 3;

function dnsConfig({ notes }: Conversion, key: string, service: Service): PodSpec['dnsConfig'] {
  const { dns = [], dns_search: searches = [], dns_opt: options = [] } = service;
  if (dns.length > MOST_NAME_SERVERS) notes.add(`services.${key}.dns`, `has its first ${MOST_NAME_SERVERS} only`);
  if (dns.length + searches.length + options.length === 0) return undefined;
  return {
    ...(dns.length > 0 && { nameservers: dns.slice(0, MOST_NAME_SERVERS) }),
    ...(searches.length > 0 && { searches }),
    ...(options.length > 0 && {
      options: options.map((option) => {
        const [name = option, value] = option.split(':');
        return { name, ...optionalField('value', value) };
      }),
    }),
  };
}

function nodeSelector({ platform }: Service): PodSpec['nodeSelector'] {
  if (platform === undefined) return undefined;
  const [system = platform, architecture] = platform.split('/');
  return {
    'kubernetes.io/os': system,
    ...(architecture !== undefined && { 'kubernetes.io/arch': architecture }),
  };
}

function securityContext({ notes }: Conversion, key: string, service: Service): PodSpec['securityContext'] {
  const { group_add: groups = [], sysctls = {} } = service;
  const numbers = groups.filter((group) => /^\d+$/.test(group)).map(Number);
  if (numbers.length < groups.length) notes.add(`services.${key}.group_add`, 'has only its numbers');
  const settings = Object.entries(sysctls).map(([name, value]) => ({ name, value }));
  const [, group] = /^\d+:(\d+)$/.exec(service.user ?? '') ?? [];
  if (numbers.length + settings.length === 0 && group === undefined) return undefined;
  return {
    // Claims are empty and belong to root: the group of the process may write to them.
    ...(group !== undefined && { fsGroup: Number(group) }),
    ...(numbers.length > 0 && { supplementalGroups: numbers }),
    ...(settings.length > 0 && { sysctls: settings }),
  };
}
