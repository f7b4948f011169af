/** The labels by which services, and all that belongs to them, are assigned to a project. */

/** Docker's own, so that `docker stack` sees the project. */
export const STACK_LABEL = 'com.docker.stack.namespace';

export const PROJECT_LABEL = 'com.docker.compose.project';
export const SERVICE_LABEL = 'com.docker.compose.service';
export const NUMBER_LABEL = 'com.docker.compose.container-number';

/** On a container: the host name of its node. */
export const NODE_LABEL = 'io.plumbline.compose.node';

/** On a service that was stopped: the number of replicas that a start restores. */
export const STOPPED_LABEL = 'io.plumbline.compose.stopped';

/** The name of a service in the cluster, which has one namespace for all projects. As `docker stack` names it. */
export function serviceName(project: string, service: string): string {
  return `${project}_${service}`;
}

/**
 * The labels that compose tools expect on a container. Derived, not stored: a stored one would make compose tools of the
 * node take the container for theirs.
 */
export function derivedLabels(name: string, labels: Readonly<Record<string, string>>): Record<string, string> {
  const project = labels[STACK_LABEL];
  if (project === undefined) return {};
  const service = name.startsWith(`${project}_`) ? name.slice(project.length + 1) : name;
  return { [PROJECT_LABEL]: project, [SERVICE_LABEL]: service };
}
