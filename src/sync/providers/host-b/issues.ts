/**
 * `sync issues` from host_b: the list of issues, then the project's events, which tell when issues were closed and
 * reopened. The host keeps events for three years. Neither list says which merge request closed an issue, and asking for
 * each issue would cost a request: closing references in the texts of requests and commits tell it.
 */
import { UNKNOWN_EPIC, WITHOUT_EPIC, type Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { pagesOfAll } from '../sequence.js';
import { newestFirst, type Listing } from '../newest-first.js';
import type { Page, Start } from '../provider.js';
import {
  readId,
  readInstant,
  readInstantOrNull,
  readInteger,
  readList,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { byUpdate, readSeverity } from './events.js';
import { timedPages } from './numbered-list.js';
import type { HostBProject } from './project.js';

export function issuePages(project: HostBProject, window: TimeWindow, start: Start): AsyncIterable<Page> {
  const lists = [issueListing(project, window), eventListing(project, window)];
  return pagesOfAll(
    lists.map((listing) => (from) => newestFirst(listing, from)),
    start,
  );
}

function issueListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const all = { projectId: project.id, scope: 'all' };
  return {
    ...byUpdate(project, window, (options) => project.gitlab.Issues.all({ ...all, ...options })),
    most: Infinity,
    records: (issues) => ({ issues: issues.map(issueRow), issue_state_changes: issues.map(opening) }),
  };
}

function issueRow(issue: JsonObject): Row<'issues'> {
  const isClosed = readText(issue['state'], 'state') === 'closed';
  return {
    number: numberOf(issue),
    title: readText(issue['title'], 'title'),
    body: readTextOrNull(issue['description'], 'description') || null,
    kind: readTextOrNull(issue['issue_type'], 'issue_type') ?? 'issue',
    state: isClosed ? 'closed' : 'open',
    state_reason: isClosed ? reasonOf(issue) : null,
    author_name: loginOf(issue),
    labels: readList(issue['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    severity: readSeverity(issue),
    created_at: readInstant(issue['created_at'], 'created_at'),
    updated_at: readInstant(issue['updated_at'], 'updated_at'),
    closed_at: isClosed ? readInstantOrNull(issue['closed_at'], 'closed_at') : null,
    closing_requests: [],
    ...epicOf(issue),
  };
}

/** The free edition has no epics, and leaves the field out. The list does not tell the epic above an epic. */
function epicOf(issue: JsonObject): Pick<Row<'issues'>, keyof typeof UNKNOWN_EPIC> {
  if (issue['epic'] === undefined) return UNKNOWN_EPIC;
  const epic = readObjectOrNull(issue['epic'], 'epic');
  if (epic === null) return WITHOUT_EPIC;
  const [number, title] = [readInteger(epic['iid'], 'epic.iid'), readText(epic['title'], 'epic.title')];
  return { ...UNKNOWN_EPIC, epic_key: `&${number}`, epic: title };
}

/** Null if the list does not tell it. */
function reasonOf(issue: JsonObject): string | null {
  if ((issue['moved_to_id'] ?? null) !== null) return 'moved';
  const original = readObjectOrNull(issue['_links'], '_links')?.['closed_as_duplicate_of'] ?? null;
  return original === null ? null : 'duplicate';
}

function opening(issue: JsonObject): Row<'issue_state_changes'> {
  return {
    number: numberOf(issue),
    change_id: 'opened',
    state: 'opened',
    actor: loginOf(issue),
    changed_at: readInstant(issue['created_at'], 'created_at'),
  };
}

function eventListing(project: HostBProject, window: TimeWindow): Listing<JsonObject> {
  const issues = { projectId: project.id, targetType: 'issue', sort: 'desc' };
  const sortedBy = (event: JsonObject): number => readInstant(event['created_at'], 'created_at');
  return {
    most: Infinity,
    window,
    fetch: timedPages(project, {
      request: (options) => project.gitlab.Events.all({ ...issues, ...options }),
      sortedBy,
      // It takes days, and excludes the day itself.
      before: (time) => ({ before: new Date(time).toISOString().slice(0, 10) }),
      step: DAY,
    }),
    sortedBy,
    records: (events) => ({ issue_state_changes: events.flatMap((event) => stateChange(event) ?? []) }),
  };
}

const DAY = 24 * 60 * 60 * 1000;

/** Undefined for other events of issues. */
function stateChange(event: JsonObject): Row<'issue_state_changes'> | undefined {
  const action = readText(event['action_name'], 'action_name');
  if (action !== 'closed' && action !== 'reopened') return undefined;
  return {
    number: readInteger(event['target_iid'], 'target_iid'),
    change_id: readId(event['id'], 'event.id'),
    state: action,
    actor: readTextOrNull(event['author_username'], 'author_username'),
    changed_at: readInstant(event['created_at'], 'event.created_at'),
  };
}

function numberOf(issue: JsonObject): number {
  return readInteger(issue['iid'], 'iid');
}

function loginOf(issue: JsonObject): string | null {
  return readTextOrNull(readObjectOrNull(issue['author'], 'author')?.['username'], 'author.username');
}
