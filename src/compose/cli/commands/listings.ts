import { Option, type Command } from 'commander';
import { selectMembers } from '../../orchestrator/lifecycle.js';
import { memberNumbered } from '../../orchestrator/actual-state.js';
import { wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Format, PortFlags } from '../flags.js';
import { printPorts } from '../print/ports.js';
import { printProcesses } from '../print/processes.js';

const FORMAT = (): Option =>
  new Option('--format <format>', 'output format').choices(['table', 'json']).default('table');

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
      const members = await selectMembers(orchestration, selection);
      const member = memberNumbered(members, { project: selection.name, service, number: index });
      const { backend, signal } = orchestration;
      const asked = port === undefined ? {} : { containerPort: Number(port), protocol };
      const bindings = await backend.containers.port(member.container.id, { signal, ...asked });
      return printPorts(session, [service, port], bindings, { protocol, format });
    },
    remote: async () => (await import('../remote/listings.js')).port,
  });
}
