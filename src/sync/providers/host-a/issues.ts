/**
 * `sync issues` from host_a: issues with their state changes and the pull requests that close them, by GraphQL, so that
 * a page costs one request. The list has no pull requests, unlike that of the REST API.
 */
import { UNKNOWN_EPIC, WITHOUT_EPIC, type Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Listing } from '../newest-first.js';
import {
  readInstant,
  readInstantOrNull,
  readInteger,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { loginOfActor } from './actor.js';
import { connectionPages, nodes, type Connection } from './connection.js';
import type { HostARepository } from './repository.js';

/** Sub-issues have at most eight levels (https://docs.github.com/en/issues/tracking-your-work-with-issues). */
function parentsUpTo(levels: number): string {
  return levels === 0 ? '' : `parent { number title repository { nameWithOwner } ${parentsUpTo(levels - 1)} }`;
}

/** An issue with more state changes than the last 100 has none of the earlier ones. */
const ISSUES: Connection = {
  name: 'issues',
  sortedBy: 'UPDATED_AT',
  perPage: 50,
  node: `
    number title body state stateReason(enableDuplicate: true) createdAt updatedAt closedAt
    author { __typename login }
    labels(first: 50) { nodes { name } }
    closedByPullRequestsReferences(first: 20, includeClosedPrs: true) { nodes { ...Request } }
    timelineItems(last: 100, itemTypes: [CLOSED_EVENT, REOPENED_EVENT]) {
      nodes {
        __typename
        ... on ClosedEvent { id createdAt actor { __typename login } closer { ...Request } }
        ... on ReopenedEvent { id createdAt actor { __typename login } }
      }
    }`,
  added: {
    fields: ['parent', 'subIssuesSummary'],
    selection: `subIssuesSummary { total } ${parentsUpTo(8)}`,
  },
  fragments: 'fragment Request on PullRequest { number state repository { nameWithOwner } }',
};

export function issueListing(repository: HostARepository, window: TimeWindow): Listing<JsonObject> {
  const { owner, repo } = repository;
  return {
    most: Infinity,
    window,
    fetch: connectionPages(repository, ISSUES),
    sortedBy: (issue) => readInstant(issue['updatedAt'], 'updatedAt'),
    records: (issues) => ({
      issues: issues.map((issue) => issueRow(issue, `${owner}/${repo}`)),
      issue_state_changes: issues.flatMap(stateChanges),
    }),
  };
}

function issueRow(issue: JsonObject, repository: string): Row<'issues'> {
  const labels = listOf(issue, 'labels').map((label) => readText(label['name'], 'name'));
  return {
    number: readInteger(issue['number'], 'number'),
    title: readText(issue['title'], 'title'),
    body: readTextOrNull(issue['body'], 'body') || null,
    // The target `incidents` chooses by the same label.
    kind: labels.some((label) => label.toLowerCase() === 'incident') ? 'incident' : 'issue',
    state: readText(issue['state'], 'state').toLowerCase(),
    state_reason: readText(issue['state'], 'state') === 'CLOSED' ? reasonOf(issue) : null,
    author_name: loginOfActor(issue['author'], 'author'),
    labels,
    severity: null,
    created_at: readInstant(issue['createdAt'], 'createdAt'),
    updated_at: readInstant(issue['updatedAt'], 'updatedAt'),
    closed_at: readInstantOrNull(issue['closedAt'], 'closedAt'),
    closing_requests: closingRequests(issue, repository),
    ...epicOf(issue, repository),
  };
}

/**
 * The epic of an issue is its parent, and the initiative the topmost one. An issue with sub-issues is an epic itself, so
 * that work on it does not count as unplanned.
 */
function epicOf(issue: JsonObject, repository: string): Pick<Row<'issues'>, keyof typeof UNKNOWN_EPIC> {
  const summary = readObjectOrNull(issue['subIssuesSummary'], 'subIssuesSummary');
  if (summary === null) return UNKNOWN_EPIC;
  const parents = parentsOf(issue).map((parent) => {
    const owner = readObjectOrNull(parent['repository'], 'parent.repository');
    const name = readTextOrNull(owner?.['nameWithOwner'], 'nameWithOwner') ?? repository;
    const key = `#${readInteger(parent['number'], 'parent.number')}`;
    return {
      key: name.toLowerCase() === repository.toLowerCase() ? key : `${name}${key}`,
      title: readText(parent['title'], 'parent.title'),
    };
  });
  const own = { key: `#${readInteger(issue['number'], 'number')}`, title: readText(issue['title'], 'title') };
  const chain = readInteger(summary['total'], 'subIssuesSummary.total') > 0 ? [own, ...parents] : parents;
  const [epic] = chain;
  if (epic === undefined) return WITHOUT_EPIC;
  const initiative = chain.length > 1 ? chain.at(-1) : undefined;
  return {
    epic_key: epic.key,
    epic: epic.title,
    initiative_key: initiative?.key ?? '',
    initiative: initiative?.title ?? '',
  };
}

/** The nearest one first. */
function parentsOf(issue: JsonObject): readonly JsonObject[] {
  const parent = readObjectOrNull(issue['parent'] ?? null, 'parent');
  return parent === null ? [] : [parent, ...parentsOf(parent)];
}

function reasonOf(issue: JsonObject): string | null {
  return readTextOrNull(issue['stateReason'], 'stateReason')?.toLowerCase() ?? null;
}

/** Requests of this repository that closed the issue, or are to close it: not those that were closed without a merge. */
function closingRequests(issue: JsonObject, repository: string): number[] {
  const closers = timelineOf(issue)
    .map((event) => readObjectOrNull(event['closer'], 'closer'))
    .filter((closer) => closer !== null);
  const requests = [...listOf(issue, 'closedByPullRequestsReferences'), ...closers].filter((request) => {
    // A closer that is a commit or a project has no fields here.
    const its = readObjectOrNull(request['repository'], 'repository');
    const name = readTextOrNull(its?.['nameWithOwner'], 'nameWithOwner');
    return name?.toLowerCase() === repository.toLowerCase() && request['state'] !== 'CLOSED';
  });
  const numbers = requests.map((request) => readInteger(request['number'], 'request.number'));
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function stateChanges(issue: JsonObject): Row<'issue_state_changes'>[] {
  const number = readInteger(issue['number'], 'number');
  const opened: Row<'issue_state_changes'> = {
    number,
    change_id: 'opened',
    state: 'opened',
    actor: loginOfActor(issue['author'], 'author'),
    changed_at: readInstant(issue['createdAt'], 'createdAt'),
  };
  const later = timelineOf(issue).map((event): Row<'issue_state_changes'> => ({
    number,
    change_id: readText(event['id'], 'event.id'),
    state: event['__typename'] === 'ClosedEvent' ? 'closed' : 'reopened',
    actor: loginOfActor(event['actor'], 'actor'),
    changed_at: readInstant(event['createdAt'], 'event.createdAt'),
  }));
  return [opened, ...later];
}

function timelineOf(issue: JsonObject): JsonObject[] {
  return listOf(issue, 'timelineItems');
}

function listOf(issue: JsonObject, name: string): JsonObject[] {
  return nodes(readObjectOrNull(issue[name], name) ?? { nodes: [] }, name);
}
