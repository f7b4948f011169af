/** What an organization says about its units outlasts syncs, imports and rewritten histories. */
import { describe, expect, it } from 'vitest';
import type { Correction, WorkUnit } from '../../../src/analytics/work-unit.js';
import { withStoredRecords } from '../../../src/platform/sources/records/stored-records.js';
import { importAuthors } from '../../../src/sync/work-units/authors/import-authors.js';
import { importRules } from '../../../src/sync/work-units/classify/import-rules.js';
import { correctUnit, withdrawCorrection } from '../../../src/sync/work-units/correct-unit.js';
import type { CorrectableResources } from '../../../src/sync/work-units/derivation/resources.js';
import { explainUnit } from '../../../src/sync/work-units/explain.js';
import { importTeams } from '../../../src/sync/work-units/teams/import-teams.js';
import { git } from '../../support/git-history.js';
import { importConnector } from '../../support/chdb.js';
import { describeOnEachDatabase } from '../databases.js';
import { onlyId, sqliteUri, sync } from '../harness.js';
import { clone, hashOf } from '../rewriting.js';
import { unitsIn } from './stored-units.js';

async function inRecords<Result>(
  store: string,
  work: (resources: CorrectableResources) => Promise<Result>,
  orgId = 'default',
): Promise<Result> {
  const options = { orgId, signal: new AbortController().signal, importConnector };
  return withStoredRecords({ store, rulesFile: null }, options, work);
}

function correctionOf(unitId: string): Correction {
  const note = 'The customer asked for it.';
  return { unitId, subcategory: 'feature_delivery.customer', note, correctedAt: 1_700_000_000_000, correctedBy: 'Ada' };
}

const corrected = {
  ...{ theme: 'feature_delivery', subcategory: 'feature_delivery.customer' },
  shares: [{ subcategory: 'feature_delivery.customer', share: 1 }],
} as const;

const everything = `rules: [{ name: everything, work_types: [commit], gives: risk.compliance, weight: 100 }]`;

describeOnEachDatabase('the words of an organization', ({ kind, newDatabase }) => {
  const unread = kind === 'mongo' ? ' (skipped: no engine of the analytics reads MongoDB)' : '';

  it.skipIf(unread !== '')(`outlast syncs and imports, until they are withdrawn${unread}`, async () => {
    const db = await newDatabase();
    const options = { provider: 'synthetic', db, target: 'git', repoName: 'acme/shop' } as const;
    const repoId = onlyId(await sync({ ...options, maxCommitsPerRepo: '20' }));
    const before = await unitsIn(db, repoId);
    const [first, second] = before;
    if (first === undefined || second === undefined) throw new Error('There are no units');
    const unit = async (id: string): Promise<WorkUnit | undefined> =>
      (await unitsIn(db, repoId)).find((each) => each.id === id);

    await inRecords(db, async (resources) => {
      expect(await correctUnit(resources, correctionOf(first.id))).toBe('corrected');
      expect(await correctUnit(resources, correctionOf(`${repoId}:commit:unknown`))).toBe('no_such_unit');
    });
    expect(await unit(first.id)).toEqual({ ...first, ...corrected });
    expect(await unit(second.id)).toEqual(second);

    await sync({ ...options, maxCommitsPerRepo: '40' });
    expect(await unit(first.id)).toEqual({ ...first, ...corrected });
    await inRecords(db, async (resources) => {
      const { author } = first;
      await importTeams(resources, [{ id: 'web', name: 'Web', members: [author], repositories: [] }]);
      await importAuthors(resources, [{ author: 'one@example.com', also: [author] }]);
      await importRules(resources, everything);
      expect(await unit(first.id)).toMatchObject({ author: 'one@example.com', team: 'web', ...corrected });
      expect(await unit(second.id)).toMatchObject({ subcategory: 'risk.compliance' });
      const [explained, other] = [await explainUnit(resources, first.id), await explainUnit(resources, second.id)];
      expect(explained).toMatchObject({
        unit: corrected,
        contributions: [{ rule: 'organization: everything' }],
        correction: { correctedBy: 'Ada', correctedAt: 1_700_000_000_000, insteadOf: 'risk.compliance' },
      });
      expect(explained?.stored?.shares).toEqual(explained?.unit.shares);
      expect(other).toMatchObject({ correction: undefined, contributions: [{ rule: 'organization: everything' }] });
    });

    await sync({ ...options, maxCommitsPerRepo: '60' });
    const later = await unitsIn(db, repoId);
    expect(later.length).toBeGreaterThan(40);
    expect(new Set(later.filter(({ id }) => id !== first.id).map(({ subcategory }) => subcategory))).toEqual(
      new Set(['risk.compliance']),
    );
    await inRecords(db, async (resources) => {
      expect(await withdrawCorrection(resources, first.id)).toBe(true);
      expect(await withdrawCorrection(resources, first.id)).toBe(false);
      expect(await unit(first.id)).toMatchObject({ subcategory: 'risk.compliance' });
      await importRules(resources, 'rules: []');
      await importAuthors(resources, []);
      await importTeams(resources, []);
    });
    expect(await unitsIn(db, repoId)).toEqual(expect.arrayContaining(before));
  });

  it.skipIf(unread !== '')(
    `leave the latest classification, also of a change during a withdrawal${unread}`,
    async () => {
      const db = await newDatabase();
      const repoId = onlyId(
        await sync({ provider: 'synthetic', db, target: 'git', repoName: 'acme/shop', maxCommitsPerRepo: '5' }),
      );
      const [{ id } = { id: '' }] = await unitsIn(db, repoId);
      await inRecords(db, async (resources) => {
        const { corrections } = resources;
        await correctUnit(resources, correctionOf(id));
        const changedMeanwhile: CorrectableResources = {
          ...resources,
          corrections: {
            ...corrections,
            withdraw: async (...withdrawal) => {
              await importRules(resources, everything);
              return corrections.withdraw(...withdrawal);
            },
          },
        };
        expect(await withdrawCorrection(changedMeanwhile, id)).toBe(true);
        expect((await explainUnit(resources, id))?.unit.subcategory).toBe('risk.compliance');
      });
      expect((await unitsIn(db, repoId)).find((each) => each.id === id)?.subcategory).toBe('risk.compliance');
    },
  );

  it.skipIf(unread !== '')(`concern its own units only${unread}`, async () => {
    const db = await newDatabase();
    const options = {
      provider: 'synthetic',
      db,
      target: 'git',
      repoName: 'acme/shop',
      maxCommitsPerRepo: '10',
    } as const;
    const repoId = onlyId(await sync(options));
    await sync({ ...options, org: 'other' });
    const before = await unitsIn(db, repoId);
    const id = before[0]?.id ?? '';
    await inRecords(
      db,
      async (resources) => {
        expect(await correctUnit(resources, correctionOf(id))).toBe('no_such_unit');
        expect(await withdrawCorrection(resources, id)).toBe(false);
        expect(await explainUnit(resources, id)).toBeUndefined();
        await importRules(resources, everything);
      },
      'other',
    );
    await sync({ ...options, maxCommitsPerRepo: '12' });
    expect(await unitsIn(db, repoId)).toEqual(expect.arrayContaining(before));
  });
});

describe('a correction of a commit', () => {
  it('applies again when a pruned commit comes back, and can be withdrawn in between', async () => {
    const { path, options } = await clone(5);
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    const [kept, dropped] = [hashOf(path, 'HEAD'), hashOf(path, 'HEAD~1')];
    const idOf = (hash: string): string => `${repoId}:commit:${hash}`;
    const before = await unitsIn(db, repoId);
    await inRecords(db, async (resources) => {
      for (const hash of [kept, dropped]) await correctUnit(resources, correctionOf(idOf(hash)));
    });
    git(path, 'reset', '--quiet', '--hard', 'HEAD~2');
    await sync({ ...options, db, prune: true });
    expect((await unitsIn(db, repoId)).map(({ id }) => id)).not.toContain(idOf(kept));
    await inRecords(db, async (resources) => {
      expect(await explainUnit(resources, idOf(kept))).toBeUndefined();
      expect(await withdrawCorrection(resources, idOf(dropped))).toBe(true);
    });
    git(path, 'reset', '--quiet', '--hard', kept);
    await sync({ ...options, db, prune: true });
    expect(await unitsIn(db, repoId)).toEqual(
      before.map((unit) => (unit.id === idOf(kept) ? { ...unit, ...corrected } : unit)),
    );
  });
});
