/**
 * The labels that assign containers, networks and volumes to a project. They are Docker Compose's, so that other tools
 * see the same project. Names are never parsed to recognize a project.
 */
import type { DependencyCondition, Service } from '../model/project/service.js';

export const LABELS = {
  project: 'com.docker.compose.project',
  service: 'com.docker.compose.service',
  number: 'com.docker.compose.container-number',
  configHash: 'com.docker.compose.config-hash',
  oneOff: 'com.docker.compose.oneoff',
  dependsOn: 'com.docker.compose.depends_on',
  image: 'com.docker.compose.image',
  workingDirectory: 'com.docker.compose.project.working_dir',
  configFiles: 'com.docker.compose.project.config_files',
  network: 'com.docker.compose.network',
  volume: 'com.docker.compose.volume',
} as const;

/** A dependency between services, as stored in the label. */
export interface LabelledDependency {
  readonly service: string;
  readonly condition: DependencyCondition;
  /** Restart this service when the other one restarts. */
  readonly restart: boolean;
}

/** `db:service_healthy:false,...` */
export function dependencyLabel(service: Service): string {
  return Object.entries(service.depends_on ?? {})
    .map(([name, { condition, restart = false }]) => `${name}:${condition}:${String(restart)}`)
    .join(',');
}

/** Parses the label of any tool. An entry without a known condition counts as `service_started`. */
export function parseDependencyLabel(text: string): LabelledDependency[] {
  return text
    .split(',')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [service = '', condition = '', restart = ''] = entry.split(':');
      return { service, condition: asCondition(condition), restart: restart === 'true' };
    });
}

function asCondition(text: string): DependencyCondition {
  return text === 'service_healthy' || text === 'service_completed_successfully' ? text : 'service_started';
}

/** The temporary name of a container whose successor has taken its name. Remains if `up` dies at that point. */
export function outgoingName(id: string, name: string): string {
  return `${id.slice(0, 12)}_${name}`;
}

/** Whether a container is being replaced. */
export function isOutgoing({ id, name }: { readonly id: string; readonly name: string }): boolean {
  return name.startsWith(outgoingName(id, ''));
}
