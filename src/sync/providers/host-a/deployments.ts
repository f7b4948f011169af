/** `sync deployments` from host_a, by GraphQL. The REST list has no states; each would cost a request. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mostEvents } from '../limits.js';
import type { Listing } from '../newest-first.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readIntegerOrNull,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { loginOfActor } from './actor.js';
import { connectionPages, nodes, type Connection } from './connection.js';
import type { HostARepository } from './repository.js';

const DEPLOYMENTS: Connection = {
  name: 'deployments',
  sortedBy: 'CREATED_AT',
  perPage: 50,
  node: `
    databaseId environment createdAt state
    creator { __typename login }
    ref { name }
    statuses(first: 100) { nodes { state createdAt } }
    commit { oid committedDate associatedPullRequests(first: 1) { nodes { number mergedAt } } }`,
};

/** The results of a deployment. The host adds INACTIVE later, when a newer deployment replaces it. */
const RESULTS = ['SUCCESS', 'FAILURE', 'ERROR'];
const ENDED: ReadonlySet<string | null> = new Set([...RESULTS, 'INACTIVE']);

/** A deployment that ended may be repeated under its number: it is read again for a week. */
const SETTLED_AFTER = 7 * 24 * 60 * 60 * 1000;

export function deploymentListing(
  repository: HostARepository,
  window: TimeWindow,
  now: () => number,
): Listing<JsonObject> {
  return {
    most: mostEvents(window),
    window,
    fetch: connectionPages(repository, DEPLOYMENTS),
    sortedBy: (deployment) => readInstant(deployment['createdAt'], 'createdAt'),
    isUnfinished: (deployment) => {
      const { state, at } = resultOf(deployment);
      return !ENDED.has(state) || (at !== null && at > now() - SETTLED_AFTER);
    },
    records: (deployments) => ({ deployments: deployments.map(deploymentRow) }),
  };
}

function deploymentRow(deployment: JsonObject): Row<'deployments'> {
  const { state, at } = resultOf(deployment);
  const commit = readObjectOrNull(deployment['commit'], 'commit');
  const [request] = nodes(
    readObjectOrNull(commit?.['associatedPullRequests'], 'associatedPullRequests') ?? { nodes: [] },
    'pullRequests',
  );
  return {
    deployment_id: readId(deployment['databaseId'], 'databaseId'),
    status: state?.toLowerCase() ?? null,
    environment: readTextOrNull(deployment['environment'], 'environment'),
    // The GraphQL API has no `production_environment`.
    tier: null,
    job: null,
    author_name: loginOfActor(deployment['creator'], 'creator'),
    started_at: readInstant(deployment['createdAt'], 'createdAt'),
    finished_at: ENDED.has(state) ? at : null,
    deployed_at: state === 'SUCCESS' ? at : null,
    merged_at: readInstantOrNull(request?.['mergedAt'], 'mergedAt'),
    pull_request_number: readIntegerOrNull(request?.['number'], 'number'),
    release_ref: readTextOrNull(readObjectOrNull(deployment['ref'], 'ref')?.['name'], 'ref.name'),
    commit_hash: readTextOrNull(commit?.['oid'], 'commit.oid'),
    committed_at: readInstantOrNull(commit?.['committedDate'], 'commit.committedDate'),
  };
}

/**
 * The result of a deployment and its time: the first success, otherwise the first failure, otherwise the latest status.
 * A later INACTIVE tells when the deployment was replaced, not when it was made.
 */
function resultOf(deployment: JsonObject): { readonly state: string | null; readonly at: number | null } {
  const statuses = nodes(readObjectOrNull(deployment['statuses'], 'statuses') ?? { nodes: [] }, 'statuses')
    .map((status) => ({
      state: readText(status['state'], 'status.state'),
      at: readInstant(status['createdAt'], 'status.createdAt'),
    }))
    .sort((a, b) => a.at - b.at);
  const result =
    statuses.find(({ state }) => state === 'SUCCESS') ?? statuses.find(({ state }) => RESULTS.includes(state));
  return result ?? statuses.at(-1) ?? { state: readTextOrNull(deployment['state'], 'state'), at: null };
}
