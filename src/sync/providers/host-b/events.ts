/** `sync cicd`, `deployments` and `incidents` from host_b: pipelines, deployments, and issues of the type incident. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { MOST_EVENTS } from '../limits.js';
import type { Listing } from '../newest-first.js';
import { pageNumber } from '../page-number.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { onePage, readPage } from './client.js';
import type { HostBProject } from './project.js';

const ENDED = new Set(['success', 'failed', 'canceled', 'skipped']);

export function pipelineListing({ gitlab, id }: HostBProject, window: TimeWindow): Listing<JsonObject> {
  return {
    ...byUpdate(window, (page) => gitlab.Pipelines.all(id, { orderBy: 'updated_at', sort: 'desc', ...onePage(page) })),
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

export function deploymentListing({ gitlab, id }: HostBProject, window: TimeWindow): Listing<JsonObject> {
  return {
    ...byUpdate(window, (page) =>
      gitlab.Deployments.all(id, { orderBy: 'updated_at', sort: 'desc', ...onePage(page) }),
    ),
    records: (deployments) => ({ deployments: deployments.map(deploymentRow) }),
  };
}

function deploymentRow(deployment: JsonObject): Row<'deployments'> {
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
    environment: readTextOrNull(
      readObjectOrNull(deployment['environment'], 'environment')?.['name'],
      'environment.name',
    ),
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

export function incidentListing({ gitlab, id }: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const options = { projectId: id, issueType: 'incident', scope: 'all', orderBy: 'updated_at', sort: 'desc' };
  return {
    ...byUpdate(window, (page) => gitlab.Issues.all({ ...options, ...onePage(page) })),
    records: (issues) => ({ incidents: issues.map(incidentRow) }),
  };
}

function incidentRow(issue: JsonObject): Row<'incidents'> {
  return {
    incident_id: readId(issue['iid'], 'iid'),
    title: readTextOrNull(issue['title'], 'title'),
    // As on host_a: host_b's `opened` is stored as `open`.
    status: readText(issue['state'], 'state') === 'closed' ? 'closed' : 'open',
    author_name: readTextOrNull(readObjectOrNull(issue['author'], 'author')?.['username'], 'author.username'),
    labels: readList(issue['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    started_at: readInstant(issue['created_at'], 'created_at'),
    resolved_at: readInstantOrNull(issue['closed_at'], 'closed_at'),
  };
}

/** The common part of these lists: changed entries move to the front. */
export function byUpdate(
  window: TimeWindow,
  request: (page: number) => Promise<unknown>,
): Omit<Listing<JsonObject>, 'records'> {
  return {
    most: MOST_EVENTS,
    window,
    fetch: async (cursor) => {
      const { items, next } = readPage(await request(pageNumber(cursor)));
      return { items: items.map((item) => readObject(item, 'item')), next };
    },
    sortedBy: (item) => readInstant(item['updated_at'], 'updated_at'),
  };
}
