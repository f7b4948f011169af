/** Services that a provider program runs instead of containers (Compose Specification, `provider`). */
import type { Project } from '../../model/project.js';
import type { Service } from '../../model/service.js';
import { commandFailed } from '../../runtime/errors.js';
import { inDependencyOrder, reversed } from '../ordered.js';
import { reported, type Orchestration } from '../orchestration.js';

export type ProviderCommand = 'up' | 'down' | 'stop';

export interface ProviderCall {
  readonly command: ProviderCommand;
  readonly project: string;
  readonly service: string;
  readonly definition: Service;
  readonly signal: AbortSignal;
  /** Called with what the provider tells its user. */
  readonly tell: (text: string) => void;
}

/** What a provider gives to the services that depend on its own. */
export interface ProvidedVariables {
  /** With the name of the service in front (`setenv`). */
  readonly prefixed: Readonly<Record<string, string>>;
  /** As they are (`rawsetenv`). */
  readonly raw: Readonly<Record<string, string>>;
}

/** @throws TerminalError.commandFailed when the provider is missing, or fails */
export type RunProvider = (call: ProviderCall) => Promise<ProvidedVariables>;

/**
 * Brings up the services that have a provider, each after the providers that it depends on, and before any container:
 * the variables that they give are part of what containers are made from.
 *
 * @returns the project without those services, with their variables in the services that depend on them
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
 * Takes down, or stops, the services that have a provider, each before those that it depends on. Containers must be
 * gone by then. A provider that does not know `stop` is left as it is.
 *
 * @param services only these; none: all
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
    if (runProvider === undefined) throw commandFailed(`'${service}' has a provider: no program is run for it here.`);
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

/** What it depends on by way of a provider is up, and no container. */
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
