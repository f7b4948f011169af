/** A correction becomes a rule: which rules are suggested, and what each of them would change. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withStoredRecords } from '../../../src/platform/sources/records/stored-records.js';
import { atOnce } from '../../../src/contract/system/slices.js';
import { appendRule } from '../../../src/sync/work-units/classify/append-rule.js';
import { importRules } from '../../../src/sync/work-units/classify/import-rules.js';
import { organizationRule, parseOrganizationRules } from '../../../src/sync/work-units/classify/organization-rules.js';
import { correctUnit } from '../../../src/sync/work-units/correct-unit.js';
import type { PreviewResources } from '../../../src/sync/work-units/derivation/resources.js';
import { previewRule, PREVIEW_LIMITS, type RulePreview } from '../../../src/sync/work-units/preview-rule.js';
import { suggestRules, type Suggestion } from '../../../src/sync/work-units/suggest-rules.js';
import { importConnector } from '../../support/chdb.js';
import { git } from '../../support/git-history.js';
import { describeOnEachDatabase } from '../databases.js';
import { onlyId, sqliteUri, sync } from '../harness.js';
import { clone, commit } from '../rewriting.js';
import { unitsIn } from './stored-units.js';

async function inRecords<Result>(
  store: string,
  work: (resources: PreviewResources) => Promise<Result>,
): Promise<Result> {
  const options = { orgId: 'default', signal: new AbortController().signal, importConnector };
  return withStoredRecords({ store, rulesFile: null }, options, work);
}

const none = parseOrganizationRules('rules: []', 'The file');
const since = '1970-01-01';

function commitFile(path: string, file: string, message: string): string {
  mkdirSync(dirname(join(path, file)), { recursive: true });
  writeFileSync(join(path, file), message);
  git(path, 'add', file);
  return commit(path, message);
}

describe('the rules that are suggested for a commit', () => {
  it('are those of its title and its files that classify it as wanted', async () => {
    const { path, options } = await clone(5);
    const hash = commitFile(path, 'billing/vat/rates.ts', 'chore(ledger): settle partner payouts');
    const merge = commit(path, "Merge branch 'audit/partner-report'");
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    await inRecords(db, async (resources) => {
      const asked = { own: none, wanted: 'risk.compliance', since } as const;
      const suggested = await suggestRules(resources, `${repoId}:commit:${hash}`, asked);
      expect(suggested).toMatchObject({ title: 'chore(ledger): settle partner payouts', byRules: expect.any(String) });
      const patterns = suggested?.items.map(({ kind, pattern }) => [kind, pattern]);
      expect(patterns).toEqual([
        ['scope', 'ledger'],
        ['type', 'chore'],
        ['path', 'billing/vat/**'],
        ['path', 'billing/**'],
        ['start', 'settle partner'],
        ...['partner', 'payouts', 'partner payouts'].map((word) => ['keyword', word]),
      ]);
      for (const { rule } of suggested?.items ?? []) organizationRule(rule);
      const ofMerge = await suggestRules(resources, `${repoId}:commit:${merge}`, asked);
      // The first part of the branch that a merge names is a type.
      expect(ofMerge?.items.map(({ kind, pattern }) => [kind, pattern])).toContainEqual(['type', 'audit']);
      expect(await suggestRules(resources, `${repoId}:commit:unknown`, asked)).toBeUndefined();
    });
  });

  it('have more weight, or are left out, where stored rules say something else', async () => {
    const { path, options } = await clone(5);
    const hash = commitFile(path, 'billing/rates.ts', 'Settle partner payouts');
    const db = sqliteUri();
    const repoId = onlyId(await sync({ ...options, db }));
    await inRecords(db, async (resources) => {
      const text = `rules:
  - { name: keyword payouts, keywords: [payouts], gives: quality.testing, weight: 2 }
  - { name: billing, paths: ['billing/**'], gives: quality.testing }`;
      const own = parseOrganizationRules(text, 'The file');
      const suggested = await suggestRules(resources, `${repoId}:commit:${hash}`, {
        own,
        wanted: 'risk.compliance',
        since,
      });
      expect(suggested?.byRules).toBe('quality.testing');
      const found = new Map(
        suggested?.items.map((each): [string, Suggestion] => [`${each.kind} ${each.pattern}`, each]),
      );
      // The stored rule counts the file first.
      expect([...found.keys()]).not.toContain('path billing/**');
      expect(found.get('keyword payouts')?.rule).toMatchObject({ name: 'keyword payouts 2', weight: 8 });
    });
  });
});

describeOnEachDatabase('the preview of a rule', ({ kind, newDatabase }) => {
  const unread = kind === 'mongo' ? ' (skipped: no engine of the analytics reads MongoDB)' : '';

  it.skipIf(unread !== '')(`says what the units become once the rule is stored${unread}`, async () => {
    const db = await newDatabase();
    for (const target of ['git', 'prs', 'issues', 'incidents', 'deployments'] as const)
      await sync({ ...{ provider: 'synthetic', db, target, repoName: 'acme/shop', maxCommitsPerRepo: '60' } });
    const repoId = onlyId(await sync({ ...{ provider: 'synthetic', db, target: 'git', repoName: 'acme/shop' } }));
    const before = await unitsIn(db, repoId);
    const written = { name: 'fixes', types: ['fix'], work_types: ['incident'], gives: 'risk.compliance' } as const;
    const added = organizationRule(written);
    await inRecords(db, async (resources) => {
      const preview = await previewRule(resources, { own: none, added, since });
      await importRules(resources, atOnce(appendRule('', written)));
      const after = new Map((await unitsIn(db, repoId)).map((unit) => [unit.id, unit.subcategory]));
      const changed = before.filter(({ id, subcategory }) => after.get(id) !== subcategory);
      expect(preview).toMatchObject({ units: before.length, examined: before.length, changed: changed.length });
      expect(changed.length).toBeGreaterThan(0);
      const counted: Record<string, number> = {};
      for (const { id, subcategory } of changed) {
        const change = `${subcategory} ${after.get(id) ?? ''}`;
        counted[change] = (counted[change] ?? 0) + 1;
      }
      expect(Object.fromEntries(preview.changes.map(({ from, to, units }) => [`${from} ${to}`, units]))).toEqual(
        counted,
      );
      expect(preview.examples).toHaveLength(Math.min(20, changed.length));
      for (const { id, from, to, title } of preview.examples) {
        expect(changed).toContainEqual(expect.objectContaining({ id, subcategory: from }));
        expect([to, title === '']).toEqual([after.get(id), false]);
      }
      const days = before.map(({ day }) => day).sort();
      const last = days.at(-1) ?? '';
      const ofOneDay = await previewRule(resources, { own: none, added, since: last });
      expect(ofOneDay.units).toBe(days.filter((day) => day === last).length);
    });
  });

  it.skipIf(unread !== '')(`leaves corrected units, and says which agree${unread}`, async () => {
    const db = await newDatabase();
    const options = {
      provider: 'synthetic',
      db,
      target: 'git',
      repoName: 'acme/shop',
      maxCommitsPerRepo: '20',
    } as const;
    const repoId = onlyId(await sync(options));
    const [one, two, three] = await unitsIn(db, repoId);
    if (one === undefined || two === undefined || three === undefined) throw new Error('There are no units');
    const added = organizationRule({ name: 'all', work_types: ['commit'], gives: 'risk.compliance' });
    await inRecords(db, async (resources) => {
      for (const [{ id }, subcategory] of [
        [one, 'risk.compliance'],
        [two, 'quality.testing'],
        [three, 'quality.testing'],
      ] as const) {
        const correction = { unitId: id, subcategory, note: null, correctedAt: 1_700_000_000_000, correctedBy: 'Ada' };
        expect(await correctUnit(resources, correction)).toBe('corrected');
      }
      const preview = await previewRule(resources, { own: none, added, since });
      expect(preview.corrections).toEqual({ total: 3, examined: 3, agreeing: 1, disagreeing: 2 });
      expect(preview.matched).toBe(preview.units);
      expect(preview.examples.map(({ id }) => id)).not.toContain(one.id);
      const others = (await unitsIn(db, repoId)).filter((unit) => unit.subcategory !== 'risk.compliance');
      expect(preview.changed).toBe(others.length - 2);
    });
  });
});

describe('the preview of a rule for many units', () => {
  it('stops at its limits, and says how many units it has not looked at', async () => {
    const { options } = await clone(40);
    const db = sqliteUri();
    onlyId(await sync({ ...options, db }));
    const added = organizationRule({ name: 'all', work_types: ['commit'], gives: 'risk.compliance' });
    const preview = (limits: Partial<typeof PREVIEW_LIMITS>): Promise<RulePreview> =>
      inRecords(db, (resources) =>
        previewRule(resources, { own: none, added, since }, { ...PREVIEW_LIMITS, ...limits }),
      );
    expect(await preview({})).toMatchObject({ units: 40, examined: 40, matched: 40 });
    expect(await preview({ units: 10 })).toMatchObject({ units: 40, examined: 10, matched: 10 });
    expect(await preview({ milliseconds: 0 })).toMatchObject({ units: 40, examined: 0, matched: 0, changed: 0 });
  });
});
