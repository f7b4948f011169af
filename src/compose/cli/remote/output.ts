/** logs, events and exec of a server. */
import { execInContainer, getContainerLogs, streamEvents, type Schemas } from '@plumbline/sdk/compose';
import { LABELS } from '../../orchestrator/labels.js';
import type { MemberLine } from '../../orchestrator/logs.js';
import { memberNumbered, requireRunning } from '../../orchestrator/actual-state.js';
import { notSupported } from '../../runtime/errors.js';
import type { RuntimeEvent } from '../../runtime/records.js';
import { variables } from '../arguments.js';
import type { Handler } from '../command.js';
import { printEvents } from '../print/events.js';
import type { EventsFlags, ExecFlags, LogsFlags } from '../flags.js';
import { printLines } from '../print/log-lines.js';
import type { Session } from '../session.js';
import { connect, type Remote } from './connection.js';
import { RemoteFailure } from './failures.js';
import { linesOf } from './lines.js';
import { chosenMembers } from './members.js';

export const logs: Handler<LogsFlags> = async (session, services, flags) => {
  const selection = await session.select(services);
  const remote = await connect(session);
  const chosen = await chosenMembers(remote, selection);
  const members = chosen.filter(({ number }) => flags.index === undefined || number === flags.index);
  const { since, until, tail } = flags;
  const query = {
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...(tail !== undefined && { tail: String(tail) }),
  };
  const left = new AbortController();
  const bound = { ...remote, signal: AbortSignal.any([remote.signal, left.signal]) };
  const follow = flags.follow === true;
  const read = (id: string, which: object): AsyncIterable<Schemas['LogLine']> =>
    bound.follow(
      getContainerLogs(bound.client, { params: { id }, query: { ...which, follow }, signal: bound.signal }),
      'line',
    );
  const joining = follow ? startedMembers(bound, selection.name, services) : null;
  try {
    return await printLines(session, selection.name, members, linesOf(members, query, read, joining), flags);
  } finally {
    left.abort(); // all have ended; close the event stream
  }
};

export const events: Handler<EventsFlags> = async (session, services, { json, since, until }) => {
  const { name } = await session.select();
  const remote = await connect(session);
  const query = {
    label: [`${LABELS.project}=${name}`],
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
  };
  try {
    await printEvents(session, services, happenings(remote, query), json === true);
  } catch (error) {
    // Ctrl-C is the normal end of following.
    if (!session.signal.aborted) throw error;
  }
  return 0;
};

/** The server accepts only complete input and allocates no terminal. Piped input is sent with the request. */
export const exec: Handler<ExecFlags> = async (session, [service = '', ...command], flags) => {
  if (flags.detach === true) throw notSupported('exec --detach', 'remote');
  const selection = await session.select([service]);
  const remote = await connect(session);
  const members = await chosenMembers(remote, selection);
  const member = memberNumbered(members, { project: selection.name, service, number: flags.index });
  requireRunning(member);
  const body: Schemas['ExecRequest'] = {
    command: [...command],
    environment: variables(flags.env, session.io.environment),
    encoding: 'base64',
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.workdir !== undefined && { working_directory: flags.workdir }),
    ...(flags.privileged === true && { privileged: true }),
    ...(await inputOf(session, flags)),
  };
  const call = execInContainer(remote.client, {
    params: { id: member.container.id },
    body,
    signal: remote.signal,
  });
  for await (const piece of remote.follow(call)) {
    if (piece.type === 'exit') return piece.exit_code;
    const output = piece.stream === 'stderr' ? session.io.stderr : session.io.stdout;
    await output.write(Buffer.from(piece.data, 'base64'));
  }
  throw new RemoteFailure("The server's reply ended before the command.");
};

async function inputOf({ io }: Session, { interactive }: ExecFlags): Promise<{ stdin?: string }> {
  if (interactive === false || io.stdin.isTerminal) return {};
  const pieces: Uint8Array[] = [];
  for await (const piece of io.stdin) pieces.push(piece);
  return pieces.length === 0 ? {} : { stdin: Buffer.concat(pieces).toString('base64') };
}

/** Containers of the project that start from now on. */
async function* startedMembers(
  remote: Remote,
  project: string,
  services: readonly string[],
): AsyncGenerator<StartedMember, void> {
  for await (const { type, labels, id, name, time } of happenings(remote, {
    label: [`${LABELS.project}=${project}`],
  })) {
    const service = labels[LABELS.service];
    if (type !== 'started' || service === undefined || labels[LABELS.oneOff]?.toLowerCase() === 'true') continue;
    if (services.length === 0 || services.includes(service)) yield { container: { id, name }, service, since: time };
  }
}

export interface StartedMember extends Pick<MemberLine, 'service'> {
  readonly container: { readonly id: string; readonly name: string };
  readonly since: string;
}

async function* happenings(
  { client, signal, follow }: Remote,
  query: { readonly label: string[]; readonly since?: string; readonly until?: string },
): AsyncGenerator<RuntimeEvent, void> {
  for await (const event of follow(streamEvents(client, { query, signal }))) {
    const { id, name, time, labels, exit_code, signal: sent, health } = event;
    yield {
      ...{ id, name, time, labels },
      type: event.type === 'oom_killed' ? 'oomKilled' : event.type,
      ...(exit_code !== null && { exitCode: exit_code }),
      ...(sent !== null && { signal: sent }),
      ...(health !== null && { health }),
    };
  }
}
