/** Why a project is not published, and what its owner is asked before. */
import type { Project } from '../model/project/project.js';

/** @returns the services that nobody else could run, because they are only built */
export function onlyBuilt({ services }: Project): string[] {
  return Object.keys(services).filter((name) => {
    const { image, build } = services[name] ?? {};
    return image === undefined && build !== undefined;
  });
}

/** @returns a sentence for each place of the project that has values of variables */
export function variablesOf({ services, configs }: Project): string[] {
  const found = Object.entries(services).flatMap(([name, { env_file: files, environment }]) => [
    ...((files?.length ?? 0) > 0 ? [`service "${name}" has env_file.`] : []),
    ...(Object.keys(environment ?? {}).length > 0 ? [`service "${name}" has environment.`] : []),
  ]);
  const fromVariables = Object.entries(configs).filter(([, { environment }]) => environment !== undefined);
  return [...found, ...fromVariables.map(([name]) => `config "${name}" takes its content from a variable.`)];
}

/** @returns the names of the variables of each service, without their values */
export function variableNames({ services }: Project): string[] {
  return Object.entries(services).flatMap(([name, { environment = {} }]) => {
    const names = Object.keys(environment);
    return names.length === 0 ? [] : [`${name}: ${names.join(', ')}`];
  });
}

/** @returns the directories and files of this machine that services mount */
export function bindMounts({ services }: Project): string[] {
  return Object.entries(services).flatMap(([name, { volumes = [] }]) =>
    volumes.filter(({ type }) => type === 'bind').map(({ source = '', target }) => `${name}: ${source} on ${target}`),
  );
}
