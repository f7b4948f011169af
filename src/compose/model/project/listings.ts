import { allServices } from './profiles.js';
import type { Project } from './project.js';
import { filterValues } from './records.js';
import type { Service } from './service.js';

/** Names of the enabled services (`config --services`). */
export function listServices(project: Project): string[] {
  return Object.keys(project.services).sort();
}

/** Keys of the volumes that enabled services use (`config --volumes`). */
export function listVolumes(project: Project): string[] {
  return Object.keys(withoutUnusedResources(project).volumes).sort();
}

/** Profiles of all services (`config --profiles`). */
export function listProfiles(project: Project): string[] {
  const profiles = Object.values(allServices(project)).flatMap((service) => service.profiles ?? []);
  return [...new Set(profiles)].sort();
}

/**
 * Images of the enabled services, by service name; a built image without a name is `<project>-<service>` (`config
 * --images`).
 */
export function listImages(project: Project): string[] {
  const names = listServices(project).filter((name) => project.services[name]?.provider === undefined);
  return names.map((name) => imageOf(project, name));
}

/** The image name of a service. A built image without a name is called `<project>-<service>`. */
export function imageOf(project: Project, service: string): string {
  return project.services[service]?.image ?? `${project.name}${separatorOf(project)}${service}`;
}

/** The desired number of a service's containers. */
export function replicaCount(service: Service, asked?: number): number {
  return asked ?? service.scale ?? service.deploy?.replicas ?? 1;
}

/** The services whose images the build of a service has as contexts. */
export function serviceContexts({ build }: Service): string[] {
  const contexts = [build?.context ?? '', ...Object.values(build?.additional_contexts ?? {})];
  return contexts.filter((each) => each.startsWith('service:')).map((each) => each.slice('service:'.length));
}

/** Separates the parts of names. */
export function separatorOf({ compatibility }: Pick<Project, 'compatibility'>): '-' | '_' {
  return compatibility === true ? '_' : '-';
}

/** Removes networks, volumes, secrets, configs and models that no enabled service uses. */
export function withoutUnusedResources(project: Project): Project {
  const services = Object.values(project.services);
  const usedBy = <V>(
    resources: Record<string, V>,
    names: (service: Service) => readonly (string | undefined)[],
  ): Record<string, V> => {
    const used = new Set(services.flatMap(names));
    return filterValues(resources, (_, key) => used.has(key));
  };
  const volumesOf = (service: Service): (string | undefined)[] =>
    (service.volumes ?? []).filter(({ type }) => type === 'volume').map(({ source }) => source);
  const secretsOf = (service: Service): string[] =>
    [...(service.secrets ?? []), ...(service.build?.secrets ?? [])].map(({ source }) => source);
  return {
    ...project,
    networks: usedBy(project.networks, (service) => Object.keys(service.networks ?? {})),
    volumes: usedBy(project.volumes, volumesOf),
    secrets: usedBy(project.secrets, secretsOf),
    configs: usedBy(project.configs, (service) => (service.configs ?? []).map(({ source }) => source)),
    models: usedBy(project.models, (service) => Object.keys(service.models ?? {})),
  };
}
