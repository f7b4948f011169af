/** The builds of a project as a file of `docker buildx bake`. */
import type { Project } from '../model/project/project.js';
import { bakeTarget, type BakeFile } from '../runtime/bridge/build/bake.js';
import { buildSpec, type BuildOptions } from './build-spec.js';

/** @param chosen the services of the default group */
export function bakeFileOf(project: Project, chosen: readonly string[], options: BuildOptions): BakeFile {
  const built = Object.keys(project.services).filter((name) => project.services[name]?.build !== undefined);
  const names = targetNames(built);
  const targetOf = (service: string): string => names.get(service) ?? service;
  const targets = built.map((service) => {
    const spec = buildSpec('bridge', project, service, options, (other) => `target:${targetOf(other)}`);
    return [targetOf(service), bakeTarget(spec)] as const;
  });
  return {
    group: { default: { targets: built.filter((service) => chosen.includes(service)).map(targetOf) } },
    target: Object.fromEntries(targets),
  };
}

/** A target's name has no dots. */
function targetNames(services: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const service of services) {
    let name = service.replaceAll('.', '_');
    while ([...names.values()].includes(name)) name += '_';
    names.set(service, name);
  }
  return names;
}
