import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit, WorkUnitStore } from '../../../src/analytics/work-unit.js';
import { describeOnEachEngine, openOptions } from '../engines.js';

const REPO = '11111111-1111-4111-8111-111111111111';

function idOf(name: string, repoId = REPO): string {
  return `${repoId}:${name}`;
}

function unit(name: string, changes: Partial<WorkUnit> = {}): WorkUnit {
  return {
    id: idOf(name),
    workType: 'commit',
    repo: 'group/one',
    team: 'platform',
    author: 'ada@example.com',
    theme: 'quality',
    subcategory: 'quality.testing',
    startedAt: Date.parse('2024-02-28T10:00:00.123Z'),
    completedAt: Date.parse('2024-02-29T22:30:00.456Z'),
    day: '2024-02-29',
    churnLoc: 120,
    shares: [
      { subcategory: 'quality.testing', share: 0.75 },
      { subcategory: 'maintenance.debt', share: 0.25 },
    ],
    ...changes,
  };
}

async function all(store: WorkUnitStore, orgId: string, repoId = REPO): Promise<readonly WorkUnit[]> {
  const found: WorkUnit[] = [];
  for await (const batch of store.scan(orgId, repoId)) found.push(...batch);
  return found;
}

/** What few units have. */
const merged = unit('merged', {
  workType: 'pull_request',
  phases: { coding: 0, lead: 40_000_000_000 },
  openness: { openedAt: Date.parse('2024-02-20T10:00:00.001Z'), closedAt: Date.parse('2024-02-29T22:30:00.456Z') },
  reviewers: [
    { reviewer: 'linus "\\{,}\'', team: 'kernel', reviews: 3 },
    { reviewer: 'Ängström', team: 'unassigned', reviews: 1 },
  ],
});
const paired = unit('paired', { assistant: 'Claude', coAuthors: ['linus "\\{,}\'', 'Ängström'] });
const deployed = unit('deployed', { workType: 'deployment', changeFailed: false });

describeOnEachEngine('the store of work units', (engine) => {
  let uri: string;
  let store: WorkUnitStore;
  beforeAll(async () => {
    uri = await engine.newUri();
    store = await openWorkUnitStore(parseAnalyticsUri(uri), openOptions);
    await store.ensureSchema();
  });
  afterAll(async () => {
    await store.close();
  });

  it('can be prepared twice, and returns what was stored', async () => {
    await store.ensureSchema();
    const orgId = randomUUID();
    const open = unit('b', { completedAt: null, churnLoc: null, author: '', team: 'unassigned' });
    await store.apply({ orgId, repoId: REPO, units: [unit('c'), open, unit('a')], removed: [] });
    expect(await all(store, orgId)).toEqual([unit('a'), open, unit('c')]);
    expect(await store.find(orgId, idOf('b'))).toEqual(open);
    expect(await store.find(orgId, idOf('d'))).toBeUndefined();
  });

  it('keeps phases, failures of changes, openness and reviewers, and takes them back', async () => {
    const orgId = randomUUID();
    const failed = { ...deployed, changeFailed: true };
    await store.apply({ orgId, repoId: REPO, units: [merged, unit('a'), failed], removed: [], areNew: true });
    expect(await all(store, orgId)).toEqual([unit('a'), failed, merged]);
    const { phases: _, ...rest } = merged;
    const open: WorkUnit = { ...rest, openness: { openedAt: 1000, closedAt: null }, reviewers: [] };
    await store.apply({ orgId, repoId: REPO, units: [open, deployed], removed: [] });
    expect(await all(store, orgId)).toEqual([unit('a'), deployed, open]);
    const { openness: __, reviewers: ___, ...plain } = open;
    await store.apply({ orgId, repoId: REPO, units: [plain], removed: [] });
    expect(await all(store, orgId)).toEqual([unit('a'), deployed, plain]);
  });

  it('keeps assistants and co-authors, and takes them back', async () => {
    const orgId = randomUUID();
    const alone = unit('alone', { assistant: 'unassisted' });
    const both = { ...merged, assistant: 'Copilot', coAuthors: ['grace'] };
    await store.apply({ orgId, repoId: REPO, units: [paired, alone, both], removed: [], areNew: true });
    expect(await all(store, orgId)).toEqual([alone, both, paired]);
    await store.apply({
      orgId,
      repoId: REPO,
      units: [unit('paired'), { ...alone, coAuthors: ['grace'] }],
      removed: [],
    });
    expect(await all(store, orgId)).toEqual([{ ...alone, coAuthors: ['grace'] }, both, unit('paired')]);
  });

  it('keeps epics and initiatives, and takes them back', async () => {
    const orgId = randomUUID();
    const alone = unit('alone', { epic: 'unplanned', initiative: 'unplanned' });
    const both = { ...merged, epic: 'Checkout "2"', initiative: 'Ürün' };
    await store.apply({ orgId, repoId: REPO, units: [alone, both, unit('plain')], removed: [], areNew: true });
    expect(await all(store, orgId)).toEqual([alone, both, unit('plain')]);
    await store.apply({ orgId, repoId: REPO, units: [unit('alone'), { ...merged, epic: 'Search' }], removed: [] });
    expect(await all(store, orgId)).toEqual([unit('alone'), { ...merged, epic: 'Search' }, unit('plain')]);
  });

  it('stores the longest values of all dimensions beside each other', async () => {
    const orgId = randomUUID();
    // Base64 does not compress, so that an index entry has all of it.
    const long = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes);
    const longest = unit('longest', {
      ...{ workType: 'pull_request', repo: long(600), team: long(600), author: long(600), assistant: 'OpenHands' },
      ...{ epic: `${long(127)}ürün`, initiative: long(600), coAuthors: [long(512), long(60)] },
      shares: [{ subcategory: 'operational.incident_response', share: 1 }],
      theme: 'operational',
      subcategory: 'operational.incident_response',
    });
    await store.apply({ orgId, repoId: REPO, units: [longest], removed: [] });
    const stored = await store.find(orgId, longest.id);
    expect(stored?.epic).toBe(longest.epic?.slice(0, 127));
    expect(stored?.initiative).toBe(longest.initiative?.slice(0, 128));
    expect(stored?.coAuthors).toEqual(longest.coAuthors);
  });

  it('keeps as many co-authors as fit beside each other', async () => {
    const orgId = randomUUID();
    const names = Array.from({ length: 100 }, (_, number) => `${String(number).padStart(3, '0')}@example.com`);
    await store.apply({ orgId, repoId: REPO, units: [unit('release', { coAuthors: names })], removed: [] });
    const { coAuthors = [] } = (await store.find(orgId, idOf('release'))) ?? {};
    expect(coAuthors.length).toBeGreaterThan(30);
    expect(coAuthors).toEqual(names.slice(0, coAuthors.length));
  });

  it('replaces and removes units by their id, also when they move to another day', async () => {
    const orgId = randomUUID();
    await store.apply({ orgId, repoId: REPO, units: [unit('a'), unit('b'), unit('c')], removed: [] });
    const moved = unit('a', { day: '2024-12-31', shares: [{ subcategory: 'risk.security', share: 1 }] });
    const change = { orgId, repoId: REPO, units: [moved], removed: [idOf('b'), 'never there'] };
    await store.apply(change);
    expect(await all(store, orgId)).toEqual([moved, unit('c')]);
    await store.apply(change);
    expect(await all(store, orgId)).toEqual([moved, unit('c')]);
    await store.apply({ orgId, repoId: REPO, units: [unit('a')], removed: [] });
    expect(await all(store, orgId)).toEqual([unit('a'), unit('c')]);
    expect(await store.find(orgId, idOf('b'))).toBeUndefined();
  });

  it('stores units that are marked as new, and changes them later like others', async () => {
    const orgId = randomUUID();
    await store.apply({ orgId, repoId: REPO, units: [unit('b'), unit('a')], removed: [], areNew: true });
    await store.apply({ orgId, repoId: REPO, units: [unit('c')], removed: [], areNew: true });
    expect(await all(store, orgId)).toEqual([unit('a'), unit('b'), unit('c')]);
    const moved = unit('a', { day: '2024-12-31' });
    await store.apply({ orgId, repoId: REPO, units: [moved], removed: [idOf('b')] });
    expect(await all(store, orgId)).toEqual([moved, unit('c')]);
  });

  it('keeps the later change, regardless of the clocks of the writers', async () => {
    const orgId = randomUUID();
    await store.apply({ orgId, repoId: REPO, units: [unit('a'), unit('b')], removed: [] });
    const slow = { ...openOptions, now: () => Date.parse('2001-01-01') };
    const other = await openWorkUnitStore(parseAnalyticsUri(uri), slow);
    await other.apply({ orgId, repoId: REPO, units: [unit('a', { team: 'web' })], removed: [idOf('b')] });
    expect(await all(store, orgId)).toEqual([unit('a', { team: 'web' })]);
    await other.apply({ orgId, repoId: REPO, units: [unit('a')], removed: [] });
    expect(await all(store, orgId)).toEqual([unit('a')]);
    await other.close();
  });

  it('separates organizations and repositories with the same ids', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    await store.apply({ orgId: one, repoId: REPO, units: [unit('a')], removed: [] });
    await store.apply({ orgId: other, repoId: REPO, units: [unit('a', { churnLoc: 7 })], removed: [] });
    await store.apply({ orgId: other, repoId: REPO, units: [], removed: [idOf('a')] });
    expect(await all(store, one)).toEqual([unit('a')]);
    expect(await all(store, other)).toEqual([]);
    expect(await all(store, one, '22222222-2222-4222-8222-222222222222')).toEqual([]);
  });

  it('pages through more units than a batch holds', async () => {
    const orgId = randomUUID();
    const units = Array.from({ length: 2001 }, (_, index) => unit(`u${String(index).padStart(5, '0')}`));
    await store.apply({ orgId, repoId: REPO, units, removed: [] });
    const batches: number[] = [];
    for await (const batch of store.scan(orgId, REPO)) batches.push(batch.length);
    expect(batches).toEqual([1000, 1000, 1]);
    expect((await all(store, orgId)).map(({ id }) => id)).toEqual(units.map(({ id }) => id));
  });

  it('lists the units of the last days, the latest first, and counts all of them', async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    const units = ['01', '02', '03', '03'].map((day, index) => unit(`u${index}`, { day: `2024-03-${day}` }));
    await store.apply({ orgId, repoId: REPO, units, removed: [] });
    await store.apply({ orgId: other, repoId: REPO, units: [unit('other')], removed: [] });
    expect(await store.recentUnits(orgId, '2024-03-02', 10)).toEqual({
      ...{ ids: ['u2', 'u3', 'u1'].map((name) => idOf(name)), total: 3 },
    });
    expect(await store.recentUnits(orgId, '2024-03-02', 1)).toEqual({ ids: [idOf('u2')], total: 3 });
    await store.apply({ orgId, repoId: REPO, units: [unit('u2', { day: '2024-03-01' })], removed: [idOf('u1')] });
    expect(await store.recentUnits(orgId, '2024-03-02', 10)).toEqual({ ids: [idOf('u3')], total: 1 });
  });

  it('stores hostile text, wrong clocks, and shares that do not add up', async () => {
    const orgId = randomUUID();
    const hostile = unit(`quote ' " \\ \n \t {x:String} $1 ?`, {
      author: `\0 \ud800 ${'ä'.repeat(400)}`,
      startedAt: Date.parse('2024-03-02T00:00:00Z'),
      completedAt: Date.parse('2024-03-01T00:00:00Z'),
      day: '+010000-01-01',
      shares: [
        { subcategory: 'risk.security', share: 1 },
        { subcategory: 'risk.compliance', share: 1 },
        { subcategory: 'risk.security', share: 1 },
      ],
    });
    await store.apply({ orgId, repoId: REPO, units: [hostile], removed: [] });
    const [found] = await all(store, orgId);
    expect(found).toEqual({
      ...hostile,
      author: `\ufffd \ufffd ${'ä'.repeat(252)}`,
      day: '2299-12-31',
      shares: [
        { subcategory: 'risk.security', share: 0.666667 },
        { subcategory: 'risk.compliance', share: 0.333333 },
      ],
    });
  });

  it('supports simultaneous syncs of one and of several repositories', async () => {
    const orgId = randomUUID();
    const stores = await Promise.all([1, 2, 3].map(() => openWorkUnitStore(parseAnalyticsUri(uri), openOptions)));
    const units = Array.from({ length: 60 }, (_, index) => unit(`u${String(index).padStart(2, '0')}`));
    const otherRepo = '33333333-3333-4333-8333-333333333333';
    const others = units.map((each) => ({ ...each, id: each.id.replace(REPO, otherRepo) }));
    await Promise.all(
      stores.flatMap((each) => [
        each.apply({ orgId, repoId: REPO, units, removed: ['gone'] }),
        each.apply({ orgId, repoId: otherRepo, units: others, removed: [] }),
      ]),
    );
    expect(await all(store, orgId)).toEqual(units);
    expect(await all(store, orgId, otherRepo)).toEqual(others);
    for (const each of stores) await each.close();
  });
});
