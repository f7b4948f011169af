/** ps, ls, top and port of a server. */
import { listContainerProcesses } from '@plumbline/sdk/compose';
import { memberNumbered } from '../../orchestrator/actual-state.js';
import { projectsOf } from '../../orchestrator/projects.js';
import type { Handler } from '../command.js';
import { printProcesses } from '../print/processes.js';
import { printPorts } from '../print/ports.js';
import type { Format, LsFlags, PortFlags, PsFlags } from '../flags.js';
import { printProjects } from '../print/projects.js';
import { printContainers } from '../print/containers.js';
import { UsageError } from '../failures.js';
import { connect } from './connection.js';
import { allMembers, chosenMembers } from './members.js';

export const ps: Handler<PsFlags> = async (session, services, flags) => {
  const selection = await session.select(services);
  const remote = await connect(session);
  return printContainers(session, selection, await allMembers(remote, selection.name), flags);
};

export const ls: Handler<LsFlags> = async (session, _args, flags) =>
  printProjects(session, projectsOf(await allMembers(await connect(session))), flags);

export const top: Handler<{ format: Format }> = async (session, services, { format }) => {
  const selection = await session.select(services);
  const remote = await connect(session);
  const members = await chosenMembers(remote, selection);
  const tables = await Promise.all(
    members
      .filter(({ container }) => container.status === 'running')
      .map(async ({ container, service }) => {
        const { client, signal } = remote;
        const call = listContainerProcesses(client, { params: { id: container.id }, signal });
        return { container: container.name, service, ...(await remote.ask(call)) };
      }),
  );
  return printProcesses(session, tables, format);
};

export const port: Handler<PortFlags> = async (session, [service = '', wanted], flags) => {
  if (wanted !== undefined && !/^\d+$/.test(wanted)) throw new UsageError(`'${wanted}' is not a port.`);
  const { name: project, ...selection } = await session.select([service]);
  const members = await chosenMembers(await connect(session), { ...selection, name: project });
  const member = memberNumbered(members, { project, service, number: flags.index });
  const bindings = member.container.ports.filter(
    ({ containerPort, protocol }) =>
      wanted === undefined || (containerPort === Number(wanted) && protocol === flags.protocol),
  );
  return printPorts(session, [service, wanted], bindings, flags);
};
