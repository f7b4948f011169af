/** The table and the JSON of `ps`, with the fields of docker compose. */
import { membersOf, type Member } from '../../orchestrator/actual-state.js';
import type { Selection } from '../../orchestrator/lifecycle.js';
import { stateOf, type State } from '../../orchestrator/states.js';
import { humanDuration } from '../../runtime/human-duration.js';
import type { ContainerSummary, PortBinding } from '../../runtime/records.js';
import { NODE_LABEL } from '../../runtime/swarm/labels.js';
import { UsageError } from '../failures.js';
import type { PsFlags } from '../flags.js';
import { listingText, type Row } from '../format/listing.js';
import { ellipsis } from '../format/units.js';
import type { Session } from '../session.js';
import { labelsText } from './labels.js';
import { addressText } from './ports.js';

/** The states of docker compose, and two additional ones: `stopping`, and `stopped` for an exit that we requested. */
export const STATUSES: readonly string[] = [
  ...(['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead'] satisfies State[]),
  'stopping',
  'stopped',
];

const TITLES = { ID: 'CONTAINER ID', RunningFor: 'CREATED', CreatedAt: 'CREATED AT', LocalVolumes: 'LOCAL VOLUMES' };
const COLUMNS = ['Name', 'Image', 'Command', 'Service', 'RunningFor', 'Status', 'Ports'];
const COMMAND_LENGTH = 20;

/**
 * @param present all containers of the project
 * @throws UsageError for an unknown status or filter
 */
export async function printContainers(
  session: Session,
  { name, services, project }: Selection,
  present: readonly Member<ContainerSummary>[],
  flags: PsFlags,
): Promise<number> {
  const defined = Object.keys({ ...project?.services, ...project?.disabledServices });
  const shown = listed(present, services, name, defined, flags).filter(
    ({ service }) => flags.orphans !== false || defined.includes(service),
  );
  if (flags.quiet === true) await session.print(shown.map(({ container }) => `${container.id}\n`).join(''));
  else if (flags.services === true)
    await session.print([...new Set(shown.map((each) => `${each.service}\n`))].join(''));
  else {
    const rows = shown.map((member) => psRow(member, session.io.clock.now(), flags.trunc !== false));
    const columns = shown.some(({ container }) => NODE_LABEL in container.labels)
      ? COLUMNS.toSpliced(COLUMNS.indexOf('RunningFor'), 0, 'Node')
      : COLUMNS;
    await session.print(listingText({ titles: TITLES, columns, json: 'lines', rows }, flags.format));
  }
  return 0;
}

function listed(
  present: readonly Member<ContainerSummary>[],
  services: readonly string[],
  project: string,
  defined: readonly string[],
  flags: PsFlags,
): Member<ContainerSummary>[] {
  const status = statusesOf(flags);
  const replicas = membersOf(present, services, project, defined);
  const oneOffs = present.filter(
    ({ oneOff, service }) => oneOff && (services.length === 0 || services.includes(service)),
  );
  const all = flags.all === true || status.length > 0;
  return (all ? [...replicas, ...oneOffs] : replicas)
    .filter(({ container }) => all || container.status === 'running' || container.status === 'stopping')
    .filter(({ container }) => status.length === 0 || namesOf(container).some((each) => status.includes(each)))
    .sort((one, other) => (one.container.name < other.container.name ? -1 : 1));
}

/** The values of `--status` that select a container. */
function namesOf(container: ContainerSummary): string[] {
  const { status } = container;
  return [stateOf(container), ...(status === 'stopping' || status === 'stopped' ? [status] : [])];
}

function statusesOf({ status = [], filter = [] }: PsFlags): string[] {
  const filtered = filter.map((each) => {
    const [key, value] = each.split('=');
    if (key !== 'status' || value === undefined)
      throw new UsageError(`'${each}' is not a filter: use status=<status>.`);
    return value;
  });
  const wanted = [...status, ...filtered];
  for (const each of wanted) {
    if (!STATUSES.includes(each)) throw new UsageError(`'${each}' is not a status. Use one of ${STATUSES.join(', ')}.`);
  }
  return wanted;
}

function psRow({ container, service, project }: Member<ContainerSummary>, now: Date, isShort: boolean): Row {
  const { id, name, image, labels, mounts, networks, createdAt, health } = container;
  const ports = container.ports.toSorted((one, other) => one.containerPort - other.containerPort);
  const state = stateOf(container);
  const command = commandText(container);
  const names = mounts.flatMap(({ source }) => source ?? []);
  return {
    ID: isShort ? id.slice(0, 12) : id,
    Name: name,
    Names: name,
    Project: project,
    Service: service,
    ...(labels[NODE_LABEL] !== undefined && { Node: labels[NODE_LABEL] }),
    Image: image,
    Command: JSON.stringify(isShort ? ellipsis(command, COMMAND_LENGTH) : command),
    // In Go's format.
    CreatedAt: `${createdAt.slice(0, 19).replace('T', ' ')} +0000 UTC`,
    RunningFor: `${humanDuration(now.getTime() - Date.parse(createdAt))} ago`,
    State: state,
    Status: statusText(container, now),
    Health: state === 'running' ? (health?.status ?? '') : '',
    ExitCode: container.exitCode ?? 0,
    Publishers: ports.map(({ hostAddress, containerPort, hostPort, protocol }) => ({
      URL: hostAddress,
      TargetPort: containerPort,
      PublishedPort: hostPort,
      Protocol: protocol,
    })),
    Ports: portsText(ports),
    Label: (key: string) => labels[key] ?? '',
    Labels: labelsText(labels),
    Mounts: names.map((each) => (isShort ? ellipsis(each, 15) : each)).join(','),
    LocalVolumes: String(mounts.filter(({ type }) => type === 'volume').length),
    Networks: networks.map(({ network }) => network).join(','),
    // Engines compute sizes only on request, which takes seconds.
    Size: '0B',
  };
}

/** In the Docker Engine's format: arguments with spaces are quoted. */
function commandText({ entrypoint, command }: ContainerSummary): string {
  const [program = '', ...args] = [...entrypoint, ...command];
  return [program, ...args.map((arg) => (arg.includes(' ') ? `'${arg}'` : arg))].join(' ');
}

/** `Up 5 minutes (healthy)`, `Exited (1) 2 hours ago`. */
function statusText(container: ContainerSummary, now: Date): string {
  const since = (time: string | undefined): string =>
    humanDuration(now.getTime() - Date.parse(time ?? now.toISOString()));
  const { health, startedAt, finishedAt, exitCode = 0 } = container;
  const { uptime = since(startedAt) } = container;
  switch (stateOf(container)) {
    case 'created':
      return 'Created';
    case 'running':
      return `Up ${uptime}${health === undefined ? '' : ` (${HEALTH[health.status]})`}`;
    case 'paused':
      return `Up ${uptime} (Paused)`;
    case 'restarting':
      return `Restarting (${exitCode}) ${since(finishedAt)} ago`;
    case 'removing':
      return 'Removal In Progress';
    case 'dead':
      return 'Dead';
    case 'exited':
      return `Exited (${exitCode}) ${since(finishedAt)} ago`;
  }
}

const HEALTH = { starting: 'health: starting', healthy: 'healthy', unhealthy: 'unhealthy' } as const;

function portsText(ports: readonly PortBinding[]): string {
  return ports.map((port) => `${addressText(port)}->${port.containerPort}/${port.protocol}`).join(', ');
}
