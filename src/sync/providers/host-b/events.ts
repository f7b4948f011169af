/** `sync cicd`, `deployments` and `incidents` from host_b: pipelines, deployments, and issues of the type incident. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mostEvents } from '../limits.js';
import type { Listing } from '../newest-first.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readList,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { timedPages, type TimedList } from './numbered-list.js';
import type { HostBProject } from './project.js';
import { readTiers } from './tiers.js';

const ENDED = new Set(['success', 'failed', 'canceled', 'skipped']);

export function pipelineListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  return {
    ...byUpdate(project, window, (options) => project.gitlab.Pipelines.all(project.id, options)),
    records: (pipelines) => ({ ci_pipeline_runs: pipelines.map(pipelineRow) }),
  };
}

function pipelineRow(pipeline: JsonObject): Row<'ci_pipeline_runs'> {
  const status = readTextOrNull(pipeline['status'], 'status');
  const created = readInstant(pipeline['created_at'], 'created_at');
  return {
    run_id: readId(pipeline['id'], 'id'),
    status,
    queued_at: created,
    started_at: readInstantOrNull(pipeline['started_at'], 'started_at') ?? created,
    // The list has no completion time. A pipeline does not change after its completion, so the last update is used.
    finished_at: status !== null && ENDED.has(status) ? readInstantOrNull(pipeline['updated_at'], 'updated_at') : null,
  };
}

export function deploymentListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const listing = byUpdate(project, window, (options) => project.gitlab.Deployments.all(project.id, options));
  let tiers: ReadonlyMap<string, string> | undefined;
  return {
    ...listing,
    fetch: async (cursor) => {
      const page = await listing.fetch(cursor);
      if (page.items.length > 0) tiers ??= await readTiers(project);
      return page;
    },
    records: (deployments) => ({ deployments: deployments.map((each) => deploymentRow(each, tiers ?? new Map())) }),
  };
}

function deploymentRow(deployment: JsonObject, tiers: ReadonlyMap<string, string>): Row<'deployments'> {
  const environment = readTextOrNull(
    readObjectOrNull(deployment['environment'], 'environment')?.['name'],
    'environment.name',
  );
  const status = readTextOrNull(deployment['status'], 'status');
  const job = readObjectOrNull(deployment['deployable'], 'deployable');
  const commit = readObjectOrNull(job?.['commit'], 'deployable.commit');
  const finished = readInstantOrNull(job?.['finished_at'], 'deployable.finished_at');
  const ended =
    status !== null && ENDED.has(status)
      ? (finished ?? readInstantOrNull(deployment['updated_at'], 'updated_at'))
      : null;
  return {
    deployment_id: readId(deployment['id'], 'id'),
    status,
    environment,
    tier: tiers.get(environment ?? '') ?? null,
    job: readTextOrNull(job?.['name'], 'deployable.name'),
    author_name: readTextOrNull(readObjectOrNull(deployment['user'], 'user')?.['username'], 'user.username'),
    started_at:
      readInstantOrNull(job?.['started_at'], 'deployable.started_at') ??
      readInstant(deployment['created_at'], 'created_at'),
    finished_at: ended,
    deployed_at: status === 'success' ? ended : null,
    merged_at: null,
    pull_request_number: null,
    release_ref: readTextOrNull(deployment['ref'], 'ref'),
    commit_hash: readTextOrNull(deployment['sha'], 'sha'),
    committed_at: readInstantOrNull(commit?.['created_at'], 'deployable.commit.created_at'),
  };
}

export function incidentListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const only = { projectId: project.id, issueType: 'incident', scope: 'all' };
  return {
    ...byUpdate(project, window, (options) => project.gitlab.Issues.all({ ...only, ...options })),
    records: (issues) => ({ incidents: issues.map(incidentRow) }),
  };
}

function incidentRow(issue: JsonObject): Row<'incidents'> {
  return {
    incident_id: readId(issue['iid'], 'iid'),
    title: readTextOrNull(issue['title'], 'title'),
    // Both hosts are stored alike: host_b's `opened` is `open`.
    status: readText(issue['state'], 'state') === 'closed' ? 'closed' : 'open',
    author_name: readTextOrNull(readObjectOrNull(issue['author'], 'author')?.['username'], 'author.username'),
    labels: readList(issue['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    severity: readSeverity(issue),
    started_at: readInstant(issue['created_at'], 'created_at'),
    resolved_at: readInstantOrNull(issue['closed_at'], 'closed_at'),
  };
}

/** How severe an incident is, in lower case; null if nobody has said it. */
export function readSeverity(issue: JsonObject): string | null {
  const severity = readTextOrNull(issue['severity'], 'severity')?.toLowerCase() ?? null;
  return severity === 'unknown' ? null : severity;
}

/** The common part of these lists: changed entries move to the front. */
export function byUpdate(
  project: HostBProject,
  window: TimeWindow,
  request: TimedList['request'],
): Omit<Listing<JsonObject>, 'records'> {
  const sortedBy = (item: JsonObject): number => readInstant(item['updated_at'], 'updated_at');
  return {
    most: mostEvents(window),
    window,
    fetch: timedPages(project, {
      request: (options) => request({ orderBy: 'updated_at', sort: 'desc', ...options }),
      sortedBy,
      // It includes the time itself.
      before: (time) => ({ updatedBefore: new Date(time).toISOString() }),
      step: 1,
    }),
    sortedBy,
  };
}
