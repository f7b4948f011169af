import { Option, type Command } from 'commander';
import { notFound } from '../../runtime/errors.js';
import type { ContainerRecord, ContainerStatus, PortBinding, ProcessTable } from '../../runtime/records.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { selectMembers, type Selection } from '../../orchestrator/lifecycle.js';
import { memberNumbered, membersOf, observeProject, type Member } from '../../orchestrator/actual-state.js';
import { listProjects, type ProjectSummary } from '../../orchestrator/projects.js';
import { collected, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import { duration, table } from '../text.js';

export type Format = 'table' | 'json';

const FORMAT = (): Option =>
  new Option('--format <format>', 'output format').choices(['table', 'json']).default('table');

export interface PsFlags {
  readonly all?: boolean;
  readonly quiet?: boolean;
  readonly services?: boolean;
  readonly orphans?: boolean;
  readonly status?: readonly string[];
  readonly format: Format;
}

export function psCommand(compose: Command, io: Io): void {
  define<PsFlags>(compose, io, {
    usage: 'ps [services...]',
    description: 'list containers',
    options: (command) =>
      command
        .option('-a, --all', 'include stopped and one-off containers')
        .option('-q, --quiet', 'ids only')
        .option('--services', 'print service names only')
        .option('--no-orphans', 'exclude services not in the compose file')
        .option(
          '--status <status>',
          'filter by status: created, running, stopping, stopped, exited; repeatable',
          collected,
        )
        .addOption(FORMAT()),
    run: async (session, services, flags) => {
      const selection = await session.select(services);
      return printContainers(
        session,
        selection,
        await observeProject(await session.orchestration(), selection.name),
        flags,
      );
    },
    remote: async () => (await import('../remote/listings.js')).ps,
  });
}

/** @param present all containers of the project */
export async function printContainers(
  session: Session,
  { name, services, project }: Selection,
  present: readonly Member[],
  flags: PsFlags,
): Promise<number> {
  const defined = Object.keys({ ...project?.services, ...project?.disabledServices });
  const shown = listed(present, services, name, defined, flags).filter(
    ({ service }) => flags.orphans !== false || defined.includes(service),
  );
  if (flags.quiet === true) await session.print(shown.map(({ container }) => `${container.id}\n`).join(''));
  else if (flags.services === true)
    await session.print([...new Set(shown.map((each) => `${each.service}\n`))].join(''));
  else if (flags.format === 'json') await session.printJson(shown.map(psRecord));
  else {
    const rows = shown.map(({ container, service }) => [
      container.name,
      container.image,
      service,
      statusText(container, session.io.clock.now()),
      portsText(container.ports),
    ]);
    await session.print(table(['NAME', 'IMAGE', 'SERVICE', 'STATUS', 'PORTS'], rows));
  }
  return 0;
}

function listed(
  present: readonly Member[],
  services: readonly string[],
  project: string,
  defined: readonly string[],
  { all, status }: PsFlags,
): Member[] {
  const replicas = membersOf(present, services, project, defined);
  const oneOffs = present.filter(
    ({ oneOff, service }) => oneOff && (services.length === 0 || services.includes(service)),
  );
  const wanted = all === true || status !== undefined ? [...replicas, ...oneOffs] : replicas;
  const isShown = ({ status: actual }: ContainerRecord): boolean =>
    status === undefined ? all === true || actual === 'running' || actual === 'stopping' : status.includes(actual);
  return wanted
    .filter(({ container }) => isShown(container))
    .sort((one, other) => (one.container.name < other.container.name ? -1 : 1));
}

function psRecord({ container, service, project, number }: Member): Record<string, unknown> {
  const { id, name, image, status, health, exitCode, createdAt, startedAt, ports } = container;
  return {
    id,
    name,
    project,
    service,
    number,
    image,
    status,
    health: health?.status,
    exitCode,
    createdAt,
    startedAt,
    ports,
  };
}

/** `Up 5 minutes (healthy)`, `Exited (1) 2 hours ago`. */
export function statusText({ status, health, startedAt, finishedAt, exitCode }: ContainerRecord, now: Date): string {
  const since = (time: string | undefined): string => duration(now.getTime() - Date.parse(time ?? now.toISOString()));
  switch (status) {
    case 'created':
      return 'Created';
    case 'running':
      return `Up ${since(startedAt)}${health === undefined ? '' : ` (${health.status})`}`;
    case 'stopping':
      return 'Stopping';
    case 'stopped':
      return `Stopped (${exitCode ?? 0}) ${since(finishedAt)} ago`;
    case 'exited':
      return `Exited (${exitCode ?? 0}) ${since(finishedAt)} ago`;
  }
}

function portsText(ports: readonly PortBinding[]): string {
  return ports.map((port) => `${address(port)}->${port.containerPort}/${port.protocol}`).join(', ');
}

function address({ hostAddress, hostPort }: PortBinding): string {
  return `${hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress}:${hostPort}`;
}

export interface LsFlags {
  readonly all?: boolean;
  readonly quiet?: boolean;
  readonly format: Format;
}

export function lsCommand(compose: Command, io: Io): void {
  define<LsFlags>(compose, io, {
    usage: 'ls',
    description: 'list projects that have containers',
    options: (command) =>
      command.option('-a, --all', 'include stopped projects').option('-q, --quiet', 'names only').addOption(FORMAT()),
    run: async (session, _args, flags) =>
      printProjects(session, await listProjects(await session.orchestration()), flags),
    remote: async () => (await import('../remote/listings.js')).ls,
  });
}

export async function printProjects(
  session: Session,
  present: readonly ProjectSummary[],
  { all, quiet, format }: LsFlags,
): Promise<number> {
  const projects = present.filter(({ statuses }) => all === true || (statuses.running ?? 0) > 0);
  if (quiet === true) await session.print(projects.map(({ name }) => `${name}\n`).join(''));
  else if (format === 'json') await session.printJson(projects);
  else {
    const rows = projects.map(({ name, statuses, configFiles }) => [name, counts(statuses), configFiles.join(', ')]);
    await session.print(table(['NAME', 'STATUS', 'CONFIG FILES'], rows));
  }
  return 0;
}

function counts(statuses: Readonly<Partial<Record<ContainerStatus, number>>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}(${count})`)
    .join(', ');
}

export function topCommand(compose: Command, io: Io): void {
  define<{ format: Format }>(compose, io, {
    usage: 'top [services...]',
    description: 'list container processes',
    options: (command) => command.addOption(FORMAT()),
    run: async (session, services, { format }) => {
      const { backend, signal, ...rest } = await session.orchestration();
      const members = await selectMembers({ backend, signal, ...rest }, await session.select(services));
      const running = members.filter(({ container }) => container.status === 'running');
      const tables = await Promise.all(
        running.map(async ({ container, service }) => ({
          container: container.name,
          service,
          ...(await backend.containers.top(container.id, { signal })),
        })),
      );
      return printProcesses(session, tables, format);
    },
    remote: async () => (await import('../remote/listings.js')).top,
  });
}

interface ContainerProcesses extends ProcessTable {
  readonly container: string;
  readonly service: string;
}

export async function printProcesses(
  session: Session,
  tables: readonly ContainerProcesses[],
  format: Format,
): Promise<number> {
  if (format === 'json') await session.printJson(tables);
  else for (const each of tables) await session.print(`${each.container}\n${table(each.titles, each.processes)}\n`);
  return 0;
}

export interface PortFlags {
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  readonly index?: number;
  readonly format: Format;
}

export function portCommand(compose: Command, io: Io): void {
  define<PortFlags>(compose, io, {
    usage: 'port <service> [port]',
    description: "print where a service's port is published; without a port, all published ports",
    options: (command) =>
      command
        .addOption(
          new Option('--protocol <protocol>', 'protocol of the port').choices(['tcp', 'udp', 'sctp']).default('tcp'),
        )
        .option('--index <number>', 'number of the container (default: the first)', wholeNumber)
        .addOption(FORMAT()),
    run: async (session, [service = '', port], { protocol, index, format }) => {
      if (port !== undefined && !/^\d+$/.test(port)) throw new UsageError(`'${port}' is not a port.`);
      const orchestration = await session.orchestration();
      const selection = await session.select([service]);
      const member = memberNumbered(await selectMembers(orchestration, selection), index);
      if (member === undefined) {
        throw new OrchestratorError({ case: 'serviceNotFound', project: selection.name, service });
      }
      const { backend, signal } = orchestration;
      const asked = port === undefined ? {} : { containerPort: Number(port), protocol };
      const bindings = await backend.containers.port(member.container.id, { signal, ...asked });
      return printPorts(session, [service, port], bindings, { protocol, format });
    },
    remote: async () => (await import('../remote/listings.js')).port,
  });
}

/** @throws RuntimeError.notFound when the requested port is not published */
export async function printPorts(
  session: Session,
  [service = '', port]: readonly (string | undefined)[],
  bindings: readonly PortBinding[],
  { protocol, format }: Pick<PortFlags, 'protocol' | 'format'>,
): Promise<number> {
  if (port !== undefined && bindings.length === 0) throw notFound(`${service} ${port}/${protocol}`);
  if (format === 'json') await session.printJson(bindings);
  else {
    const line = (binding: PortBinding): string =>
      port === undefined
        ? `${binding.containerPort}/${binding.protocol} -> ${address(binding)}\n`
        : `${address(binding)}\n`;
    await session.print(bindings.map(line).join(''));
  }
  return 0;
}
