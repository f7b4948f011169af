/** A double of Jira: the part of version 2 of its API that a sync reads, of Cloud or Data Center, with its quirks. */
import { startHost, type Host, type HostReply, type HostRequest } from './server.js';

export interface JiraIssue {
  readonly key: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly changelog?: object;
}

export interface JiraDouble {
  readonly isCloud: boolean;
  /** Keys of the projects that the token may browse. */
  readonly projects: string[];
  readonly issues: JiraIssue[];
  /** Keys of the issues that the token may not see. */
  readonly hidden: Set<string>;
  /** Whether Data Center says how many issues a query has. Cloud never does. */
  readonly countsIssues: boolean;
  /** The zone of the user, in which the times of queries are. */
  timeZone: string;
}

export interface StartedJira extends Host {
  readonly token: string;
  readonly site: JiraDouble;
}

/** A site allows this many issues on a page, whatever is asked for. */
const MOST = 4;
const EPIC_LINK = 'customfield_10014';

const TOKENS = { cloud: 'ada@example.com:cloud-token-of-the-test', own: 'personal-token-of-the-test' } as const;

export const TO_DO = { id: '1', name: 'To Do', statusCategory: { key: 'new' } };
export const DONE = { id: '3', name: 'Done', statusCategory: { key: 'done' } };

/** An issue as Cloud describes it; `fields` replace its fields. */
export function jiraIssue(key: string, fields: Readonly<Record<string, unknown>> = {}, changelog?: object): JiraIssue {
  return {
    key,
    fields: {
      ...{ summary: `Issue ${key}`, description: null, status: TO_DO, resolution: null, resolutiondate: null },
      ...{ issuetype: { name: 'Story', subtask: false, hierarchyLevel: 0 }, priority: { name: 'Medium' }, labels: [] },
      ...{ created: '2026-01-01T10:00:00.000+0000', updated: '2026-01-02T10:00:00.000+0000' },
      ...{ reporter: { accountId: 'a1', displayName: 'Ada Lovelace' } },
      ...fields,
    },
    ...(changelog === undefined ? {} : { changelog }),
  };
}

/** An entry of a changelog: from one status to another. */
export function transition(id: string, created: string, from: string, to: string): object {
  const rank = { field: 'Rank', from: '', to: '' };
  return { id, created, author: { displayName: 'Grace Hopper' }, items: [rank, { field: 'status', from, to }] };
}

export function jiraSite(parts: Partial<JiraDouble> = {}): JiraDouble {
  return {
    isCloud: true,
    projects: ['SHOP'],
    issues: [],
    hidden: new Set(),
    timeZone: 'Etc/UTC',
    countsIssues: true,
    ...parts,
  };
}

/** Starts a site. It ends with the test. */
export async function startJiraDouble(site: JiraDouble): Promise<StartedJira> {
  const token = site.isCloud ? TOKENS.cloud : TOKENS.own;
  const accepted = site.isCloud ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`;
  const host = await startHost((request) => {
    const path = request.path.replace(/^\/rest\/api\/2/, '');
    // Anyone may ask which kind of site this is.
    if (path === '/serverInfo') return found({ deploymentType: site.isCloud ? 'Cloud' : 'Server', version: '10.3.0' });
    if (request.headers.authorization !== accepted) return failed(401, 'Client must be authenticated');
    return answer(site, path, request);
  });
  return Object.assign(host, { token, site });
}

function answer(site: JiraDouble, path: string, request: HostRequest): HostReply {
  const [, kind = '', part = ''] = path.split('/');
  const { query } = request;
  switch (kind) {
    case 'myself':
      return found({ displayName: 'Ada Lovelace', timeZone: site.timeZone });
    case 'status':
      return found([TO_DO, { id: '2', name: 'Doing', statusCategory: { key: 'indeterminate' } }, DONE]);
    case 'field':
      return found([
        { id: 'summary', custom: false },
        { id: EPIC_LINK, schema: { custom: 'com.pyxis.greenhopper.jira:gh-epic-link' } },
      ]);
    case 'project':
      return part === '' ? found(site.projects.map(described)) : projectReply(site, part, query);
    case 'search':
      return site.isCloud === (part === 'jql')
        ? search(site, query)
        : failed(410, 'The requested API has been removed.');
    case 'issue': {
      const issue = visible(site).find(({ key }) => key === part);
      return issue === undefined ? failed(404, 'Issue does not exist') : found(issue);
    }
    default:
      return failed(404, 'null for uri');
  }
}

function described(key: string): object {
  return { id: '10000', key, name: `Project ${key}`, isPrivate: true };
}

function projectReply(site: JiraDouble, part: string, query: URLSearchParams): HostReply {
  if (part === 'search' && site.isCloud) {
    const start = Number(query.get('startAt'));
    const values = site.projects.slice(start, start + 2).map(described);
    return found({ values, total: site.projects.length, isLast: start + 2 >= site.projects.length });
  }
  const key = part.toUpperCase();
  return site.projects.includes(key) ? found(described(key)) : failed(404, `No project with key '${part}'.`);
}

function visible({ issues, hidden }: JiraDouble): readonly JiraIssue[] {
  return issues.filter(({ key }) => !hidden.has(key));
}

/** The queries of a sync. Data Center numbers issues of a page, Cloud has a token, which names the next key here. */
function search(site: JiraDouble, query: URLSearchParams): HostReply {
  const jql = query.get('jql') ?? '';
  const keys = /^key in \((.*)\)$/.exec(jql)?.[1]?.split(',');
  const listed = visible(site).toSorted((one, other) => numberOf(one) - numberOf(other));
  if (keys !== undefined) {
    const missing = keys.find((key) => !listed.some((issue) => issue.key === key));
    if (missing !== undefined) return failed(400, `An issue with key '${missing}' does not exist for field 'key'.`);
    return found(
      paged(
        site,
        listed.filter(({ key }) => keys.includes(key)),
        0,
        keys.length,
      ),
    );
  }
  const [, project = '', since] =
    /^project = "([A-Z0-9_]+)"(?: AND updated >= "(\d{4}-\d\d-\d\d \d\d:\d\d)")? ORDER BY key ASC$/.exec(jql) ?? [];
  if (!site.projects.includes(project))
    return failed(400, `The value '${project}' does not exist for the field 'project'.`);
  const matching = listed.filter(
    ({ key, fields }) =>
      key.startsWith(`${project}-`) &&
      (since === undefined || localMinute(site.timeZone, String(fields['updated'])) >= since),
  );
  const token = query.get('nextPageToken');
  if (token?.startsWith('expired') === true) return failed(400, 'The provided next page token is invalid or expired.');
  const start = site.isCloud
    ? matching.filter((issue) => numberOf(issue) < Number(token ?? 0)).length
    : Number(query.get('startAt'));
  return found(paged(site, matching, start, Number(query.get('maxResults'))));
}

function paged(site: JiraDouble, all: readonly JiraIssue[], start: number, size: number): object {
  const issues = all.slice(start, start + Math.min(size, MOST));
  const total = site.countsIssues ? { total: all.length } : {};
  if (!site.isCloud) return { startAt: start, maxResults: MOST, ...total, issues };
  const next = all[start + issues.length];
  // Cloud does not count.
  return next === undefined
    ? { issues, isLast: true }
    : { issues, isLast: false, nextPageToken: String(numberOf(next)) };
}

function numberOf({ key }: JiraIssue): number {
  return Number(key.slice(key.lastIndexOf('-') + 1));
}

/** The time in the zone of the user, as queries write it. */
function localMinute(timeZone: string, time: string): string {
  const instant = new Date(time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return instant.toLocaleString('sv-SE', { timeZone }).slice(0, 16);
}

function found(body: object): HostReply {
  return { status: 200, body };
}

function failed(status: number, message: string): HostReply {
  return { status, body: { errorMessages: [message], errors: {} } };
}
