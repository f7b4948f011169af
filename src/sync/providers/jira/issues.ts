/**
 * `sync issues` from Jira. Each sync reads what has changed since shortly before the last one, in the order of the keys:
 * an update in the meantime does not move an issue to another page.
 */
import { SyncError } from '../../failures.js';
import { UNKNOWN_EPIC, type JsonValue, type Row } from '../../records.js';
import type { TimeWindow } from '../../time-window.js';
import type { Page, Start } from '../provider.js';
import {
  readId,
  readIntegerOrNull,
  readList,
  readObject,
  readObjectOrNull,
  readText,
  readTextOrNull,
  type JsonObject,
} from '../read.js';
import { EpicReader, levelOf, type Plan } from './epics.js';
import {
  fieldsOf,
  nameIn,
  partsOfKey,
  personIn,
  readJiraTime,
  readJiraTimeOrNull,
  type JiraProject,
} from './project.js';
import { changedSince, inProject } from './query.js';

const PER_PAGE = 100;

/**
 * A removed issue moves the issues behind it: pages of Data Center share as many as this, or half of a smaller page, so
 * that none is missed.
 */
const SHARED = 10;

/** Changes while the list is read are read again by the next sync, also if the clock of the site is behind. */
const OVERLAP = 10 * 60 * 1000;

interface Position {
  /** What has changed since then is read; null: everything. In epoch milliseconds. */
  readonly since: number | null;
  /** The page to read next: a token in Cloud, and the number of its first issue in Data Center. Null: the first. */
  readonly page: string | null;
  /** Where the next complete sync begins. */
  readonly next: number;
}

export async function* issuePages(
  project: JiraProject,
  { since, until = Infinity }: TimeWindow,
  now: () => number,
  start: Start,
): AsyncGenerator<Page> {
  const epics = new EpicReader(project);
  let position = beginning(start, since ?? null, now() - OVERLAP);
  let isResumed = position.page !== null;
  for (let more = true; more;) {
    let listed: ListedIssues;
    try {
      listed = await issuesAt(project, position);
    } catch (error) {
      // Tokens of pages expire.
      if (!isResumed || !(error instanceof SyncError) || error.status !== 400) throw explained(error, project);
      position = { ...position, page: null };
      listed = await issuesAt(project, position);
    }
    isResumed = false;
    const wanted = listed.issues.filter((issue) => updatedAt(issue) < until);
    const plans = await epics.plansOf(wanted);
    more = listed.next !== null;
    position = more ? { ...position, page: listed.next } : { since: position.next, page: null, next: 0 };
    yield {
      records: {
        issues: wanted.map((issue, index) => issueRow(project, issue, plans[index] ?? UNKNOWN_EPIC)),
        issue_state_changes: wanted.flatMap((issue) => stateChanges(project, issue)),
      },
      // Interfaces have no index signature, which a JsonValue needs.
      position: { ...position },
      done: !more,
    };
  }
}

function beginning(start: Start, since: number | null, next: number): Position {
  const value: JsonValue = start?.position ?? null;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { since, page: null, next };
  const { since: earlier, page, next: earlierNext } = value as Readonly<Record<string, JsonValue | undefined>>;
  const from = typeof earlier === 'number' ? earlier : since;
  if (start?.done === true || typeof page !== 'string' || typeof earlierNext !== 'number')
    return { since: from, page: null, next };
  return { since: from, page, next: earlierNext };
}

interface ListedIssues {
  readonly issues: readonly JsonObject[];
  /** The next page; null: this is the last one. */
  readonly next: string | null;
}

const FIELDS =
  'summary,description,issuetype,status,resolution,resolutiondate,statuscategorychangedate,created,updated,reporter,' +
  'labels,priority,parent';

async function issuesAt(project: JiraProject, { since, page }: Position): Promise<ListedIssues> {
  const { client, isCloud, epicLink, key } = project;
  const updated = since === null ? '' : ` AND ${changedSince(since, project)}`;
  const query = {
    jql: `${inProject(key)}${updated} ORDER BY key ASC`,
    fields: epicLink === null ? FIELDS : `${FIELDS},${epicLink}`,
    expand: 'changelog',
    maxResults: String(PER_PAGE),
  };
  if (isCloud) {
    const token = page === null ? {} : { nextPageToken: page };
    const reply = readObject(await client.get('/search/jql', { ...query, ...token }), 'reply');
    const next = readTextOrNull(reply['nextPageToken'], 'nextPageToken');
    if (next !== null && next === page) {
      throw new SyncError('unexpected_reply', 'jira gave the same page of issues again and again.');
    }
    return { issues: issuesOf(reply, key), next: reply['isLast'] === true ? null : next };
  }
  const first = Number(page ?? 0);
  const reply = readObject(await client.get('/search', { ...query, startAt: String(first) }), 'reply');
  const count = readList(reply['issues'], 'issues').length;
  const end = first + count;
  const isLast = count === 0 || end >= (readIntegerOrNull(reply['total'], 'total') ?? Infinity);
  // Administrators can limit pages.
  const shared = Math.min(SHARED, Math.floor(count / 2));
  return { issues: issuesOf(reply, key), next: isLast ? null : String(end - shared) };
}

/** The issues of a reply, each once. An index that lags behind lists some that are now in another project. */
function issuesOf(reply: JsonObject, project: string): readonly JsonObject[] {
  const byKey = new Map<string, JsonObject>();
  for (const item of readList(reply['issues'], 'issues')) {
    const issue = readObject(item, 'issue');
    const key = readText(issue['key'], 'key');
    if (partsOfKey(key)?.project === project) byKey.set(key, issue);
  }
  return [...byKey.values()];
}

/** The only parts of the query that can be wrong are the project and the fields. */
function explained(error: unknown, { key }: JiraProject): unknown {
  if (!(error instanceof SyncError) || error.status !== 400) return error;
  const message = `jira refused to search in the project ${key} (400): it was removed, or the token may not browse it any more.`;
  return new SyncError('not_found', message, { cause: error });
}

function updatedAt(issue: JsonObject): number {
  const fields = fieldsOf(issue);
  return readJiraTimeOrNull(fields['updated'], 'updated') ?? createdAt(fields);
}

function createdAt(fields: JsonObject): number {
  return readJiraTime(fields['created'], 'created');
}

function numberIn(issue: JsonObject): number {
  const key = readText(issue['key'], 'key');
  const number = partsOfKey(key)?.number;
  if (number === undefined) throw new SyncError('unexpected_reply', `jira gave a key without a number: ${key}`);
  return number;
}

function issueRow(project: JiraProject, issue: JsonObject, plan: Plan): Row<'issues'> {
  const fields = fieldsOf(issue);
  const isClosed = isDone(fields);
  const kind = kindOf(fields);
  return {
    number: numberIn(issue),
    title: readTextOrNull(fields['summary'], 'summary') || readText(issue['key'], 'key'),
    body: typeof fields['description'] === 'string' ? readText(fields['description'], 'description') || null : null,
    kind,
    state: isClosed ? 'closed' : 'open',
    state_reason: isClosed ? reasonOf(nameIn(fields, 'resolution')) : null,
    author_name: personIn(fields, 'reporter'),
    labels: readList(fields['labels'] ?? [], 'labels').map((label) => readText(label, 'label')),
    severity: kind === 'incident' ? severityOf(nameIn(fields, 'priority')) : null,
    created_at: createdAt(fields),
    updated_at: updatedAt(issue),
    closed_at: isClosed ? closedAt(project, issue) : null,
    // Nothing closes an issue by naming its key.
    closing_requests: [],
    ...plan,
  };
}

function isDone(fields: JsonObject): boolean {
  const status = readObjectOrNull(fields['status'], 'status');
  return readObjectOrNull(status?.['statusCategory'], 'statusCategory')?.['key'] === 'done';
}

/** Types have the names that each site gives them. What is above stories plans work, and is none itself. */
function kindOf(fields: JsonObject): string {
  const type = readObjectOrNull(fields['issuetype'], 'issuetype');
  const level = levelOf(type);
  if (level > 0) return 'epic';
  const labels = readList(fields['labels'] ?? [], 'labels');
  const isIncident =
    /\bincident\b/i.test(readTextOrNull(type?.['name'], 'issuetype.name') ?? '') ||
    labels.some((label) => typeof label === 'string' && label.toLowerCase() === 'incident');
  return isIncident ? 'incident' : level < 0 ? 'task' : 'issue';
}

/** Resolutions have the names that each site gives them; these are usual ones. */
function reasonOf(resolution: string | null): string | null {
  if (resolution === null) return null;
  if (/duplicate/i.test(resolution)) return 'duplicate';
  if (
    /^(won.?t|will not|cannot|can.?t|declined|rejected|cancel|abandoned|invalid|not a bug|known|incomplete|obsolete)/i.test(
      resolution,
    )
  )
    return 'not_planned';
  return /^(done|fixed|resolved|complete|completed|implemented)$/i.test(resolution) ? 'completed' : null;
}

/** The severity of an incident by the name that host_b has for it. */
function severityOf(priority: string | null): string | null {
  const found = SEVERITIES.find(([names]) => names.test(priority ?? ''));
  return found?.[1] ?? null;
}

const SEVERITIES: readonly (readonly [RegExp, string])[] = [
  [/^(highest|blocker|critical|p1)$/i, 'critical'],
  [/^(high|major|p2)$/i, 'high'],
  [/^(medium|normal|p3)$/i, 'medium'],
  [/^(low|lowest|minor|trivial|p4|p5)$/i, 'low'],
];

/** The time of the last change to a status in which it is done, or else what the fields say of it. */
function closedAt(project: JiraProject, issue: JsonObject): number {
  const fields = fieldsOf(issue);
  const closed = stateChanges(project, issue).findLast(({ state }) => state === 'closed')?.changed_at;
  return (
    closed ??
    readJiraTimeOrNull(fields['resolutiondate'], 'resolutiondate') ??
    readJiraTimeOrNull(fields['statuscategorychangedate'], 'statuscategorychangedate') ??
    updatedAt(issue)
  );
}

/** The changes between statuses in which an issue is done, and others. Cloud names the latest hundred changes of an issue. */
function stateChanges({ isDone: done }: JiraProject, issue: JsonObject): readonly Row<'issue_state_changes'>[] {
  const number = numberIn(issue);
  const fields = fieldsOf(issue);
  const opened: Row<'issue_state_changes'> = {
    number,
    change_id: 'opened',
    state: 'opened',
    actor: personIn(fields, 'reporter'),
    changed_at: createdAt(fields),
  };
  const log = readObjectOrNull(issue['changelog'], 'changelog');
  const later = readList(log?.['histories'] ?? [], 'histories').flatMap((item): Row<'issue_state_changes'>[] => {
    const history = readObject(item, 'history');
    const change = readList(history['items'] ?? [], 'items')
      .map((each) => readObject(each, 'item'))
      .find(({ field }) => field === 'status');
    const [from, to] = [done.get(String(change?.['from'])), done.get(String(change?.['to']))];
    // A status that was removed since is not in the list.
    if (from === undefined || to === undefined || from === to) return [];
    return [
      {
        number,
        change_id: readId(history['id'], 'history.id'),
        state: to ? 'closed' : 'reopened',
        actor: personIn(history, 'author'),
        changed_at: readJiraTime(history['created'], 'history.created'),
      },
    ];
  });
  return [opened, ...later.sort((one, other) => one.changed_at - other.changed_at)];
}
