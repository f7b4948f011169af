import { describe, expect, it } from 'vitest';
import type { SyncDependencies } from '../../src/sync/dependencies.js';
import type { SyncOptions } from '../../src/sync/options.js';
import { parseSyncRequest } from '../../src/sync/request.js';
import type { SyncSummary } from '../../src/sync/summary.js';
import {
  DONE,
  jiraIssue,
  jiraSite,
  startJiraDouble,
  transition,
  type JiraIssue,
  type StartedJira,
} from '../support/hosts/jira.js';
import { onlyId, sqliteUri, storedRows, sync, testDependencies, type Stored } from './harness.js';

function read(
  { url, token }: StartedJira,
  db: string,
  more: SyncOptions = {},
  dependencies: SyncDependencies = testDependencies(),
): Promise<SyncSummary> {
  const where = more.search === undefined ? { project: 'SHOP' } : {};
  return sync({ provider: 'jira', target: 'issues', db, jiraUrl: url, auth: token, ...where, ...more }, dependencies);
}

async function issuesIn(db: string, summary: SyncSummary): Promise<NonNullable<Stored[string]>> {
  return (await storedRows(db, onlyId(summary)))['issues'] ?? [];
}

const numbered = (count: number): JiraIssue[] =>
  Array.from({ length: count }, (_, index) => jiraIssue(`SHOP-${index + 1}`));

const kinds = [
  ['Cloud', true],
  ['Data Center', false],
] as const;

describe.each(kinds)('sync from Jira %s', (_kind, isCloud) => {
  it('stores a project as a repository, and its issues from small pages', async () => {
    const host = await startJiraDouble(jiraSite({ isCloud, issues: numbered(30) }));
    const db = sqliteUri();
    const summary = await read(host, db, { project: 'shop' });
    expect(summary.repositories[0]).toMatchObject({ name: 'SHOP', error: null });
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['repos']).toMatchObject([
      { repo: 'SHOP', url: `${host.url}/browse/SHOP`, source: 'jira', ref: null },
    ]);
    expect(stored['issues']?.map(({ number }) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(stored['issues']?.[0]).toMatchObject({
      ...{ title: 'Issue SHOP-1', body: null, kind: 'issue', state: 'open', author_name: 'Ada Lovelace', labels: [] },
      ...{ created_at: Date.parse('2026-01-01T10:00:00Z'), closed_at: null, severity: null, closing_requests: [] },
    });
  });

  it('stores when issues were closed and reopened, and why', async () => {
    const closed = { status: DONE, resolution: { name: "Won't Do" }, resolutiondate: '2026-01-09T00:00:00.000+0100' };
    const histories = [
      transition('13', '2026-01-09T00:00:00.000+0100', '2', '3'),
      transition('12', '2026-01-07T00:00:00.000+0000', '3', '2'),
      transition('11', '2026-01-05T00:00:00.000+0000', '1', '3'),
      transition('10', '2026-01-04T00:00:00.000+0000', '1', '2'),
      transition('9', '2026-01-04T00:00:00.000+0000', 'removed', '3'),
    ];
    const issues = [
      jiraIssue('SHOP-1', closed, { total: 5, histories }),
      jiraIssue('SHOP-2', { ...closed, resolution: { name: 'Duplicate' } }),
      jiraIssue('SHOP-3', { status: DONE, resolution: { name: 'Done' }, statuscategorychangedate: null }),
    ];
    const host = await startJiraDouble(jiraSite({ isCloud, issues }));
    const db = sqliteUri();
    const summary = await read(host, db);
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['issues']).toMatchObject([
      { state: 'closed', state_reason: 'not_planned', closed_at: Date.parse('2026-01-08T23:00:00Z') },
      { state: 'closed', state_reason: 'duplicate', closed_at: Date.parse('2026-01-08T23:00:00Z') },
      { state: 'closed', state_reason: 'completed', closed_at: Date.parse('2026-01-02T10:00:00Z') },
    ]);
    const changes = stored['issue_state_changes']?.filter(({ number }) => number === 1);
    expect(changes?.map(({ change_id, state, actor }) => [change_id, state, actor])).toEqual([
      ['11', 'closed', 'Grace Hopper'],
      ['12', 'reopened', 'Grace Hopper'],
      ['13', 'closed', 'Grace Hopper'],
      ['opened', 'opened', 'Ada Lovelace'],
    ]);
  });

  it('later reads only what has changed since, in the zone of the user', async () => {
    const issues = numbered(6);
    const host = await startJiraDouble(jiraSite({ isCloud, issues, timeZone: 'America/Los_Angeles' }));
    const db = sqliteUri();
    await read(host, db);
    issues[2] = jiraIssue('SHOP-3', { summary: 'Changed', updated: '2026-01-14T11:55:00.000+0000' });
    issues[3] = jiraIssue('SHOP-4', { summary: 'Too old', updated: '2026-01-14T11:49:00.000+0000' });
    host.requests.length = 0;
    const summary = await read(host, db);
    expect(summary.repositories[0]?.records.issues).toBe(1);
    expect((await issuesIn(db, summary))[2]).toMatchObject({ title: 'Changed' });
    const queries = host.requests.map(({ query }) => query.get('jql')).filter((jql) => jql !== null);
    expect(queries).toEqual(['project = "SHOP" AND updated >= "2026-01-14 03:50" ORDER BY key ASC']);
  });

  it('begins early enough for every zone if it does not know that of the user', async () => {
    const issues = numbered(1);
    const host = await startJiraDouble(jiraSite({ isCloud, issues }));
    host.fault = ({ path }) => (path.endsWith('/myself') ? { status: 200, body: {} } : undefined);
    const db = sqliteUri();
    await read(host, db);
    await read(host, db);
    expect(host.requests.at(-1)?.query.get('jql')).toContain('updated >= "2026-01-13 23:50"');
  });

  it('misses no issue when others are removed or updated while the list is read', async () => {
    const issues = numbered(12);
    const host = await startJiraDouble(jiraSite({ isCloud, issues }));
    let pages = 0;
    host.fault = ({ query }) => {
      if (query.get('jql')?.startsWith('project') !== true || (pages += 1) !== 2) return undefined;
      issues.splice(0, 2);
      issues.push(jiraIssue('SHOP-13'));
      return undefined;
    };
    const db = sqliteUri();
    const summary = await read(host, db);
    const stored = await issuesIn(db, summary);
    expect(stored.map(({ number }) => number)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
  });

  it('resumes where it was interrupted', async () => {
    const host = await startJiraDouble(jiraSite({ isCloud, issues: numbered(12) }));
    const db = sqliteUri();
    let pages = 0;
    host.fault = ({ query }) =>
      query.get('jql')?.startsWith('project') === true && (pages += 1) === 3 ? { status: 418, body: {} } : undefined;
    const interrupted = await read(host, db);
    expect(interrupted.repositories[0]).toMatchObject({ error: { code: 'unexpected_reply' } });
    host.fault = () => undefined;
    host.requests.length = 0;
    const summary = await read(host, db);
    expect(summary.repositories[0]?.error).toBeNull();
    const first = host.requests.find(({ query }) => query.get('jql')?.startsWith('project') === true)?.query;
    expect(Number(first?.get('nextPageToken') ?? first?.get('startAt'))).toBeGreaterThan(3);
    expect(await issuesIn(db, summary)).toHaveLength(12);
  });

  it('reads all pages though no reply says how many issues there are', async () => {
    const host = await startJiraDouble(jiraSite({ isCloud, countsIssues: false, issues: numbered(11) }));
    const db = sqliteUri();
    expect(await issuesIn(db, await read(host, db))).toHaveLength(11);
  });

  it('tries again when a reply ends in the middle or the site fails for a moment', async () => {
    const host = await startJiraDouble(jiraSite({ isCloud, issues: numbered(6) }));
    host.fault = (_request, number) =>
      number % 3 === 0 ? 'cut' : number % 3 === 1 ? { status: 503, body: '<html>' } : undefined;
    const db = sqliteUri();
    const summary = await read(host, db);
    expect(summary.repositories[0]?.error).toBeNull();
    expect(await issuesIn(db, summary)).toHaveLength(6);
  });

  it('stores what replies lack, and what removed users did', async () => {
    const bare = { created: '2026-01-01T10:00:00.000+0530', reporter: null, updated: undefined };
    const issues: JiraIssue[] = [{ key: 'SHOP-1', fields: bare }];
    const host = await startJiraDouble(jiraSite({ isCloud, issues }));
    const db = sqliteUri();
    const summary = await read(host, db);
    expect(summary.repositories[0]?.error).toBeNull();
    const created = Date.parse('2026-01-01T04:30:00Z');
    expect(await issuesIn(db, summary)).toMatchObject([
      {
        number: 1,
        title: 'SHOP-1',
        author_name: null,
        labels: [],
        state: 'open',
        created_at: created,
        updated_at: created,
      },
    ]);
  });

  it('reads the projects whose keys match a pattern', async () => {
    const projects = ['SHOP', 'OPS', 'SHIP', 'SHY'];
    const host = await startJiraDouble(jiraSite({ isCloud, projects }));
    const summary = await read(host, sqliteUri(), { search: 'SH* !SHY' });
    expect(summary.repositories.map(({ name, status }) => [name, status])).toEqual([
      ['SHIP', 'ok'],
      ['SHOP', 'ok'],
    ]);
    const none = read(host, sqliteUri(), { search: 'X*' });
    await expect(none).rejects.toMatchObject({ code: 'not_found' });
  });

  it('explains a project that vanishes while it is read', async () => {
    const site = jiraSite({ isCloud, issues: numbered(2) });
    const host = await startJiraDouble(site);
    host.fault = ({ path }) => {
      if (path.includes('/search')) site.projects.length = 0;
      return undefined;
    };
    const summary = await read(host, sqliteUri());
    expect(summary.repositories[0]?.error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('SHOP (400): it was removed'),
    });
  });

  it.each([
    ['a wrong token', { status: 401, body: {} }, 'unauthorized', /wrong, expired or revoked.*email:token/],
    ['a user who must sign in with a browser', { status: 403, body: '<html>' }, 'unauthorized', /403.*sign in/],
    [
      'a project that the user may not browse, with the reason of the site',
      { status: 403, body: { errorMessages: ['You cannot browse SHOP.'], errors: {} } },
      'unauthorized',
      /\(403\): You cannot browse SHOP\./,
    ],
    ['an empty reply', { status: 204, body: '' }, 'unexpected_reply', /not JSON/],
    ['a reply of another shape', { status: 200, body: [] }, 'unexpected_reply', /object/],
    ['a project that the token may not browse', { status: 404, body: {} }, 'not_found', /private project looks/],
    ['a limit of requests', { status: 429, headers: { 'retry-after': '1' }, body: {} }, 'rate_limited', /limiting/],
    ['a page to sign in', { status: 200, body: '<html>Log in</html>' }, 'unexpected_reply', /not JSON/],
    ['a failure', { status: 503, body: '<html>' }, 'host_unavailable', /after 5 tries: status 503/],
  ])('explains %s', async (_what, fault, code, message) => {
    const host = await startJiraDouble(jiraSite({ isCloud }));
    host.fault = () => fault;
    const summary = await read(host, sqliteUri());
    expect(summary.repositories[0]?.error).toEqual({ code, message: expect.stringMatching(message) });
    expect(JSON.stringify(summary)).not.toContain(host.token);
  });

  it('waits as long as a limit of requests asks for', async () => {
    const host = await startJiraDouble(jiraSite({ isCloud, issues: numbered(2) }));
    host.fault = (_request, number) =>
      number === 5 ? { status: 429, headers: { 'retry-after': '17' }, body: '' } : undefined;
    const dependencies = testDependencies();
    const summary = await read(host, sqliteUri(), {}, dependencies);
    expect(summary.repositories[0]?.error).toBeNull();
    expect(dependencies.slept).toContain(17_000);
  });
});

describe('types of issues in Jira', () => {
  it('are issues, tasks below them, incidents with a severity, and epics above them', async () => {
    const type = (name: string, hierarchyLevel: number): Readonly<Record<string, unknown>> => ({
      issuetype: { name, hierarchyLevel },
    });
    const issues = [
      jiraIssue('SHOP-1', type('Bug', 0)),
      jiraIssue('SHOP-2', type('Sub-task', -1)),
      jiraIssue('SHOP-3', { ...type('[System] Incident', 0), priority: { name: 'Highest' } }),
      jiraIssue('SHOP-4', { ...type('Task', 0), labels: ['Incident'], priority: null }),
      jiraIssue('SHOP-5', type('Epic', 1)),
      jiraIssue('SHOP-6', type('Theme', 3)),
    ];
    const host = await startJiraDouble(jiraSite({ issues }));
    const db = sqliteUri();
    const stored = await issuesIn(db, await read(host, db));
    expect(stored.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['issue', null],
      ['task', null],
      ['incident', 'critical'],
      ['incident', null],
      ['epic', null],
      ['epic', null],
    ]);
  });
});

describe('epics of Jira', () => {
  const plan = (row: Stored[string][number] | undefined): unknown[] => [
    ...[row?.['epic_key'], row?.['epic'], row?.['initiative_key'], row?.['initiative']],
  ];

  it('are the issues above an issue in Cloud, also in another project', async () => {
    const epic = { issuetype: { name: 'Epic', hierarchyLevel: 1 } };
    const issues = [
      jiraIssue('SHOP-1', { parent: { key: 'SHOP-2' }, issuetype: { name: 'Sub-task', hierarchyLevel: -1 } }),
      jiraIssue('SHOP-2', { parent: { key: 'PLAN-7' } }),
      jiraIssue('SHOP-3'),
      jiraIssue('SHOP-4', { parent: { key: 'PLAN-9' } }),
      jiraIssue('PLAN-7', { ...epic, summary: 'Checkout', parent: { key: 'PLAN-1' } }),
      jiraIssue('PLAN-1', { issuetype: { name: 'Initiative', hierarchyLevel: 2 }, summary: 'Growth' }),
      jiraIssue('PLAN-9', { ...epic, summary: 'Secret' }),
    ];
    const host = await startJiraDouble(jiraSite({ projects: ['SHOP'], issues, hidden: new Set(['PLAN-9']) }));
    const db = sqliteUri();
    const summary = await read(host, db);
    expect(summary.repositories[0]?.error).toBeNull();
    const stored = await issuesIn(db, summary);
    expect(stored.map(plan)).toEqual([
      ['PLAN-7', 'Checkout', 'PLAN-1', 'Growth'],
      ['PLAN-7', 'Checkout', 'PLAN-1', 'Growth'],
      ['', '', '', ''],
      [null, null, null, null],
    ]);
  });

  it('are in a custom field in Data Center', async () => {
    const issues = [
      jiraIssue('SHOP-1', { customfield_10014: 'SHOP-3', issuetype: { name: 'Story', subtask: false } }),
      jiraIssue('SHOP-2', { parent: { key: 'SHOP-1' }, issuetype: { name: 'Sub-task', subtask: true } }),
      jiraIssue('SHOP-3', { issuetype: { name: 'Epic', subtask: false }, summary: 'Checkout' }),
    ];
    const host = await startJiraDouble(jiraSite({ isCloud: false, issues }));
    const db = sqliteUri();
    const stored = await issuesIn(db, await read(host, db));
    expect(stored.map(plan)).toEqual([
      ['SHOP-3', 'Checkout', '', ''],
      ['SHOP-3', 'Checkout', '', ''],
      ['', '', '', ''],
    ]);
  });
});

describe('pages of Jira Cloud', () => {
  it('are read from the first again if the token of an interrupted sync has expired', async () => {
    const host = await startJiraDouble(jiraSite({ issues: numbered(6) }));
    const db = sqliteUri();
    const replies = ['first', 'second'];
    host.fault = ({ query }) => {
      if (query.get('jql')?.startsWith('project') !== true) return undefined;
      return replies.shift() === 'first'
        ? { status: 200, body: { issues: numbered(1), isLast: false, nextPageToken: 'expired-soon' } }
        : { status: 418, body: {} };
    };
    await read(host, db);
    host.fault = () => undefined;
    const summary = await read(host, db);
    expect(summary.repositories[0]?.error).toBeNull();
    expect(await issuesIn(db, summary)).toHaveLength(6);
  });

  it('end with an error if the site gives the same one again and again', async () => {
    const host = await startJiraDouble(jiraSite({ issues: numbered(2) }));
    host.fault = ({ query }) =>
      query.get('jql')?.startsWith('project') === true
        ? { status: 200, body: { issues: numbered(1), nextPageToken: '1' } }
        : undefined;
    const summary = await read(host, sqliteUri());
    expect(summary.repositories[0]?.error).toMatchObject({ code: 'unexpected_reply' });
  });
});

describe('the options of Jira', () => {
  it('are an address, and a project or a pattern; it has issues only', () => {
    const parsed = parseSyncRequest({ provider: 'jira', target: 'git', db: 'sqlite:x', project: 'SHOP" OR 1' }, {});
    expect(parsed).toEqual({
      ok: false,
      problems: [
        '--provider jira has no git: it has issues',
        'jira needs the address of its site: set --jira-url',
        '--project is not the key of a project: "SHOP\\" OR 1"',
      ],
    });
  });
});
