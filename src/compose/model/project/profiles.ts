import { failure } from '../errors.js';
import type { Project } from './project.js';
import { filterValues, mapValues, own } from './records.js';
import type { Service } from './service.js';

/** Enables every profile. */
export const ALL_PROFILES = '*';

/** The profiles named on the command line, otherwise those in COMPOSE_PROFILES. */
export function requestedProfiles(named: readonly string[], variable: string | undefined): string[] {
  const requested = named.length > 0 ? named : (variable ?? '').split(',');
  return [...new Set(requested.map((profile) => profile.trim()).filter((profile) => profile !== ''))];
}

/**
 * Keeps services without profiles and those that the given profiles enable; moves the others to `disabledServices`
 * (Compose Specification, "Profiles").
 */
export function withProfiles(project: Project, profiles: readonly string[]): Project {
  const all = allServices(project);
  return {
    ...project,
    profiles: [...profiles],
    services: filterValues(all, (service) => isEnabled(service, profiles)),
    disabledServices: filterValues(all, (service) => !isEnabled(service, profiles)),
  };
}

function isEnabled(service: Service, profiles: readonly string[]): boolean {
  const own = service.profiles ?? [];
  return own.length === 0 || profiles.includes(ALL_PROFILES) || own.some((profile) => profiles.includes(profile));
}

/**
 * Limits a project to the named services and their dependencies. Naming a service enables its profiles.
 *
 * @param names empty selects every enabled service
 * @throws ComposeFailure ComposeValidationError.serviceNotFound, or disabledReference for a required dependency that
 * remains disabled
 */
export function selectServices(
  project: Project,
  names: readonly string[],
  dependencies: 'follow' | 'ignore' = 'follow',
): Project {
  if (names.length === 0) return project;
  const all = allServices(project);
  const profiles = names.flatMap((name) => {
    const service = own(all, name);
    if (service === undefined) throw failure('ComposeValidationError', 'serviceNotFound', { service: name });
    return Object.hasOwn(project.services, name) ? [] : (service.profiles ?? []);
  });
  const enabled = withProfiles(project, [...new Set([...project.profiles, ...profiles])]);
  const chosen = new Set<string>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (chosen.has(name)) continue;
    chosen.add(name);
    if (dependencies === 'follow') pending.push(...requiredBy(name, enabled));
  }
  return keepServices(enabled, chosen);
}

function requiredBy(name: string, project: Project): string[] {
  return Object.entries(own(project.services, name)?.depends_on ?? {}).flatMap(([dependency, { required }]) => {
    if (Object.hasOwn(project.services, dependency)) return [dependency];
    if (!required) return [];
    throw failure('ComposeValidationError', 'disabledReference', {
      path: ['services', name, 'depends_on'],
      service: dependency,
    });
  });
}

function keepServices(project: Project, chosen: ReadonlySet<string>): Project {
  const kept = filterValues(project.services, (_, name) => chosen.has(name));
  const left = filterValues(project.services, (_, name) => !chosen.has(name));
  return {
    ...project,
    services: mapValues(kept, (service) => withoutOtherDependencies(service, chosen)),
    disabledServices: { ...project.disabledServices, ...left },
  };
}

function withoutOtherDependencies(service: Service, chosen: ReadonlySet<string>): Service {
  const { depends_on: dependencies = {}, ...rest } = service;
  const kept = filterValues(dependencies, (_, name) => chosen.has(name));
  return Object.keys(kept).length === 0 ? rest : { ...rest, depends_on: kept };
}

/** Every service, enabled or not. */
export function allServices(project: Project): Record<string, Service> {
  return { ...project.services, ...project.disabledServices };
}
