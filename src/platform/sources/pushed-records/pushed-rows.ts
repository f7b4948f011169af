/** Makes records of what was pushed. */
import type { Schemas } from '../../../../generated/platform/operations.js';
import { instantOf } from '@plumbline/contract/instant';
import { identityOfRemote } from '../../../sync/identity.js';
import type { PushedRows, PushedTarget } from '../../../sync/pushed-records.js';
import type { AnyRow, Row, TableName } from '../../../sync/records.js';
import { textOrNull, textsOf } from '../../../sync/work-units/row-values.js';
import type { PushedEvent } from './cdevents.js';
import { buildsOf, deploymentsOf, incidentsOf } from './event-rows.js';
import { storedId, type PushedRow } from './pushed-row.js';

/** What a request has pushed, as it waits to be stored. */
export type PushedContent = Schemas['PushRecordsRequest'] & { readonly events?: readonly PushedEvent[] };

/** The records of pushes, in their order. Of two under one id, the later one counts. */
export function pushedRowsOf(pushes: readonly PushedContent[]): readonly PushedRows[] {
  const events = pushes.flatMap((push) => push.events ?? []);
  const deployments = pushes.flatMap((push) => push.deployments ?? []);
  const incidents = pushes.flatMap((push) => push.incidents ?? []);
  const builds = pushes.flatMap((push) => push.builds ?? []);
  const issues = pushes.flatMap((push) => push.issues ?? []);
  return [
    ...byRepository('deployments', 'deployments', [...deployments.map(deploymentRow), ...deploymentsOf(events)]),
    ...byRepository('incidents', 'incidents', [...incidents.map(incidentRow), ...incidentsOf(events)]),
    ...byRepository('cicd', 'ci_pipeline_runs', [...builds.map(buildRow), ...buildsOf(events)]),
    ...byRepository('issues', 'issues', issues.map(issueRow)),
  ];
}

type RowAfter = (stored: AnyRow | undefined) => AnyRow;

function byRepository<Name extends TableName>(
  target: PushedTarget,
  table: Name,
  pushed: readonly PushedRow<Name>[],
): readonly PushedRows[] {
  const repositories = new Map<string, { repository: string; rows: Map<string | number, RowAfter>; oldest: number }>();
  for (const { repository, key, beganAt, row } of pushed) {
    // One repository may be named by several addresses.
    const identity = identityOfRemote(repository)?.identity ?? repository;
    const known = repositories.get(identity) ?? {
      repository,
      rows: new Map<string | number, RowAfter>(),
      oldest: beganAt,
    };
    const before = known.rows.get(key);
    known.rows.set(key, before === undefined ? row : (stored) => row(before(stored)));
    known.oldest = Math.min(known.oldest, beganAt);
    repositories.set(identity, known);
  }
  return [...repositories.values()].map((known) => ({ target, table, ...known }));
}

function deploymentRow(deployment: Schemas['PushedDeployment']): PushedRow<'deployments'> {
  const { repository, id, status, commit } = deployment;
  const startedAt = timeOf(deployment.started_at);
  const finishedAt = momentOf(deployment.finished_at);
  const row = {
    deployment_id: storedId(id),
    status,
    environment: deployment.environment ?? null,
    tier: deployment.tier ?? null,
    job: null,
    author_name: deployment.author ?? null,
    started_at: startedAt,
    finished_at: finishedAt,
    deployed_at: status === 'success' ? finishedAt : null,
    merged_at: null,
    pull_request_number: null,
    release_ref: deployment.ref ?? null,
    commit_hash: commit?.hash ?? null,
    committed_at: momentOf(commit?.committed_at),
  };
  return {
    repository,
    key: row.deployment_id,
    beganAt: startedAt,
    // The date of another commit would be kept where none comes. Without one, the beginning stands for it.
    row: (stored) =>
      row.committed_at === null && row.commit_hash !== null && (stored?.['commit_hash'] ?? null) !== row.commit_hash
        ? { ...row, committed_at: stored?.['committed_at'] == null ? null : startedAt }
        : row,
  };
}

function incidentRow(incident: Schemas['PushedIncident']): PushedRow<'incidents'> {
  const { repository, id, title } = incident;
  const startedAt = timeOf(incident.started_at);
  const resolvedAt = momentOf(incident.resolved_at);
  const row = {
    incident_id: storedId(id),
    title,
    status: resolvedAt === null ? 'open' : 'closed',
    author_name: incident.author ?? null,
    labels: incident.labels ?? [],
    severity: incident.severity ?? null,
    started_at: startedAt,
    resolved_at: resolvedAt,
  };
  return { repository, key: row.incident_id, beganAt: startedAt, row: () => row };
}

function buildRow(build: Schemas['PushedBuild']): PushedRow<'ci_pipeline_runs'> {
  const { repository, id, status } = build;
  const startedAt = timeOf(build.started_at);
  const row = {
    run_id: storedId(id),
    status,
    queued_at: momentOf(build.queued_at),
    started_at: startedAt,
    finished_at: momentOf(build.finished_at),
  };
  return { repository, key: row.run_id, beganAt: startedAt, row: () => row };
}

function issueRow(issue: Schemas['PushedIssue']): PushedRow<'issues'> {
  const { repository, number, title } = issue;
  const createdAt = timeOf(issue.created_at);
  const closedAt = momentOf(issue.closed_at);
  // A sync may read the same issue, and knows more of it than what is pushed.
  const row: PushedRow<'issues'>['row'] = (stored = {}) => ({
    number,
    title,
    body: issue.body ?? textOrNull(stored, 'body'),
    kind: textOrNull(stored, 'kind') ?? 'issue',
    state: closedAt === null ? 'open' : 'closed',
    state_reason: closedAt === null ? null : (issue.close_reason ?? null),
    author_name: issue.author ?? textOrNull(stored, 'author_name'),
    labels: issue.labels ?? textsOf(stored, 'labels'),
    severity: textOrNull(stored, 'severity'),
    created_at: createdAt,
    updated_at: closedAt ?? createdAt,
    closed_at: closedAt,
    closing_requests: stored['closing_requests'] ?? [],
    ...epicOf(issue, stored),
  });
  return { repository, key: number, beganAt: createdAt, row };
}

/** Null says that there is none; what is left out stays, but an initiative does not outlive its epic. */
function epicOf({ epic, initiative }: Schemas['PushedIssue'], stored: AnyRow): Pick<Row<'issues'>, PlanColumn> {
  const former = (column: PlanColumn): string | null => textOrNull(stored, column);
  const isSame = epic === undefined || (epic ?? '') === former('epic');
  const above = initiative === undefined && !isSame ? null : initiative;
  return {
    epic_key: epic === undefined ? former('epic_key') : '',
    epic: epic === undefined ? former('epic') : (epic ?? ''),
    initiative_key: above === undefined ? former('initiative_key') : '',
    initiative: above === undefined ? former('initiative') : (above ?? ''),
  };
}

type PlanColumn = 'epic_key' | 'epic' | 'initiative_key' | 'initiative';

function momentOf(time: string | null | undefined): number | null {
  return time === null || time === undefined ? null : timeOf(time);
}

/** Epoch milliseconds. */
function timeOf(time: string): number {
  return instantOf(time).getTime();
}
