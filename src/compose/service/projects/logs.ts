/** What the containers of a project print. */
import type {
  Schemas,
  StreamProjectLogsHandler,
  WatchProjectLogsHandler,
} from '../../../../generated/compose/operations.js';
import type { RequestContext, ServerSentEvent } from '@plumbline/contract/contract-types';
import { instantOf } from '@plumbline/contract/instant';
import type { Member } from '../../orchestrator/actual-state.js';
import { projectLogs, type MemberLine, type MemberLogOptions, type ReadLog } from '../../orchestrator/logs.js';
import { firstLines, isActive } from '../containers/output.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { itemsAfter, sinceOf } from '../positions.js';
import { hasItems, streamOf, streamSignal } from '../streams.js';
import { movingPositions, parsePositions, positionOf, type Positions } from './log-positions.js';
import { orchestrationOf } from './orchestration-of.js';
import { lookUp } from './projects.js';

export const streamProjectLogs: StreamProjectLogsHandler<ComposeDependencies> = (
  { params, query, context },
  dependencies,
) =>
  answering(['OrchestratorError.projectNotFound'], async () => {
    const { follow, until } = query;
    const { signal, read } = await outputOf(params.name, query.service, context, dependencies);
    const lines = read({ follow, ...firstLines(query), ...(until !== undefined && { until: instantOf(until) }) });
    return { status: 200, body: streamOf(lines, lineBody, signal, dependencies) };
  });

export const watchProjectLogs: WatchProjectLogsHandler<ComposeDependencies> = (
  { params, query, headers, context },
  dependencies,
) =>
  answering(['OrchestratorError.projectNotFound'], async () => {
    const { signal, members, read } = await outputOf(params.name, query.service, context, dependencies);
    const begin = parsePositions(headers['last-event-id']);
    const follow = members.some(({ container }) => isActive(container));
    const options = { follow, ...firstLines(query), read: resumedLog(begin, dependencies) };
    if (!follow && !(await hasItems(read(options)))) return { status: 204 };
    const idAfter = movingPositions(begin);
    const eventOf = (line: MemberLine): ServerSentEvent<Schemas['ProjectLogLine']> => ({
      id: idAfter(line),
      data: lineBody(line),
    });
    return { status: 200, body: streamOf(read(options), eventOf, signal, dependencies) };
  });

interface ProjectOutput {
  /** Fires when the output is no longer needed. */
  readonly signal: AbortSignal;
  readonly members: readonly Member[];
  read(options: MemberLogOptions): AsyncIterable<MemberLine>;
}

/** @throws OrchestratorError.projectNotFound */
async function outputOf(
  project: string,
  services: readonly string[] = [],
  context: RequestContext,
  dependencies: ComposeDependencies,
): Promise<ProjectOutput> {
  const signal = streamSignal(context, dependencies);
  const { members: all } = await lookUp(project, signal, dependencies);
  const { orchestration } = orchestrationOf(context, dependencies);
  const members = all.filter(({ service, oneOff }) => !oneOff && (services.length === 0 || services.includes(service)));
  return {
    signal,
    members,
    read: (options) => projectLogs({ ...orchestration, signal }, members, options, { project, services }),
  };
}

/** Reads the output of containers after the positions that the caller has. */
function resumedLog(begin: Positions, { backend }: ComposeDependencies): ReadLog {
  return async ({ id, name }, options) => {
    const after = positionOf(begin, name);
    if (after === undefined) return backend.containers.logs(id, options);
    const { tail: _tail, since = sinceOf(after), ...rest } = options;
    const latest = new Date(Math.max(since.getTime(), sinceOf(after).getTime()));
    return itemsAfter(await backend.containers.logs(id, { ...rest, since: latest }), after);
  };
}

function lineBody({ service, container, stream, time, line }: MemberLine): Schemas['ProjectLogLine'] {
  return { service, container, stream, time, line };
}
