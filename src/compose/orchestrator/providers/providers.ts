/** Services run by a provider program instead of containers (Compose Specification, `provider`). */
import type { Project } from '../../model/project/project.js';
import type { Service } from '../../model/project/service.js';
import { commandFailed } from '../../runtime/errors.js';
import { inDependencyOrder, reversed } from '../ordered.js';
import { reported, type Orchestration } from '../orchestration.js';
import type { ProvidedVariables, ProviderCommand } from './run-provider.js';

/**
 * Brings up the services that have a provider, in dependency order, before any container, because their variables are
 * part of the containers' configuration.
 *
 * @returns the project without those services; dependent services get their variables
 * @throws TerminalError.commandFailed
 */
export async function withProvided(orchestration: Orchestration, project: Project): Promise<Project> {
  const provided = new Map<string, ProvidedVariables>();
  const names = providerNames(project);
  if (names.length === 0) return project;
  warnOfOrder(orchestration, project, names);
  await inDependencyOrder(
    names,
    (name) => Object.keys(project.services[name]?.depends_on ?? {}),
    async (name, signal) => {
      const definition = withVariables(name, project.services[name] ?? {}, provided, orchestration);
      const act = ['Creating', 'Created'] as const;
      provided.set(name, await call({ ...orchestration, signal }, project, name, definition, 'up', act));
    },
    orchestration,
  );
  const others = Object.entries(project.services).filter(([, { provider }]) => provider === undefined);
  const services = others.map(([name, service]) => [name, withVariables(name, service, provided, orchestration)]);
  return { ...project, services: Object.fromEntries(services) as Record<string, Service> };
}

/**
 * Takes down or stops the services that have a provider, in reverse dependency order. Containers must be gone by then.
 * A provider that does not support `stop` is left running.
 *
 * @param services limits the operation; empty: all
 * @throws TerminalError.commandFailed
 */
export async function endProvided(
  orchestration: Orchestration,
  project: Project,
  services: readonly string[],
  command: 'down' | 'stop',
): Promise<void> {
  const names = providerNames(project).filter((name) => services.length === 0 || services.includes(name));
  const act = command === 'down' ? (['Removing', 'Removed'] as const) : (['Stopping', 'Stopped'] as const);
  await inDependencyOrder(
    names,
    reversed(names, (name) => Object.keys(project.services[name]?.depends_on ?? {})),
    async (name, signal) => {
      const definition = project.services[name] ?? {};
      await call({ ...orchestration, signal }, project, name, definition, command, act);
    },
    orchestration,
  );
}

function providerNames({ services }: Project): string[] {
  return Object.keys(services).filter((name) => services[name]?.provider !== undefined);
}

function call(
  orchestration: Orchestration,
  project: Project,
  service: string,
  definition: Service,
  command: ProviderCommand,
  act: readonly [string, string],
): Promise<ProvidedVariables> {
  const { runProvider, signal, report } = orchestration;
  return reported(orchestration, 'Provider', service, act, () => {
    if (runProvider === undefined)
      throw commandFailed(`'${service}' has a provider, and this server runs no provider programs.`);
    const tell = (text: string): void => {
      report({ kind: 'line', name: service, text });
    };
    return runProvider({ command, project: project.name, service, definition, signal, tell });
  });
}

function warnOfOrder({ report }: Orchestration, project: Project, names: readonly string[]): void {
  for (const name of names) {
    const containers = Object.keys(project.services[name]?.depends_on ?? {}).filter((each) => !names.includes(each));
    if (containers.length === 0) continue;
    const message = `'${name}' depends on ${containers.join(', ')}, but providers run before all containers.`;
    report({ kind: 'warning', message });
  }
}

/** The dependencies on providers are up and have no containers, so they are removed. */
function withVariables(
  name: string,
  service: Service,
  provided: ReadonlyMap<string, ProvidedVariables>,
  { report }: Orchestration,
): Service {
  const dependencies = Object.entries(service.depends_on ?? {});
  const environment: Record<string, string | null> = { ...service.environment };
  for (const [dependency] of dependencies) {
    const { prefixed, raw } = provided.get(dependency) ?? { prefixed: {}, raw: {} };
    for (const [key, value] of Object.entries(prefixed)) environment[`${dependency.toUpperCase()}_${key}`] = value;
    for (const [key, value] of Object.entries(raw)) {
      if (Object.hasOwn(environment, key) && environment[key] !== value) {
        const message = `The provider of '${dependency}' replaces the variable ${key} of '${name}'.`;
        report({ kind: 'warning', message });
      }
      environment[key] = value;
    }
  }
  const rest = dependencies.filter(([dependency]) => !provided.has(dependency));
  if (rest.length === dependencies.length) return service;
  return { ...service, environment, depends_on: Object.fromEntries(rest) };
}
