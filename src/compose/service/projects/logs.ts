/** What the containers of a project print. */
import type { Schemas, StreamProjectLogsHandler } from '../../../../generated/compose/operations.js';
import { projectLogs, type MemberLine } from '../../orchestrator/logs.js';
import type { ComposeDependencies } from '../dependencies.js';
import { answering } from '../failure-replies.js';
import { streamOf, streamSignal } from '../streams.js';
import { orchestrationOf } from './orchestration-of.js';
import { lookUp } from './projects.js';

export const streamProjectLogs: StreamProjectLogsHandler<ComposeDependencies> = (
  { params, query, context },
  dependencies,
) =>
  answering(['OrchestratorError.projectNotFound'], async () => {
    const { service: services = [], follow, tail, since, until } = query;
    const signal = streamSignal(context, dependencies);
    const { members } = await lookUp(params.name, signal, dependencies);
    const { orchestration } = orchestrationOf(context, dependencies);
    const lines = projectLogs(
      { ...orchestration, signal },
      members.filter(({ service, oneOff }) => !oneOff && (services.length === 0 || services.includes(service))),
      {
        follow,
        ...(tail !== 'all' && { tail: Number(tail) }),
        ...(since !== undefined && { since: new Date(since) }),
        ...(until !== undefined && { until: new Date(until) }),
      },
      { project: params.name, services },
    );
    return { status: 200, body: streamOf(lines, lineBody, signal, dependencies) };
  });

function lineBody({ service, container, stream, time, line }: MemberLine): Schemas['ProjectLogLine'] {
  return { service, container, stream, time, line };
}
