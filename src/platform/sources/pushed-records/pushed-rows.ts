/** Makes records of what was pushed. */
import type { Schemas } from '../../../../generated/platform/operations.js';
import { identityOfRemote } from '../../../sync/identity.js';
import type { PushedRows, PushedTarget } from '../../../sync/pushed-records.js';
import type { Row, TableName } from '../../../sync/records.js';

export type PushedContent = Schemas['PushRecordsRequest'];

interface PushedRow<Name extends TableName> {
  readonly repository: string;
  /** Identifies the row in its repository. */
  readonly key: string | number;
  /** Epoch milliseconds. */
  readonly beganAt: number;
  readonly row: Row<Name>;
}

/** The records of pushes, in their order. Of two under one id, the later one counts. */
export function pushedRowsOf(pushes: readonly PushedContent[]): readonly PushedRows[] {
  const all = <Kind extends keyof PushedContent>(kind: Kind): NonNullable<PushedContent[Kind]>[number][] =>
    // Indexing by the kind loses that the elements are those of the kind.
    pushes.flatMap((push) => (push[kind] ?? []) as NonNullable<PushedContent[Kind]>[number][]);
  return [
    ...byRepository('deployments', 'deployments', all('deployments').map(deploymentRow)),
    ...byRepository('incidents', 'incidents', all('incidents').map(incidentRow)),
    ...byRepository('cicd', 'ci_pipeline_runs', all('builds').map(buildRow)),
    ...byRepository('issues', 'issues', all('issues').map(issueRow)),
  ];
}

function byRepository<Name extends TableName>(
  target: PushedTarget,
  table: Name,
  rows: readonly PushedRow<Name>[],
): readonly PushedRows[] {
  const repositories = new Map<string, PushedRow<Name>[]>();
  for (const pushed of rows) {
    // One repository may be named by several addresses.
    const identity = identityOfRemote(pushed.repository)?.identity ?? pushed.repository;
    repositories.set(identity, [...(repositories.get(identity) ?? []), pushed]);
  }
  return [...repositories.values()].map((pushed) => ({
    repository: pushed[0]?.repository ?? '',
    target,
    records: { [table]: [...new Map(pushed.map(({ key, row }) => [key, row])).values()] },
    oldest: pushed.reduce((oldest, { beganAt }) => Math.min(oldest, beganAt), Infinity),
  }));
}

/** Ids of hosts are numbers, so that a pushed record never takes the place of one that a sync reads. */
function storedId(id: string): string {
  return `push:${id}`;
}

function deploymentRow(deployment: Schemas['PushedDeployment']): PushedRow<'deployments'> {
  const { repository, id, status, commit } = deployment;
  const startedAt = Date.parse(deployment.started_at);
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
  return { repository, key: id, beganAt: startedAt, row };
}

function incidentRow(incident: Schemas['PushedIncident']): PushedRow<'incidents'> {
  const { repository, id, title } = incident;
  const startedAt = Date.parse(incident.started_at);
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
  return { repository, key: id, beganAt: startedAt, row };
}

function buildRow(build: Schemas['PushedBuild']): PushedRow<'ci_pipeline_runs'> {
  const { repository, id, status } = build;
  const startedAt = Date.parse(build.started_at);
  const row = {
    run_id: storedId(id),
    status,
    queued_at: momentOf(build.queued_at),
    started_at: startedAt,
    finished_at: momentOf(build.finished_at),
  };
  return { repository, key: id, beganAt: startedAt, row };
}

function issueRow(issue: Schemas['PushedIssue']): PushedRow<'issues'> {
  const { repository, number, title } = issue;
  const createdAt = Date.parse(issue.created_at);
  const closedAt = momentOf(issue.closed_at);
  const row = {
    number,
    title,
    body: issue.body ?? null,
    kind: 'issue',
    state: closedAt === null ? 'open' : 'closed',
    state_reason: closedAt === null ? null : (issue.close_reason ?? null),
    author_name: issue.author ?? null,
    labels: issue.labels ?? [],
    severity: null,
    created_at: createdAt,
    updated_at: closedAt ?? createdAt,
    closed_at: closedAt,
    closing_requests: [],
  };
  return { repository, key: number, beganAt: createdAt, row };
}

function momentOf(time: string | null | undefined): number | null {
  return time === null || time === undefined ? null : Date.parse(time);
}
