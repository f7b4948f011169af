/** `sync issues`: the same issues from both hosts, and the requests that close them. */
import { describe, expect, it } from 'vitest';
import { describeUnits } from '../../src/sync/work-units/describe-units.js';
import { openDerivationResources } from '../../src/sync/work-units/derivation/resources.js';
import { hostARepository } from '../support/hosts/host-a.js';
import { hostBProject, startHostB, type HostB } from '../support/hosts/host-b.js';
import {
  noted,
  NOW,
  onlyId,
  openDatabase,
  sqliteUri,
  storedRows,
  sync,
  temporaryDirectory,
  testDependencies,
} from './harness.js';
import { commits, host, options as optionsOfA, pullRequest } from './host-a-fixture.js';
import { unitsIn } from './work-units/stored-units.js';

type Json = Record<string, unknown>;

const at = (hours: number): string => new Date(NOW - hours * 3_600_000).toISOString();
const time = (hours: number): number => NOW - hours * 3_600_000;

/** What closes each issue, by numbers, as the API tells it. */
async function closersIn(db: string, repoId: string, issues: readonly number[]): Promise<Record<number, string[]>> {
  const sink = await openDatabase(db);
  const resources = await openDerivationResources(sink, { orgId: 'default', rulesFile: undefined }, testDependencies());
  if (resources === undefined) throw new Error('The database has no units');
  try {
    const described = await describeUnits(
      resources,
      issues.map((number) => `${repoId}:issue:${number}`),
    );
    return Object.fromEntries(
      issues.map((number) => [
        number,
        (described.get(`${repoId}:issue:${number}`)?.closedBy ?? []).map((id) => id.slice(repoId.length + 1)),
      ]),
    );
  } finally {
    await resources.close();
  }
}

async function epicsIn(db: string, repoId: string): Promise<readonly (readonly unknown[])[]> {
  const { issues = [] } = await storedRows(db, repoId);
  return issues.map((row) => ['number', 'epic_key', 'epic', 'initiative_key', 'initiative'].map((name) => row[name]));
}

describe('issues of host_a', () => {
  const request = (number: number, state: string, nameWithOwner = 'acme/widgets'): Json => ({
    __typename: 'PullRequest',
    number,
    state,
    repository: { nameWithOwner },
  });
  const issue = (number: number, changes: Json = {}): Json => ({
    number,
    title: `Issue ${number}`,
    body: '',
    state: 'OPEN',
    stateReason: null,
    createdAt: at(100),
    updatedAt: at(number),
    closedAt: null,
    author: { login: 'ada' },
    labels: { nodes: [{ name: 'bug' }] },
    closedByPullRequestsReferences: { nodes: [] },
    timelineItems: { nodes: [] },
    ...changes,
  });
  const event = (type: string, id: string, hours: number, changes: Json = {}): Json => ({
    __typename: type,
    id,
    createdAt: at(hours),
    actor: { login: 'grace' },
    ...changes,
  });
  const closed = { state: 'CLOSED', stateReason: 'COMPLETED' };
  const above = (number: number, title: string, parent: Json | null = null, nameWithOwner = 'acme/widgets'): Json => ({
    ...{ number, title, parent, repository: { nameWithOwner } },
  });

  it('have their parent as epic, and the topmost one as initiative, where the host knows sub-issues', async () => {
    const growth = above(3, 'Growth', null, 'acme/plans');
    const checkout = { title: 'Checkout', subIssuesSummary: { total: 2 }, parent: above(2, 'Shop', growth) };
    const issueNodes = [
      issue(10, { parent: above(11, 'Checkout', above(2, 'Shop', growth)) }),
      issue(11, checkout),
      issue(12),
      issue(13, { parent: growth }),
    ];
    const started = await host(hostARepository('acme/widgets', { issueNodes }));
    const db = sqliteUri();
    const repoId = onlyId(await sync(optionsOfA(started, db, { target: 'issues' })));
    expect(await epicsIn(db, repoId)).toEqual([
      [10, '#11', 'Checkout', 'acme/plans#3', 'Growth'],
      [11, '#11', 'Checkout', 'acme/plans#3', 'Growth'],
      [12, '', '', '', ''],
      [13, 'acme/plans#3', 'Growth', '', ''],
    ]);
    expect((await unitsIn(db, repoId)).map(({ epic, initiative }) => [epic, initiative])).toEqual([
      ['Checkout', 'Growth'],
      ['Checkout', 'Growth'],
      ['unplanned', 'unplanned'],
      ['Growth', undefined],
    ]);
  });

  it('have no epics on a host that does not know sub-issues', async () => {
    const issueNodes = Array.from({ length: 60 }, (_, index) => issue(index + 1, { updatedAt: at(index) }));
    const started = await host(hostARepository('acme/widgets', { issueNodes }));
    started.hasSubIssues = false;
    const db = sqliteUri();
    const summary = await sync(optionsOfA(started, db, { target: 'issues' }));
    expect(summary.repositories[0]).toMatchObject({ error: null, records: { issues: 60 } });
    expect((await epicsIn(db, onlyId(summary)))[0]).toEqual([1, null, null, null, null]);
    // The first page is asked for once more, and no later one.
    expect(started.requests.filter(({ body }) => body.includes('issues(first'))).toHaveLength(3);
  });

  it('are stored with their state changes and with the requests that the host names', async () => {
    const reopened = issue(1, {
      ...closed,
      closedAt: at(1),
      closedByPullRequestsReferences: { nodes: [request(21, 'MERGED'), request(22, 'CLOSED'), request(23, 'OPEN')] },
      timelineItems: {
        nodes: [
          event('ClosedEvent', 'C1', 50, { closer: null }),
          event('ReopenedEvent', 'R1', 40),
          event('ClosedEvent', 'C2', 1, { closer: request(20, 'MERGED') }),
        ],
      },
    });
    const elsewhere = issue(2, {
      timelineItems: {
        nodes: [
          event('ClosedEvent', 'C3', 9, { closer: request(7, 'MERGED', 'acme/other') }),
          event('ClosedEvent', 'C4', 8, { closer: { __typename: 'Commit', oid: 'a'.repeat(40) } }),
        ],
      },
    });
    const started = await host(hostARepository('acme/widgets', { issueNodes: [reopened, elsewhere] }));
    const db = sqliteUri();
    const summary = await sync(optionsOfA(started, db, { target: 'issues' }));
    expect(summary.repositories[0]).toMatchObject({
      error: null,
      records: { issues: 2, issue_state_changes: 7, work_units: 2 },
    });
    const stored = await storedRows(db, onlyId(summary));
    expect(stored['issues']).toMatchObject([
      {
        number: 1,
        title: 'Issue 1',
        body: null,
        kind: 'issue',
        state: 'closed',
        state_reason: 'completed',
        author_name: 'ada',
        labels: ['bug'],
        created_at: time(100),
        closed_at: time(1),
        closing_requests: [20, 21, 23],
      },
      { number: 2, state: 'open', state_reason: null, closed_at: null, closing_requests: [] },
    ]);
    expect(
      stored['issue_state_changes']?.map((row) => [
        row['number'],
        row['change_id'],
        row['state'],
        row['actor'],
        row['changed_at'],
      ]),
    ).toEqual([
      [1, 'C1', 'closed', 'grace', time(50)],
      [1, 'C2', 'closed', 'grace', time(1)],
      [1, 'R1', 'reopened', 'grace', time(40)],
      [1, 'opened', 'opened', 'ada', time(100)],
      [2, 'C3', 'closed', 'grace', time(9)],
      [2, 'C4', 'closed', 'grace', time(8)],
      [2, 'opened', 'opened', 'ada', time(100)],
    ]);
  });

  it('become units that are complete when they were last closed, for work and not for want of it', async () => {
    const issueNodes = [
      issue(1, { ...closed, closedAt: at(4) }),
      issue(2),
      issue(3, { ...closed, closedAt: at(4), stateReason: 'NOT_PLANNED' }),
      issue(4, { ...closed, closedAt: at(4), stateReason: 'DUPLICATE' }),
      issue(5, { labels: { nodes: [{ name: 'Incident' }] } }),
    ];
    const repository = hostARepository('acme/widgets', { issueNodes });
    const started = await host(repository);
    const db = sqliteUri();
    const repoId = onlyId(await sync(optionsOfA(started, db, { target: 'issues' })));
    const day = '2026-01-14';
    const shared = { workType: 'issue', author: 'ada', startedAt: time(100), churnLoc: 0, theme: 'quality', day };
    expect(await unitsIn(db, repoId)).toMatchObject([
      { workType: 'incident', id: `${repoId}:incident:5`, startedAt: time(100), completedAt: null },
      { ...shared, id: `${repoId}:issue:1`, completedAt: time(4) },
      { ...shared, id: `${repoId}:issue:2`, completedAt: null },
      { ...shared, id: `${repoId}:issue:3`, completedAt: null },
      { ...shared, id: `${repoId}:issue:4`, completedAt: null },
    ]);

    // An issue that turns out to be an incident, or to be none, loses its other unit. The sync reads what was updated since.
    repository.issueNodes = [
      issue(5, { updatedAt: at(0) }),
      issue(2, { updatedAt: at(0), labels: { nodes: [{ name: 'incident' }] } }),
      ...issueNodes.filter(({ number }) => number !== 2 && number !== 5),
    ];
    const again = await sync(optionsOfA(started, db, { target: 'issues' }));
    expect(again.repositories[0]?.records['issues']).toBe(3);
    const names = (await unitsIn(db, repoId)).map(({ id }) => id.slice(repoId.length + 1));
    expect(names).toEqual(['incident:2', 'issue:1', 'issue:3', 'issue:4', 'issue:5']);
  });

  it('are read page by page, and a sync that was stopped resumes where it was', async () => {
    const issueNodes = Array.from({ length: 120 }, (_, index) => issue(index + 1, { updatedAt: at(index) }));
    const started = await host(hostARepository('acme/widgets', { issueNodes }));
    const db = sqliteUri();
    const controller = new AbortController();
    const pageStored = (): void => {
      controller.abort();
    };
    const progress = { pageStored };
    const options = optionsOfA(started, db, { target: 'issues' });
    await expect(sync(options, testDependencies({ signal: controller.signal, progress }))).rejects.toThrow();
    const resumed = await sync(options);
    // The newest one is read again: others may have its time.
    expect(resumed.repositories[0]?.records).toMatchObject({ issues: 71, work_units: 120 });
    expect((await storedRows(db, onlyId(resumed)))['issues']).toHaveLength(120);
  });

  it('are closed by requests whose texts or commits name them with a keyword', async () => {
    const [second, first] = commits(2);
    if (first === undefined || second === undefined) throw new Error('There are two commits');
    const merged = { state: 'MERGED', mergedAt: at(2), closedAt: at(2) };
    const pull = (number: number, body: string, changes: Json = {}): Json =>
      pullRequest(number, { body, ...merged, commits: { nodes: [] }, ...changes });
    const repository = hostARepository('acme/widgets', {
      commits: [
        { ...second, message: 'Mend it (#33)\n\nResolves: #4' },
        { ...first, message: 'Mention #1 only' },
      ],
      pullRequests: [
        pull(31, 'Fixes #1, and is about #2.\r\nCLOSES acme/widgets#3'),
        pull(32, 'closes acme/other#1, implements #2, fixes https://host-a.test/acme/widgets/issues/2'),
        pull(33, 'Nothing'),
        pull(36, 'Closes https://evil.example/acme/widgets/issues/4, and fixes #0'),
        pull(37, 'Closes https://HOST-A.test/Acme/widgets/issues/4#top', { state: 'OPEN', mergedAt: null }),
        pull(34, 'Fixes #1', { state: 'CLOSED', mergedAt: null }),
        pull(35, 'prefixes #1 and fixes#1'),
      ],
      issueNodes: [1, 2, 3, 4].map((number) => issue(number)),
    });
    const started = await host(repository);
    const db = sqliteUri();
    for (const target of ['prs', 'issues', 'git']) await sync(optionsOfA(started, db, { target }));
    const repoId = onlyId(await sync(optionsOfA(started, db)));
    const closers = {
      1: ['pull_request:31'],
      2: ['pull_request:32'],
      3: ['pull_request:31'],
      4: ['pull_request:33', 'pull_request:37'],
    };
    expect(await closersIn(db, repoId, [1, 2, 3, 4])).toEqual(closers);

    // An edited text no longer closes what it does not name.
    repository.pullRequests = [pull(31, 'Fixes #3', { updatedAt: at(0) }), ...repository.pullRequests.slice(1)];
    await sync(optionsOfA(started, db, { target: 'prs' }));
    expect(await closersIn(db, repoId, [1, 3])).toEqual({ 1: [], 3: ['pull_request:31'] });
  });
});

describe('issues of host_b', () => {
  const options = (host: HostB, db: string, target = 'issues') => ({
    ...{ target, provider: 'gitlab', db, hostBUrl: host.url, auth: host.token, projectId: '7' },
  });
  const issue = (iid: number, changes: Json = {}): Json => ({
    iid,
    title: `Issue ${iid}`,
    description: null,
    state: 'opened',
    issue_type: 'issue',
    author: { username: 'ada' },
    labels: ['bug'],
    created_at: at(100),
    updated_at: at(iid),
    closed_at: null,
    moved_to_id: null,
    _links: { closed_as_duplicate_of: null },
    ...changes,
  });
  const event = (id: number, action: string, iid: number, hours: number): Json => ({
    ...{ id, action_name: action, target_iid: iid, author_username: 'grace', created_at: at(hours) },
  });
  const closed = { state: 'closed', closed_at: at(1) };

  it('have epics, unless the edition of the host has none', async () => {
    const project = hostBProject(7, 'group/widgets', {
      issues: [
        issue(1, { epic: { id: 90, iid: 4, title: 'Checkout', group_id: 5 } }),
        issue(2, { epic: null }),
        issue(3),
      ],
    });
    const host = await startHostB(project);
    const db = sqliteUri();
    const repoId = onlyId(await sync(options(host, db)));
    expect(await epicsIn(db, repoId)).toEqual([
      [1, '&4', 'Checkout', null, null],
      [2, '', '', '', ''],
      [3, null, null, null, null],
    ]);
    expect((await unitsIn(db, repoId)).map(({ epic }) => epic)).toEqual(['Checkout', 'unplanned', undefined]);
  });

  it('are stored with their state changes, and those that are work become units', async () => {
    const project = hostBProject(7, 'group/widgets', {
      issues: [
        issue(1, closed),
        issue(2),
        issue(3, { ...closed, moved_to_id: 99 }),
        issue(4, { ...closed, _links: { closed_as_duplicate_of: 'https://host-b.test/api/v4/issues/1' } }),
        issue(5, { issue_type: 'incident' }),
        issue(6, { issue_type: 'task' }),
      ],
      events: [
        event(13, 'closed', 1, 1),
        event(12, 'reopened', 1, 5),
        event(11, 'closed', 1, 9),
        event(10, 'opened', 1, 100),
      ],
    });
    const host = await startHostB(project);
    const db = sqliteUri();
    const summary = await sync(options(host, db));
    expect(summary.repositories[0]).toMatchObject({ error: null, records: { issues: 6, work_units: 6 } });
    const repoId = onlyId(summary);
    const stored = await storedRows(db, repoId);
    expect(stored['issues']?.map((row) => [row['number'], row['kind'], row['state'], row['state_reason']])).toEqual([
      [1, 'issue', 'closed', null],
      [2, 'issue', 'open', null],
      [3, 'issue', 'closed', 'moved'],
      [4, 'issue', 'closed', 'duplicate'],
      [5, 'incident', 'open', null],
      [6, 'task', 'open', null],
    ]);
    const changes = (stored['issue_state_changes'] ?? []).filter(({ number }) => number === 1);
    expect(changes.map((row) => [row['change_id'], row['state'], row['changed_at']])).toEqual([
      ['11', 'closed', time(9)],
      ['12', 'reopened', time(5)],
      ['13', 'closed', time(1)],
      ['opened', 'opened', time(100)],
    ]);
    expect((await unitsIn(db, repoId)).map(({ id, completedAt }) => [id.slice(37), completedAt])).toEqual([
      ['incident:5', null],
      ['issue:1', time(1)],
      ['issue:2', null],
      ['issue:3', null],
      ['issue:4', null],
      ['issue:6', null],
    ]);
  });

  it('and their events are read over pages, later only what is new, and a stopped sync resumes within its list', async () => {
    const project = hostBProject(7, 'group/widgets', {
      issues: Array.from({ length: 150 }, (_, index) => issue(index + 1, { updated_at: at(index) })),
      events: Array.from({ length: 250 }, (_, index) => event(1000 - index, 'closed', (index % 150) + 1, index)),
    });
    const host = await startHostB(project);
    const [db, whole] = [sqliteUri(), sqliteUri()];
    const controller = new AbortController();
    let pages = 0;
    const pageStored = (): void => {
      if ((pages += 1) === 3) controller.abort();
    };
    const progress = { pageStored };
    await expect(sync(options(host, db), testDependencies({ signal: controller.signal, progress }))).rejects.toThrow();
    const before = host.requests.length;
    const resumed = await sync(options(host, db));
    expect(resumed.repositories[0]?.records).toMatchObject({ issues: 1, issue_state_changes: 152, work_units: 150 });
    const lists = host.requests
      .slice(before)
      .map(({ path, query }) => `${path.split('/').at(-1)} ${query.get('page')}`);
    expect(lists.filter((list) => /^(issues|events) /.test(list))).toEqual([
      // What is new comes first.
      'issues 1',
      'events 1',
      'events 2',
      'events 3',
    ]);
    const repoId = onlyId(await sync(options(host, whole)));
    expect(await storedRows(db, repoId)).toEqual(await storedRows(whole, repoId));

    project.issues.unshift(issue(151, { updated_at: at(-1) }));
    project.events.unshift(event(1001, 'reopened', 1, -1));
    const later = await sync(options(host, db));
    // The newest entries of the last time are read again.
    expect(later.repositories[0]?.records).toMatchObject({ issues: 2, issue_state_changes: 4 });
  });

  it('are closed by merge requests whose texts name them, also in lists', async () => {
    const merge = (iid: number, description: string): Json => ({
      iid,
      title: `Change ${iid}`,
      description,
      state: 'merged',
      author: { username: 'ada' },
      created_at: at(20),
      updated_at: at(iid),
      merged_at: at(2),
      closed_at: null,
      source_branch: 'topic',
      target_branch: 'main',
      sha: 'a'.repeat(40),
      merge_commit_sha: null,
      squash_commit_sha: null,
      labels: [],
      user_notes_count: 0,
    });
    const project = hostBProject(7, 'group/widgets', {
      issues: [1, 2, 3, 4].map((iid) => issue(iid)),
      mergeRequests: [
        merge(1, 'Closes #1, #2 and group/widgets#3'),
        merge(2, 'Implements https://host-b.test/group/widgets/-/issues/4, mentions #1'),
      ],
    });
    const host = await startHostB(project);
    const db = sqliteUri();
    await sync(options(host, db, 'issues'));
    const repoId = onlyId(await sync(options(host, db, 'prs')));
    expect(await closersIn(db, repoId, [1, 2, 3, 4])).toEqual({
      1: ['pull_request:1'],
      2: ['pull_request:1'],
      3: ['pull_request:1'],
      4: ['pull_request:2'],
    });
  });

  it('are not in a clone', () => {
    const { dependencies } = noted();
    const repoPath = temporaryDirectory();
    expect(() => sync({ target: 'issues', provider: 'local', repoPath, db: sqliteUri() }, dependencies)).toThrow(
      /--provider local has no issues: it has git, prs, blame/,
    );
  });
});
