/** The names of a project's containers. */
import { failure, type ComposeFailure } from '../errors.js';
import type { Place } from '../node.js';
import { separatorOf } from './listings.js';
import type { Project } from './project.js';

type Named = Pick<Project, 'name' | 'compatibility'>;

/** `<project>-<service>`, with `-<number>` from the second replica on; `given` is the service's `container_name`. */
export function containerName(project: Named, service: string, number: number, given?: string): string {
  const isNumbered = number !== 1 || project.compatibility === true;
  return given ?? [project.name, service, ...(isNumbered ? [number] : [])].join(separatorOf(project));
}

/**
 * Requires that no container has the name of another service's first one, as the second one of `web` and the only one of
 * `web-2` would have, or a `container_name` that is the name of another service's container.
 *
 * @param replicas the number of containers of each service
 * @param at the place of a service in the compose file
 * @throws ComposeFailure ComposeValidationError.conflict
 */
export function requireDistinctNames(
  project: Named & Pick<Project, 'services'>,
  replicas: (service: string) => number,
  at: (service: string) => Place | undefined = () => undefined,
): void {
  const services = Object.entries(project.services).filter(([service]) => replicas(service) > 0);
  const separator = separatorOf(project);
  const byPrefix = new Map<string, string>(
    services.flatMap(([service, { container_name: given }]) =>
      given === undefined ? [[`${project.name}${separator}${service}`, service] as const] : [],
    ),
  );
  for (const [other, { container_name: given }] of services) {
    const name = containerName(project, other, 1, given);
    const end = name.lastIndexOf(separator);
    for (const [service, number] of [
      [byPrefix.get(name), 1],
      [byPrefix.get(name.slice(0, end)), Number(name.slice(end + 1))],
    ] as const) {
      if (service === undefined || service === other || !(number <= replicas(service))) continue;
      const hasName = name === containerName(project, service, number);
      if (hasName) throw clashOf(service, { other, name }, at(service));
    }
  }
}

function clashOf(service: string, clash: { other: string; name: string }, place: Place | undefined): ComposeFailure {
  const reason = `one of its containers has the name '${clash.name}', which the container of service ${clash.other} has`;
  return failure('ComposeValidationError', 'conflict', { path: ['services', service], reason }, place);
}
