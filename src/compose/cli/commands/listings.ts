import { Option, type Command } from 'commander';
import { notFound } from '../../runtime/errors.js';
import type { PortBinding, ProcessTable } from '../../runtime/records.js';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { selectMembers } from '../../orchestrator/lifecycle.js';
import { memberNumbered } from '../../orchestrator/actual-state.js';
import { wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import { table } from '../text.js';

export type Format = 'table' | 'json';

const FORMAT = (): Option =>
  new Option('--format <format>', 'output format').choices(['table', 'json']).default('table');

export function addressText({ hostAddress, hostPort }: PortBinding): string {
  return `${hostAddress.includes(':') ? `[${hostAddress}]` : hostAddress}:${hostPort}`;
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
        ? `${binding.containerPort}/${binding.protocol} -> ${addressText(binding)}\n`
        : `${addressText(binding)}\n`;
    await session.print(bindings.map(line).join(''));
  }
  return 0;
}
