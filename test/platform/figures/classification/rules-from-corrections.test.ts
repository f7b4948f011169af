import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runStoreTask } from '../../../../src/platform/sources/store-tasks/run-task.js';
import { onlyId, sync } from '../../../sync/harness.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';

let platform: TestPlatform;
let owner: TestUser;
let repoId: string;
let hash: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  const date = new Date().toISOString().slice(0, 10);
  const options = { provider: 'synthetic', target: 'git', repoName: 'a/b', date, backfill: '30' } as const;
  repoId = onlyId(await sync({ ...options, db: platform.databaseUri, org: owner.orgId, maxCommitsPerRepo: '40' }));
  const [commit] = await platform.database.sql<{ hash: string }[]>`
    update git_commits set message = 'feat(ledger): settle partner payouts'
    where hash = (select split_part(id, ':', 3) from work_units where org_id = ${owner.orgId} order by day desc, id limit 1)
    returning hash`;
  hash = commit?.hash ?? '';
});
afterAll(() => platform.stop());

const unitId = (): string => `${repoId}:commit:${hash}`;

function get(
  path: string,
  query: Readonly<Record<string, string>>,
  user: { accessToken: string } = owner,
): Promise<JsonReply> {
  const url = `/api/v1/organizations/${owner.orgId}/${path}?${new URLSearchParams(query).toString()}`;
  return platform.json('GET', url, { token: user.accessToken });
}

function put(path: string, body: unknown): Promise<JsonReply> {
  return platform.json('PUT', `/api/v1/organizations/${owner.orgId}/${path}`, { token: owner.accessToken, body });
}

const ledger = { name: 'scope ledger', scopes: 'ledger', gives: 'risk.compliance', days: '366' };

describe('Suggested rules', () => {
  it('need a correction or a proposal, and a unit', async () => {
    expect(await get('rule-suggestions', { unit_id: unitId() })).toMatchObject({
      ...{ status: 404, body: { type: '/problems/correction-not-found' } },
    });
    for (const unknown of [`${unitId()}0`, 'unknown']) {
      const reply = await get('rule-suggestions', { unit_id: unknown, subcategory: 'risk.compliance' });
      expect(reply).toMatchObject({ status: 404, body: { type: '/problems/work-unit-not-found' } });
    }
    const other = await platform.signUp();
    const theirs = `/api/v1/organizations/${other.orgId}/rule-suggestions?unit_id=${unitId()}&subcategory=risk.security`;
    expect(await platform.json('GET', theirs, { token: other.accessToken })).toMatchObject({
      ...{ status: 404, body: { type: '/problems/work-unit-not-found' } },
    });
    expect((await get('rule-suggestions', { unit_id: unitId(), subcategory: 'risk.danger' })).status).toBe(422);
  });

  it('classify the unit as proposed, or as it was corrected', async () => {
    const proposed = await get('rule-suggestions', { unit_id: unitId(), subcategory: 'risk.compliance' });
    expect(proposed).toMatchObject({
      status: 200,
      body: { unit_id: unitId(), title: 'feat(ledger): settle partner payouts', subcategory: 'risk.compliance' },
    });
    expect(proposed.body.by_rules).not.toBe('risk.compliance');
    expect(proposed.body.suggestions).toContainEqual({
      ...{ list: 'scopes', pattern: 'ledger', name: 'scope ledger', weight: 1 },
    });
    expect((await put(`corrections/${unitId()}`, { subcategory: 'risk.compliance' })).status).toBe(200);
    expect((await get('rule-suggestions', { unit_id: unitId() })).body).toEqual(proposed.body);
  });
});

describe('The preview of a rule', () => {
  it('shows what changes, agrees with the correction, and is stored by the operation for rules', async () => {
    await put(`corrections/${unitId()}`, { subcategory: 'risk.compliance' });
    const former = '# Ours\nrules: []\nproduction: [eu]\n';
    await put('rules', { file: former });
    const { body: scope } = await get('rule-preview', ledger);
    expect(scope).toMatchObject({
      ...{ units: 40, examined: 40, matched: 1, changed: 0, changed_theme: 0, changes: [], examples: [] },
      corrections: { total: 1, examined: 1, agreeing: 1, disagreeing: 0 },
    });
    expect(scope.file).toBe(
      '# Ours\nrules: [{"name":"scope ledger","scopes":["ledger"],"gives":"risk.compliance"}]\nproduction: [eu]\n',
    );
    const everything = { name: 'all', work_types: 'commit', gives: 'quality.testing', weight: '50', days: '366' };
    const { body: all } = await get('rule-preview', everything);
    expect(all.corrections).toEqual({ total: 1, examined: 1, agreeing: 0, disagreeing: 1 });
    const changes = all.changes as readonly { from: string; to: string; units: number }[];
    expect(changes.reduce((sum, { units }) => sum + units, 0)).toBe(all.changed);
    expect(new Set(changes.map(({ to }) => to))).toEqual(new Set(['quality.testing']));
    expect(all.examples[0]).toEqual({
      ...{ unit_id: expect.stringContaining(repoId), title: expect.any(String), from: expect.any(String) },
      to: 'quality.testing',
    });
    expect((await get('rule-preview', { ...everything, days: '1' })).body.units).toBeLessThan(40);

    const { sql } = platform.database;
    const audited = async (): Promise<number> =>
      (await sql`select from audit_log where org_id = ${owner.orgId} and resource_kind = 'RULES'`).length;
    const before = await audited();
    expect(await put('rules', { file: all.file, revision: all.revision })).toMatchObject({
      status: 200,
      body: { rules: 1 },
    });
    expect(await audited()).toBe(before + 1);
    const task = { kind: 'assign_teams', orgId: owner.orgId, store: platform.databaseUri } as const;
    await runStoreTask({ ...task, rulesFile: null, locks: null }, new AbortController().signal);
    const units = await sql<{ subcategory: string }[]>`
      select subcategory from work_units where org_id = ${owner.orgId} and id <> ${unitId()}`;
    expect(new Set(units.map(({ subcategory }) => subcategory))).toEqual(new Set(['quality.testing']));

    // The rules are others than those that the first preview was about.
    const late = await put('rules', { file: scope.file, revision: scope.revision });
    expect(late).toMatchObject({ status: 409, body: { type: '/problems/rules-changed' } });
    expect(
      (await platform.json('GET', `/api/v1/organizations/${owner.orgId}/rules`, { token: owner.accessToken })).body
        .file,
    ).toBe(all.file);
    expect(await audited()).toBe(before + 1);
    expect((await put('rules', { file: former, revision: 'x' })).status).toBe(422);
  });

  it('refuses a rule that the file cannot have', async () => {
    await put('rules', { file: 'rules: [{ name: scope ledger, labels: [a], gives: quality.testing }]' });
    const twice = await get('rule-preview', ledger);
    expect(twice).toMatchObject({ status: 422, body: { type: '/problems/rules-file-invalid' } });
    expect(twice.body.problems[0].message).toContain('is used twice');
    const nothing = await get('rule-preview', { name: 'nothing', gives: 'risk.compliance' });
    expect(nothing.body.problems[0].message).toContain('needs one of');
    const file = `rules: [] #${'x'.repeat(262_144 - 11)}`;
    await put('rules', { file });
    expect((await get('rule-preview', ledger)).body.problems[0].message).toContain('more than 262144 characters');
    expect(await get('rule-preview', { ...ledger, gives: 'risk.danger' })).toMatchObject({
      ...{ status: 422, body: { type: '/problems/validation-failed' } },
    });
    await put('rules', { file: 'rules: []' });
  });

  it('is for those who may store rules', async () => {
    const member = await platform.signUp({ invitedBy: owner, role: 'member' });
    const reader = { accessToken: (await createServiceToken(platform, owner, ['classification:read'])).token };
    const writer = { accessToken: (await createServiceToken(platform, owner, ['classification:write'])).token };
    const suggested = { unit_id: unitId(), subcategory: 'risk.compliance' };
    for (const [path, query] of [
      ['rule-preview', ledger],
      ['rule-suggestions', suggested],
    ] as const) {
      expect((await get(path, query, member)).body).toMatchObject({ status: 403, required_role: 'admin' });
      expect((await get(path, query, reader)).body).toMatchObject({
        status: 403,
        required_scope: 'classification:write',
      });
      expect((await get(path, query, writer)).status).toBe(200);
    }
  });
});
