/** The epic and the initiative of a unit. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { AnyRow } from '../../../../src/sync/records.js';
import { closersOf } from '../../../../src/sync/work-units/closers.js';
import { closingsOfCommit, closingsOfRequest } from '../../../../src/sync/work-units/derivation/closings.js';
import { issuePlanOf, plannedBy, type IssuePlan } from '../../../../src/sync/work-units/derivation/epics.js';
import type { DerivationResources } from '../../../../src/sync/work-units/derivation/resources.js';
import { NOW, openDatabase, sqliteUri } from '../../harness.js';
import {
  commitRow,
  deploymentRow,
  incidentRow,
  issueRow,
  MemoryStore,
  requestRow,
  resourcesOn,
  syncAndDerive,
  type Changes,
} from './deriving.js';

const WITH_EPICS = { hasEpics: true };
const UNPLANNED = { epic: 'unplanned', initiative: 'unplanned' };

type NamedEpic = readonly [epic: string | null, initiative?: string];

function plans(...named: readonly NamedEpic[]): readonly IssuePlan[] {
  return named.map(([epic, initiative = ''], number) => ({ number, epic, initiative }));
}

it('the plan of an issue has titles, or else keys', () => {
  const plan = (columns: Changes) => {
    const { number: _, ...rest } = issuePlanOf(issueRow(1, columns));
    return rest;
  };
  expect(plan({})).toEqual({ epic: null, initiative: '' });
  expect(plan({ epic: '', epic_key: '' })).toEqual({ epic: '', initiative: '' });
  expect(plan({ epic: ' Checkout ', epic_key: 'SHOP-1' })).toEqual({ epic: 'Checkout', initiative: '' });
  expect(plan({ epic: null, epic_key: 'SHOP-1', initiative_key: 'SHOP-2' })).toEqual({
    epic: 'SHOP-1',
    initiative: 'SHOP-2',
  });
  // An initiative that an issue belongs to without an epic is its epic.
  expect(plan({ epic: '', initiative: 'Growth' })).toEqual({ epic: 'Growth', initiative: 'Growth' });
});

it('a unit has the epic that most of its issues name, of several the first by name', () => {
  const planned = (...named: readonly NamedEpic[]) => plannedBy(plans(...named), WITH_EPICS);
  expect(planned(['Search'], ['Checkout'], ['Search'])).toEqual({ epic: 'Search' });
  expect(planned(['Search', 'A'], ['Checkout', 'Growth'])).toEqual({ epic: 'Checkout', initiative: 'Growth' });
  expect(planned(['Search', 'B'], ['Search', 'A'], ['Search'])).toEqual({ epic: 'Search', initiative: 'A' });
  expect(planned([''], [null], ['Search'])).toEqual({ epic: 'Search' });
  const [search] = plans(['Search']);
  const [, checkout] = plans([''], ['Checkout']);
  if (search === undefined || checkout === undefined) throw new Error('There are two plans');
  expect(plannedBy([search, search, checkout], WITH_EPICS)).toEqual({ epic: 'Checkout' });
});

it('work without an epic is unplanned, unless nobody knows', () => {
  expect(plannedBy([], WITH_EPICS)).toEqual(UNPLANNED);
  expect(plannedBy(plans([''], ['']), WITH_EPICS)).toEqual(UNPLANNED);
  expect(plannedBy(plans([''], [null]), WITH_EPICS)).toEqual({});
  expect(plannedBy(plans(['Search']), { hasEpics: false })).toEqual({});
});

const SHOP = { repo: 'acme/shop', identity: 'host-a.test/acme/shop' };

it.each([
  ['Part of #5.', [5]],
  ['#5, acme/shop#6 and https://host-a.test/acme/shop/issues/7', [5, 6, 7]],
  ['acme/other#5, https://elsewhere.test/acme/shop/issues/6, a#7, issues/8, &9 and #x', []],
  ['Fixes #5, see #5 and #6', [6]],
  [
    Array.from({ length: 99 }, (_, number) => `#${number + 1}`).join(' '),
    Array.from({ length: 20 }, (_, at) => at + 1),
  ],
])('the description %j refers to %j', (body, issues) => {
  const found = closingsOfRequest({ number: 1, title: '', body }, { ...SHOP, hasEpics: true });
  expect(found.filter(({ kind }) => kind === 'request_mention').map(({ issue }) => issue)).toEqual(issues);
  const withoutEpics = closingsOfRequest({ number: 1, title: '', body }, { ...SHOP, hasEpics: false });
  expect(withoutEpics).toEqual(found.filter(({ kind }) => kind !== 'request_mention'));
});

it('titles refer to issues, but the title of a squash names its request', () => {
  const repository = { ...SHOP, hasEpics: true };
  expect(closingsOfRequest({ number: 1, title: 'Search (#5)', body: null }, repository)).toMatchObject([{ issue: 5 }]);
  expect(closingsOfCommit({ hash: 'a', message: 'Search for #5 (#6)\n\n* one\n' }, repository)).toEqual([
    { issue: 5, closer: 'a', kind: 'commit_mention' },
  ]);
});

it('long texts take time in proportion to their length', () => {
  const body = `${'a/'.repeat(100_000)} ${'#1 '.repeat(50_000)} ${'/issues/1'.repeat(20_000)}`;
  expect(closingsOfRequest({ number: 1, title: '', body }, { ...SHOP, hasEpics: true })).toHaveLength(1);
});

interface Shop {
  readonly repoId: string;
  readonly resources: DerivationResources;
  readonly store: MemoryStore;
  sync(records: Parameters<typeof syncAndDerive>[1]['records']): Promise<void>;
  /** The epics of the units by the last parts of their ids. */
  epics(): Record<string, string | undefined>;
}

async function openShop(): Promise<Shop> {
  const sink = await openDatabase(sqliteUri());
  onTestFinished(() => sink.close());
  const [store, repoId] = [new MemoryStore(), randomUUID()];
  const resources = await resourcesOn(sink, store);
  let at = NOW;
  return {
    repoId,
    resources,
    store,
    sync: async (records) => {
      at += 1000;
      const target = records.issues ? 'issues' : records.git_commits ? 'git' : records.incidents ? 'incidents' : 'prs';
      await syncAndDerive(resources, {
        repoId,
        target: records.deployments ? 'deployments' : target,
        records,
        at,
      });
    },
    epics: () => Object.fromEntries(store.of(repoId).map(({ id, epic }) => [id.slice(repoId.length + 1), epic])),
  };
}

const [ONE, TWO] = ['a'.repeat(40), 'b'.repeat(40)];

async function fillShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.sync({ git_commits: [commitRow(ONE, { message: 'Mend\n\nCloses #12' }), commitRow(TWO)] });
  await shop.sync({
    git_pull_requests: [
      requestRow(1, { body: 'Fixes #11' }),
      requestRow(2, { body: 'Part of #12' }),
      requestRow(3),
      requestRow(4, { body: 'Fixes #99' }),
      requestRow(5),
    ],
  });
  await shop.sync({ deployments: [deploymentRow('d')] });
  await shop.sync({ incidents: [incidentRow('i')] });
  return shop;
}

const NONE = { epic: '', epic_key: '', initiative: '', initiative_key: '' };

function planned(number: number, epic: string, changes: Changes = {}): AnyRow {
  return issueRow(number, { ...NONE, epic, epic_key: epic && '#7', labels: [], ...changes });
}

it('nobody knows what is planned in a repository whose issues name no epics', async () => {
  const shop = await fillShop();
  await shop.sync({ issues: [issueRow(11), issueRow(12, NONE)] });
  expect(Object.values(shop.epics()).every((epic) => epic === undefined)).toBe(true);
  expect(Object.keys(shop.epics())).toHaveLength(11);
});

it('the first epic tells of all units whether they are planned, and the last one takes that with it', async () => {
  const shop = await fillShop();
  const issues = [
    planned(11, 'Checkout'),
    planned(12, ''),
    planned(13, 'Search', { labels: ['incident'], kind: 'incident' }),
  ];
  await shop.sync({ issues });
  expect(shop.epics()).toEqual({
    [`commit:${ONE}`]: 'unplanned',
    [`commit:${TWO}`]: 'unplanned',
    'pull_request:1': 'Checkout',
    'pull_request:2': 'unplanned',
    'pull_request:3': 'unplanned',
    // Nobody knows an issue that is not stored.
    'pull_request:4': undefined,
    'pull_request:5': 'unplanned',
    'issue:11': 'Checkout',
    'issue:12': 'unplanned',
    // An incident is the issue that it is. Others, and deployments, cannot have an epic.
    'incident:13': 'Search',
    'incident:i': undefined,
    'deployment:d': undefined,
  });
  await shop.sync({ issues: [planned(11, ''), planned(13, '', { labels: ['incident'], kind: 'incident' })] });
  expect(Object.values(shop.epics()).every((epic) => epic === undefined)).toBe(true);
});

it('changed issues change the commits and requests that close them or refer to them', async () => {
  const shop = await fillShop();
  await shop.sync({ issues: [planned(11, 'Checkout'), planned(12, '')] });
  await shop.sync({ issues: [planned(12, 'Search', { initiative: 'Growth', closing_requests: [3, 5] })] });
  const expected = { 'pull_request:1': 'Checkout', 'pull_request:2': 'Search', 'pull_request:3': 'Search' };
  expect(shop.epics()).toMatchObject({ ...expected, [`commit:${ONE}`]: 'Search', [`commit:${TWO}`]: 'unplanned' });
  expect((await shop.store.find('', `${shop.repoId}:pull_request:3`))?.initiative).toBe('Growth');
  // The host does not name request 5 any more.
  await shop.sync({ issues: [planned(12, 'Search', { closing_requests: [3] })] });
  expect(shop.epics()).toMatchObject({ ...expected, 'pull_request:5': 'unplanned' });
});

it('an interrupted change of issues is completed by the next sync', async () => {
  const shop = await fillShop();
  await shop.sync({ issues: [planned(12, 'Search', { closing_requests: [3, 5] })] });
  expect(shop.epics()).toMatchObject({ 'pull_request:3': 'Search', 'pull_request:5': 'Search' });
  shop.store.beforeApply = () => {
    throw new Error('killed');
  };
  await expect(shop.sync({ issues: [planned(12, 'Search', { closing_requests: [3] })] })).rejects.toThrow('killed');
  shop.store.beforeApply = () => {};
  await shop.sync({ issues: [planned(13, '')] });
  expect(shop.epics()).toMatchObject({ 'pull_request:3': 'Search', 'pull_request:5': 'unplanned' });
});

it('a request that refers to an issue does not close it', async () => {
  const shop = await fillShop();
  await shop.sync({ issues: [planned(11, 'Checkout'), planned(12, 'Search')] });
  expect(await closersOf(shop.resources.records, shop.repoId, [11, 12])).toEqual(
    new Map([
      [11, [1]],
      [12, []],
    ]),
  );
});
