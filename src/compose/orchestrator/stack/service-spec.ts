/** Converts a service to the specification of a service of a swarm. */
import type Docker from 'dockerode';
import { imageOf } from '../../model/project/listings.js';
import type { Project } from '../../model/project/project.js';
import type { Service } from '../../model/project/service.js';
import { notSupported } from '../../runtime/errors.js';
import type { ContainerSpec, Mount, NetworkAttachment } from '../../runtime/spec.js';
import { environmentList } from '../../runtime/engine/environment-list.js';
import { serviceName, STACK_LABEL } from '../../runtime/swarm/labels.js';
import { containerSpec } from '../container/container-spec.js';
import { optionalField } from '../container/optional-field.js';
import { LABELS } from '../labels.js';
import type { FileReferences } from './files.js';
import { mode, placement, resources, restartPolicy, updateConfig } from './policies.js';

/** Docker's own label for the image as the file names it. */
export const IMAGE_LABEL = 'com.docker.stack.image';

export interface SpecContext {
  /** With its digest in the registry, if that is known. */
  readonly image: string;
  readonly files: FileReferences;
  /** The value of `--scale`. */
  readonly replicas: number | undefined;
  /** The labels of everything that this command makes. */
  readonly labels: Readonly<Record<string, string>>;
}

/** @throws ComposeFailure for settings that no backend supports */
export function serviceSpec(project: Project, name: string, context: SpecContext): Docker.ServiceSpec {
  const service = project.services[name] ?? {};
  // Secrets and configs are the swarm's, not files of a node.
  const { secrets: _secrets, configs: _configs, ...bare } = service;
  const container = containerSpec({ ...project, services: { ...project.services, [name]: bare } }, name, {
    name,
    labels: {},
    image: context.image,
    containerOf: (other) => other,
    number: 1,
  });
  return {
    Name: serviceName(project.name, name),
    Labels: {
      ...service.deploy?.labels,
      [IMAGE_LABEL]: imageOf(project, name),
      [LABELS.workingDirectory]: project.workingDirectory,
      [LABELS.configFiles]: project.files.join(','),
      ...context.labels,
      [STACK_LABEL]: project.name,
    },
    TaskTemplate: {
      ContainerSpec: containerOf(project, service, container, context),
      Networks: networksOf(container),
      Resources: resources(service),
      ...optionalField('RestartPolicy', restartPolicy(service)),
      ...optionalField('Placement', placement(service)),
      ...optionalField(
        'LogDriver',
        container.logging && {
          ...optionalField('Name', container.logging.driver),
          ...optionalField('Options', container.logging.options && { ...container.logging.options }),
        },
      ),
    },
    Mode: mode(service, context.replicas),
    ...optionalField('UpdateConfig', updateConfig(service.deploy?.update_config)),
    ...optionalField('RollbackConfig', updateConfig(service.deploy?.rollback_config)),
    EndpointSpec: endpointOf(service),
  };
}

function containerOf(
  project: Project,
  service: Service,
  container: ContainerSpec,
  { image, files }: SpecContext,
): Docker.ContainerSpec {
  const { ulimits, dns, dnsSearch, dnsOptions } = container;
  return {
    Image: image,
    Labels: { ...container.labels },
    // The stack's name is also on its containers, for tools that look at a node.
    // Sorted, because another order would replace the containers.
    Env: environmentList(container).sort(),
    ...optionalField('Command', container.entrypoint && [...container.entrypoint]),
    ...optionalField('Args', container.command && [...container.command]),
    ...optionalField('Hostname', container.hostname),
    ...optionalField('Dir', container.workingDirectory),
    ...optionalField('User', container.user),
    ...optionalField('Groups', container.groups && [...container.groups]),
    ...optionalField('Init', container.init),
    ...optionalField('TTY', container.tty),
    ...optionalField('OpenStdin', container.openStdin),
    ...optionalField('ReadOnly', container.readOnly),
    ...optionalField('StopSignal', container.stopSignal),
    ...optionalField('StopGracePeriod', service.stop_grace_period),
    ...optionalField('HealthCheck', healthcheckOf(service)),
    ...optionalField('Sysctls', container.sysctls && { ...container.sysctls }),
    ...optionalField('CapabilityAdd', container.capAdd && [...container.capAdd]),
    ...optionalField('CapabilityDrop', container.capDrop && [...container.capDrop]),
    ...optionalField(
      'Ulimits',
      ulimits && Object.entries(ulimits).map(([Name, { soft, hard }]) => ({ Name, Soft: soft, Hard: hard })),
    ),
    ...optionalField(
      'Hosts',
      container.extraHosts?.map(({ host, address }) => `${address} ${host}`),
    ),
    ...((dns ?? dnsSearch ?? dnsOptions) !== undefined && {
      DNSConfig: {
        ...optionalField('Nameservers', dns && [...dns]),
        ...optionalField('Search', dnsSearch && [...dnsSearch]),
        ...optionalField('Options', dnsOptions && [...dnsOptions]),
      },
    }),
    Mounts: (container.mounts ?? []).map((mount) => mountOf(project, mount)),
    Secrets: [...files.secrets],
    Configs: [...files.configs],
  };
}

/** Nodes create volumes when they need them, so a mount says how. */
function mountOf(project: Project, mount: Mount): Docker.MountSettings {
  // Refused before the first change (`requireDeployable`).
  if (mount.type === 'image') throw notSupported('mounts of images', 'swarm');
  const common = { Type: mount.type, Target: mount.target, ReadOnly: mount.readOnly ?? false };
  switch (mount.type) {
    case 'bind':
      return {
        ...common,
        Source: mount.source,
        ...(mount.propagation !== undefined && { BindOptions: { Propagation: mount.propagation } }),
      };
    case 'tmpfs':
      return {
        ...common,
        Source: '',
        ...((mount.sizeBytes ?? mount.mode) !== undefined && {
          TmpfsOptions: { SizeBytes: mount.sizeBytes ?? 0, Mode: mount.mode ?? 0o1777 },
        }),
      };
    case 'volume': {
      const [key, volume] = Object.entries(project.volumes).find(([, { name }]) => name === mount.source) ?? [];
      const isOurs = volume !== undefined && volume.external !== true && key !== undefined;
      return {
        ...common,
        Source: mount.source ?? '',
        VolumeOptions: {
          NoCopy: mount.noCopy ?? false,
          Labels: isOurs
            ? { ...volume.labels, [STACK_LABEL]: project.name, [LABELS.project]: project.name, [LABELS.volume]: key }
            : {},
          DriverConfig: {
            Name: (isOurs ? volume.driver : undefined) ?? 'local',
            Options: (isOurs ? volume.driver_opts : undefined) ?? {},
          },
        },
      };
    }
  }
}

function networksOf({ networks, networkMode }: ContainerSpec): Docker.NetworkAttachmentConfig[] {
  if (networkMode !== undefined) return [{ Target: networkMode }];
  return (networks ?? []).map(({ network, aliases, driverOptions }: NetworkAttachment) => ({
    Target: network,
    Aliases: [...(aliases ?? [])],
    ...optionalField('DriverOpts', driverOptions && { ...driverOptions }),
  }));
}

function healthcheckOf({ healthcheck: check }: Service): Docker.HealthConfig | undefined {
  if (check === undefined) return undefined;
  if (check.disable === true) return { Test: ['NONE'] };
  return {
    ...optionalField('Test', check.test),
    ...optionalField('Interval', check.interval),
    ...optionalField('Timeout', check.timeout),
    ...optionalField('StartPeriod', check.start_period),
    ...optionalField('StartInterval', check.start_interval),
    ...optionalField('Retries', check.retries),
  };
}

function endpointOf({ deploy, ports = [] }: Service): Docker.EndpointSpec {
  return {
    ...optionalField('Mode', deploy?.endpoint_mode),
    Ports: ports.map(({ target, published = '', protocol, mode: publishMode }) => ({
      TargetPort: target,
      Protocol: protocol === 'udp' || protocol === 'sctp' ? protocol : 'tcp',
      PublishMode: publishMode === 'host' ? 'host' : 'ingress',
      ...(published !== '' && { PublishedPort: Number(published) }),
    })),
  };
}
