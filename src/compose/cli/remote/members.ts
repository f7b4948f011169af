/** Converts the server's containers to the form that all commands use. */
import { listContainers, type Schemas } from '@plumbline/sdk/compose';
import { OrchestratorError } from '../../orchestrator/errors.js';
import { LABELS } from '../../orchestrator/labels.js';
import type { Selection } from '../../orchestrator/lifecycle.js';
import { memberOf, membersOf, type Member } from '../../orchestrator/actual-state.js';
import type { ContainerRecord, HealthRecord, NetworkEndpoint } from '../../runtime/records.js';
import type { Remote } from './connection.js';

/** The contract's maximum of `limit`. */
const LARGEST_PAGE = 200;

/** @param project absent: all projects */
export async function allMembers({ client, signal, ask }: Remote, project?: string): Promise<Member[]> {
  const label = project === undefined ? LABELS.project : `${LABELS.project}=${project}`;
  const containers = await allPages((page): Promise<Schemas['ContainerList']> =>
    ask(listContainers(client, { query: { ...page, label: [label] }, signal })),
  );
  return containers.map(recordOf).flatMap(memberOf);
}

/** The items of all pages. */
export async function allPages<Item>(
  read: (query: { readonly limit: number; readonly cursor?: string }) => Promise<{
    readonly items: readonly Item[];
    readonly next_cursor: string | null;
  }>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof read>> = await read({
      limit: LARGEST_PAGE,
      ...(cursor !== null && { cursor }),
    });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

/**
 * The replicas that a command applies to.
 *
 * @throws OrchestratorError.projectNotFound, serviceNotFound
 */
export async function chosenMembers(remote: Remote, { name, services, project }: Selection): Promise<Member[]> {
  const members = await allMembers(remote, name);
  if (members.length === 0) throw new OrchestratorError({ case: 'projectNotFound', name });
  const defined = Object.keys({ ...project?.services, ...project?.disabledServices });
  return membersOf(members, services, name, defined);
}

/** JSON has null where records have absent fields. */
function recordOf(container: Schemas['Container']): ContainerRecord {
  const { image_id, created_at, started_at, finished_at, exit_code, out_of_memory, restart_count } = container;
  const { id, name, image, status, labels, command, entrypoint, environment, user, hostname, tty } = container;
  return {
    ...{ id, name, image, status, labels, command, entrypoint, environment, user, hostname, tty },
    imageId: image_id,
    createdAt: created_at,
    outOfMemory: out_of_memory,
    restartCount: restart_count,
    workingDirectory: container.working_directory,
    ...present('startedAt', started_at),
    ...present('finishedAt', finished_at),
    ...present('exitCode', exit_code),
    ...present('stopSignal', container.stop_signal),
    ...(container.health !== null && { health: healthOf(container.health) }),
    ports: container.ports.map((port) => ({
      containerPort: port.container_port,
      protocol: port.protocol,
      hostAddress: port.host_address,
      hostPort: port.host_port,
    })),
    mounts: container.mounts.map(({ type, source, target, read_only }) => ({
      ...{ type, target },
      readOnly: read_only,
      ...present('source', source),
    })),
    networks: container.networks.map(endpointOf),
  };
}

function healthOf({ status, failing_streak, checked_at, output }: Schemas['Health']): HealthRecord {
  const found = { status, failingStreak: failing_streak };
  return { ...found, ...present('checkedAt', checked_at), ...present('output', output) };
}

function endpointOf(endpoint: Schemas['NetworkEndpoint']): NetworkEndpoint {
  const { network, aliases, ipv4_address, ipv6_address, mac_address } = endpoint;
  return {
    ...{ network, aliases },
    ...present('ipv4Address', ipv4_address),
    ...present('ipv6Address', ipv6_address),
    ...present('macAddress', mac_address),
  };
}

function present<Key extends string, Value>(key: Key, value: Value | null): Partial<Record<Key, Value>> {
  // A computed key widens to a string index; the signature guarantees the single key.
  return value === null ? {} : ({ [key]: value } as Record<Key, Value>);
}
