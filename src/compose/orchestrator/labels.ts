/**
 * The labels by which containers, networks and volumes belong to a project. They are Docker Compose's own, so that
 * every tool that knows them sees the same project. A project is never recognized by splitting names.
 */
import type { DependencyCondition, Service } from '../model/service.js';

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

/** What one service needs of another, as the label keeps it. */
export interface LabelledDependency {
  readonly service: string;
  readonly condition: DependencyCondition;
  /** Is this service restarted when the other one is? */
  readonly restart: boolean;
}

/** `db:service_healthy:false,...` */
export function dependencyLabel(service: Service): string {
  return Object.entries(service.depends_on ?? {})
    .map(([name, { condition, restart = false }]) => `${name}:${condition}:${String(restart)}`)
    .join(',');
}

/** Reads what any tool wrote; an entry without a known condition counts as `service_started`. */
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

/** What a container is called while its successor has taken its name; an `up` that died there left it so. */
export function outgoingName(id: string, name: string): string {
  return `${id.slice(0, 12)}_${name}`;
}

/** The name of a container: `<project>-<service>`, with `-<number>` from the second replica on. */
export function containerName(project: string, service: string, number: number, given?: string): string {
  return given ?? (number === 1 ? `${project}-${service}` : `${project}-${service}-${number}`);
}
