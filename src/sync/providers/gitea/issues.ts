/**
 * `sync issues` from Gitea. The list is sorted by creation and can begin at a time of update: each sync reads what has
 * changed since the one before. The timeline of an issue tells when it was closed and reopened, and by which requests.
 */
import { UNKNOWN_EPIC, type JsonValue, type Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import { mapInOrder } from '../map-in-order.js';
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
import { labelName } from './pull-requests.js';
import { loginIn, type GiteaRepository } from './repository.js';

/** Issues whose timelines are read at once. */
const AT_ONCE = 4;

/** Changes while the list is read are read again by the next sync, also if the clock of the server is behind. */
const OVERLAP = 10 * 60 * 1000;

interface Position {
  /** What has changed since then is read; null: everything. In epoch milliseconds. */
  readonly since: number | null;
  /** The page to read next, and where the next complete sync begins. */
  readonly page: number;
  readonly next: number;
}

export async function* issuePages(
  repository: GiteaRepository,
  { since, until = Infinity }: TimeWindow,
  now: () => number,
  start: Start,
): AsyncGenerator<Page> {
  let position = beginning(start, since ?? null, now() - OVERLAP);
  for (let more = true; more;) {
    const { items, hasNext } = await repository.client.list(`${repository.path}/issues`, position.page, {
      query: {
        state: 'all',
        type: 'issues',
        ...(position.since === null ? {} : { since: new Date(position.since).toISOString() }),
      },
    });
    const issues: Row<'issues'>[] = [];
    const changes: Row<'issue_state_changes'>[] = [];
    const wanted = items.filter((issue) => readInstant(issue['updated_at'], 'updated_at') < until);
    for await (const read of mapInOrder(wanted, AT_ONCE, (issue) => issueRecords(repository, issue))) {
      issues.push(read.issue);
      changes.push(...read.changes);
    }
    more = hasNext;
    position = hasNext ? { ...position, page: position.page + 1 } : { since: position.next, page: 1, next: 0 };
    yield {
      records: { issues, issue_state_changes: changes },
      // Interfaces have no index signature, which a JsonValue needs.
      position: { ...position },
      done: !more,
    };
  }
}

function beginning(start: Start, since: number | null, next: number): Position {
  const value: JsonValue = start?.position ?? null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { since, page: 1, next };
  const { since: earlier, page, next: earlierNext } = value as Readonly<Record<string, JsonValue | undefined>>;
  const from = typeof earlier === 'number' ? earlier : since;
  if (start?.done === true || typeof page !== 'number' || typeof earlierNext !== 'number')
    return { since: from, page: 1, next };
  return { since: from, page, next: earlierNext };
}

interface IssueRecords {
  readonly issue: Row<'issues'>;
  readonly changes: readonly Row<'issue_state_changes'>[];
}

async function issueRecords(repository: GiteaRepository, issue: JsonObject): Promise<IssueRecords> {
  const number = readInteger(issue['number'], 'number');
  const timeline = await timelineOf(repository, number);
  const opened: Row<'issue_state_changes'> = {
    number,
    change_id: 'opened',
    state: 'opened',
    actor: loginIn(issue, 'user'),
    changed_at: readInstant(issue['created_at'], 'created_at'),
  };
  const later = timeline
    .filter(({ type }) => type === 'close' || type === 'reopen')
    .map((event): Row<'issue_state_changes'> => ({
      number,
      change_id: readId(event['id'], 'event.id'),
      state: event['type'] === 'close' ? 'closed' : 'reopened',
      actor: loginIn(event, 'user'),
      changed_at: readInstant(event['created_at'], 'event.created_at'),
    }));
  return { issue: issueRow(issue, closingRequests(timeline, repository)), changes: [opened, ...later] };
}

/** Pages of a timeline have fewer entries than were asked for, where the token may not see some: only an empty one is the last. */
async function timelineOf({ client, path }: GiteaRepository, number: number): Promise<readonly JsonObject[]> {
  const events: JsonObject[] = [];
  for (let page = 1; ; page += 1) {
    const { items } = await client.list(`${path}/issues/${number}/timeline`, page);
    if (items.length === 0) return events;
    events.push(...items);
  }
}

/** Requests of this repository that closed the issue, or are to close it: not those that were closed without a merge. */
function closingRequests(timeline: readonly JsonObject[], { fullName }: GiteaRepository): readonly number[] {
  const numbers = timeline
    .filter((event) => event['ref_action'] === 'closes')
    .flatMap((event) => {
      const referring = readObjectOrNull(event['ref_issue'], 'ref_issue');
      const request = readObjectOrNull(referring?.['pull_request'], 'ref_issue.pull_request');
      const repository = readObjectOrNull(referring?.['repository'], 'ref_issue.repository');
      const name = readTextOrNull(repository?.['full_name'], 'full_name');
      const isDropped = request?.['merged'] !== true && referring?.['state'] !== 'open';
      if (referring === null || request === null || isDropped || name !== fullName) return [];
      return [readInteger(referring['number'], 'ref_issue.number')];
    });
  return [...new Set(numbers)].sort((one, other) => one - other);
}

/** Gitea has no epics. */
function issueRow(issue: JsonObject, closing: readonly number[]): Row<'issues'> {
  const isClosed = readText(issue['state'], 'state') === 'closed';
  const labels = readList(issue['labels'] ?? [], 'labels').map(labelName);
  return {
    ...UNKNOWN_EPIC,
    number: readInteger(issue['number'], 'number'),
    title: readText(issue['title'], 'title'),
    body: readTextOrNull(issue['body'], 'body') || null,
    kind: labels.some((label) => label.toLowerCase() === 'incident') ? 'incident' : 'issue',
    state: isClosed ? 'closed' : 'open',
    state_reason: null,
    author_name: loginIn(issue, 'user'),
    labels,
    severity: null,
    created_at: readInstant(issue['created_at'], 'created_at'),
    updated_at: readInstant(issue['updated_at'], 'updated_at'),
    closed_at: isClosed ? readInstantOrNull(issue['closed_at'], 'closed_at') : null,
    closing_requests: closing,
  };
}
