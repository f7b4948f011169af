/** `ls`: lists the projects that have containers. */
import { LABELS } from './labels.js';
import { observeAll, type Member } from './actual-state.js';
import { stateOf, type State } from './states.js';
import type { Orchestration } from './orchestration.js';

export interface ProjectSummary {
  readonly name: string;
  /** The number of containers in each state. */
  readonly states: Readonly<Partial<Record<State, number>>>;
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

/** Groups known containers by project. The projects are sorted by name. */
export function projectsOf(all: readonly Member[]): ProjectSummary[] {
  const projects = new Map<string, Member[]>();
  for (const member of all) {
    projects.set(member.project, [...(projects.get(member.project) ?? []), member]);
  }
  return [...projects]
    .map(([name, members]) => {
      const states: Partial<Record<State, number>> = {};
      for (const { container } of members) {
        const state = stateOf(container);
        states[state] = (states[state] ?? 0) + 1;
      }
      const files = new Set(members.flatMap(({ container }) => container.labels[LABELS.configFiles]?.split(',') ?? []));
      return {
        name,
        states,
        containers: members.length,
        services: new Set(members.map(({ service }) => service)).size,
        configFiles: [...files],
      };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
