/** `sync deployments` from host_a, by GraphQL. The REST list has no states; each would cost a request. */
import type { Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { MOST_EVENTS } from '../limits.js';
import type { Listing } from '../newest-first.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readIntegerOrNull,
  readObjectOrNull,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { loginOfActor } from './actor.js';
import type { HostARepository } from './repository.js';
import { listingPage, nodes } from './pull-requests.js';

const DEPLOYMENTS = `
  query ($owner: String!, $repo: String!, $after: String) {
    repository(owner: $owner, name: $repo) {
      deployments(first: 50, after: $after, orderBy: { field: CREATED_AT, direction: DESC }) {
        pageInfo { hasNextPage endCursor }
        nodes {
          databaseId environment createdAt state
          creator { __typename login }
          ref { name }
          latestStatus { state createdAt }
          commit { oid committedDate associatedPullRequests(first: 1) { nodes { number mergedAt } } }
        }
      }
    }
  }`;

/** Final states of a deployment. It may still become INACTIVE when a newer deployment replaces it. */
const ENDED = new Set(['SUCCESS', 'FAILURE', 'ERROR', 'INACTIVE']);

export function deploymentListing({ client, owner, repo }: HostARepository, window: TimeWindow): Listing<JsonObject> {
  return {
    most: MOST_EVENTS,
    window,
    fetch: async (after) => listingPage(await client.graphql(DEPLOYMENTS, { owner, repo, after }), 'deployments'),
    sortedBy: (deployment) => readInstant(deployment['createdAt'], 'createdAt'),
    isUnfinished: (deployment) => !ENDED.has(stateOf(deployment) ?? ''),
    records: (deployments) => ({ deployments: deployments.map(deploymentRow) }),
  };
}

function deploymentRow(deployment: JsonObject): Row<'deployments'> {
  const state = stateOf(deployment);
  const status = readObjectOrNull(deployment['latestStatus'], 'latestStatus');
  const ended =
    state !== null && ENDED.has(state) ? readInstantOrNull(status?.['createdAt'], 'latestStatus.createdAt') : null;
  const commit = readObjectOrNull(deployment['commit'], 'commit');
  const [request] = nodes(
    readObjectOrNull(commit?.['associatedPullRequests'], 'associatedPullRequests') ?? { nodes: [] },
    'pullRequests',
  );
  return {
    deployment_id: readId(deployment['databaseId'], 'databaseId'),
    status: state?.toLowerCase() ?? null,
    environment: readTextOrNull(deployment['environment'], 'environment'),
    author_name: loginOfActor(deployment['creator'], 'creator'),
    started_at: readInstant(deployment['createdAt'], 'createdAt'),
    finished_at: ended,
    deployed_at: state === 'SUCCESS' || state === 'INACTIVE' ? ended : null,
    merged_at: readInstantOrNull(request?.['mergedAt'], 'mergedAt'),
    pull_request_number: readIntegerOrNull(request?.['number'], 'number'),
    release_ref: readTextOrNull(readObjectOrNull(deployment['ref'], 'ref')?.['name'], 'ref.name'),
    commit_hash: readTextOrNull(commit?.['oid'], 'commit.oid'),
    committed_at: readInstantOrNull(commit?.['committedDate'], 'commit.committedDate'),
  };
}

function stateOf(deployment: JsonObject): string | null {
  const status = readObjectOrNull(deployment['latestStatus'], 'latestStatus');
  return readTextOrNull(status?.['state'], 'latestStatus.state') ?? readTextOrNull(deployment['state'], 'state');
}
