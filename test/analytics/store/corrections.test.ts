import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAnalyticsUri } from '../../../src/analytics/address.js';
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { Classified, Correction, WorkUnit, WorkUnitStore } from '../../../src/analytics/work-unit.js';
import { describeOnEachEngine, openOptions } from '../engines.js';

const REPO = '11111111-1111-4111-8111-111111111111';
const ID = `${REPO}:commit:a`;

const byRules = {
  theme: 'quality',
  subcategory: 'quality.testing',
  shares: [
    { subcategory: 'quality.testing', share: 0.75 },
    { subcategory: 'maintenance.debt', share: 0.25 },
  ],
} as const;

const unit: WorkUnit = {
  ...{ id: ID, workType: 'commit', repo: 'group/one', team: 'platform', author: 'ada@example.com', ...byRules },
  ...{ startedAt: 1_700_000_000_000, completedAt: 1_700_000_360_000, day: '2023-11-14', churnLoc: 120 },
};

const security: Classified = {
  ...{ theme: 'risk', subcategory: 'risk.security' },
  shares: [{ subcategory: 'risk.security', share: 1 }],
};

const correction: Correction = {
  ...{ unitId: ID, subcategory: 'risk.security', note: "It's a fix of a leak.", correctedBy: 'ada@example.com' },
  correctedAt: 1_700_000_500_000,
};

describeOnEachEngine('corrections of work units', (engine) => {
  let store: WorkUnitStore;
  beforeAll(async () => {
    store = await openWorkUnitStore(parseAnalyticsUri(await engine.newUri()), openOptions);
    await store.ensureSchema();
  });
  afterAll(async () => {
    await store.close();
  });

  const stored = async (orgId: string, units: readonly WorkUnit[] = [unit]): Promise<void> => {
    await store.apply({ orgId, repoId: REPO, units, removed: [] });
  };

  it('classify a unit, and give it back to the rules when they are withdrawn', async () => {
    const orgId = randomUUID();
    await stored(orgId);
    expect(await store.correct(orgId, correction)).toBe(true);
    expect(await store.find(orgId, ID)).toEqual({ ...unit, ...security });
    expect(await store.findCorrection(orgId, ID)).toEqual(correction);
    expect(await store.withdraw(orgId, ID, byRules)).toBe(true);
    expect(await store.find(orgId, ID)).toEqual(unit);
    expect(await store.findCorrection(orgId, ID)).toBeUndefined();
    expect(await store.withdraw(orgId, ID, byRules)).toBe(false);
  });

  it('are kept when a unit is derived again, and when it is removed and comes back', async () => {
    const orgId = randomUUID();
    await stored(orgId);
    await store.correct(orgId, correction);
    const other = { ...unit, id: `${REPO}:commit:b` };
    await stored(orgId, [{ ...unit, day: '2023-12-01', churnLoc: 3 }, other]);
    expect(await store.find(orgId, ID)).toEqual({ ...unit, day: '2023-12-01', churnLoc: 3, ...security });
    expect(await store.find(orgId, other.id)).toEqual(other);
    await store.apply({ orgId, repoId: REPO, units: [], removed: [ID] });
    expect(await store.find(orgId, ID)).toBeUndefined();
    expect(await store.listCorrections(orgId, '', 10)).toEqual([correction]);
    await store.apply({ orgId, repoId: REPO, units: [unit], removed: [], areNew: true });
    expect(await store.find(orgId, ID)).toEqual({ ...unit, ...security });
  });

  it('win over a classification by the rules, which an uncorrected unit gets', async () => {
    const orgId = randomUUID();
    await store.classify(orgId, ID, byRules);
    expect(await store.find(orgId, ID)).toBeUndefined();
    await stored(orgId);
    await store.classify(orgId, ID, security);
    expect(await store.find(orgId, ID)).toEqual({ ...unit, ...security });
    await store.correct(orgId, { ...correction, subcategory: 'maintenance.debt' });
    await store.classify(orgId, ID, security);
    expect((await store.find(orgId, ID))?.subcategory).toBe('maintenance.debt');
  });

  it('can be withdrawn when the unit is gone', async () => {
    const orgId = randomUUID();
    await stored(orgId);
    await store.correct(orgId, correction);
    await store.apply({ orgId, repoId: REPO, units: [], removed: [ID] });
    expect(await store.withdraw(orgId, ID, undefined)).toBe(true);
    await stored(orgId);
    expect(await store.find(orgId, ID)).toEqual(unit);
  });

  it('belong to one organization, and need a unit', async () => {
    const [orgId, other] = [randomUUID(), randomUUID()];
    await stored(orgId);
    expect(await store.correct(other, correction)).toBe(false);
    expect(await store.correct(orgId, { ...correction, unitId: `${REPO}:commit:unknown` })).toBe(false);
    expect(await store.countCorrections(orgId)).toBe(0);
    await stored(other);
    await store.correct(orgId, correction);
    expect(await store.find(other, ID)).toEqual(unit);
    expect(await store.findCorrection(other, ID)).toBeUndefined();
    expect(await store.withdraw(other, ID, byRules)).toBe(false);
    await store.clearCorrections(other, REPO);
    expect(await store.countCorrections(orgId)).toBe(1);
    await store.clearCorrections(orgId, REPO);
    expect(await store.countCorrections(orgId)).toBe(0);
  });

  it('are listed in the order of the ids, page by page, with the latest correction of each unit', async () => {
    const orgId = randomUUID();
    const ids = ['a', 'b', 'c'].map((name) => `${REPO}:commit:${name}`);
    await stored(
      orgId,
      ids.map((id) => ({ ...unit, id })),
    );
    for (const unitId of ids.toReversed()) await store.correct(orgId, { ...correction, unitId });
    await store.correct(orgId, { ...correction, subcategory: 'maintenance.debt', note: null });
    const first = await store.listCorrections(orgId, '', 2);
    expect(first.map(({ unitId, subcategory, note }) => [unitId, subcategory, note])).toEqual([
      [ids[0], 'maintenance.debt', null],
      [ids[1], 'risk.security', correction.note],
    ]);
    expect((await store.listCorrections(orgId, ids[1] ?? '', 2)).map(({ unitId }) => unitId)).toEqual([ids[2]]);
  });

  it('agree with the unit after parallel corrections and derivations', async () => {
    const orgId = randomUUID();
    await stored(orgId);
    const subcategories = ['risk.security', 'maintenance.debt', 'quality.bugfix', 'operational.support'] as const;
    await Promise.all(
      subcategories.flatMap((subcategory) => [store.correct(orgId, { ...correction, subcategory }), stored(orgId)]),
    );
    const last = await store.findCorrection(orgId, ID);
    expect(subcategories).toContain(last?.subcategory);
    expect((await store.find(orgId, ID))?.subcategory).toBe(last?.subcategory);
  });
});
