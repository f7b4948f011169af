/** `ls`: lists the projects that have containers. */
import type { ContainerStatus } from '../runtime/records.js';
import { LABELS } from './labels.js';
import { observeAll, type Member } from './actual-state.js';
import type { Orchestration } from './orchestration.js';

export interface ProjectSummary {
  readonly name: string;
  /** The number of containers in each status. */
  readonly statuses: Readonly<Partial<Record<ContainerStatus, number>>>;
  readonly containers: number;
  readonly services: number;
  readonly configFiles: readonly string[];
}

/** Sorted by name. One-off containers count towards their project. */
export async function listProjects(
  orchestration: Pick<Orchestration, 'backend' | 'signal'>,
): Promise<ProjectSummary[]> {
  return projectsOf(await observeAll(orchestration));
}

/** As above, from containers that are already known. */
export function projectsOf(all: readonly Member[]): ProjectSummary[] {
  const projects = new Map<string, Member[]>();
  for (const member of all) {
    projects.set(member.project, [...(projects.get(member.project) ?? []), member]);
  }
  return [...projects]
    .map(([name, members]) => {
      const statuses: Partial<Record<ContainerStatus, number>> = {};
      for (const { container } of members) statuses[container.status] = (statuses[container.status] ?? 0) + 1;
      const files = new Set(members.flatMap(({ container }) => container.labels[LABELS.configFiles]?.split(',') ?? []));
      return {
        name,
        statuses,
        containers: members.length,
        services: new Set(members.map(({ service }) => service)).size,
        configFiles: [...files],
      };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
