/** What shows that a deployment failed, in syncs that come one after the other. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AnyRow } from '../../../../src/sync/records.js';
import { describeUnits } from '../../../../src/sync/work-units/describe-units.js';
import { refreshRepository } from '../../../../src/sync/work-units/derivation/derivation.js';
import { deriveUnit } from '../../../../src/sync/work-units/explain.js';
import {
  DAY,
  deploymentRow,
  HOUR,
  incidentRow,
  issueRow,
  MemoryStore,
  ORG,
  requestRow,
  resourcesOn,
  syncAndDerive,
} from './deriving.js';
import { NOW, openDatabase, sqliteUri } from '../../harness.js';

const first = deploymentRow('first', { deployed_at: NOW - 9 * DAY, started_at: NOW - 9 * DAY });
const second = deploymentRow('second', { deployed_at: NOW - 3 * DAY, started_at: NOW - 3 * DAY });

/** A repository with two deployments to production; `next` stores what a later sync brings. */
async function deployed() {
  const units = new MemoryStore();
  const resources = await resourcesOn(await openDatabase(sqliteUri()), units);
  const repoId = randomUUID();
  let at = NOW;
  const next = async (
    target: 'deployments' | 'incidents' | 'issues' | 'prs',
    table: 'deployments' | 'incidents' | 'issues' | 'git_pull_requests',
    ...rows: readonly AnyRow[]
  ): Promise<readonly string[]> => {
    at += HOUR;
    await syncAndDerive(resources, { repoId, target, records: { [table]: rows }, at });
    return failed();
  };
  const failed = (): readonly string[] =>
    units.of(repoId).flatMap(({ id, changeFailed }) => (changeFailed === true ? [id.split(':').at(-1) ?? ''] : []));
  const ids = (): readonly string[] => units.of(repoId).map(({ id }) => id.slice(repoId.length + 1));
  const useRules = async (text: string): Promise<readonly string[]> => {
    await resources.records.writeFile('rules', ORG, text);
    await refreshRepository(resources, repoId);
    return failed();
  };
  await next('deployments', 'deployments', first, second);
  return { next, failed, ids, useRules, resources, repoId };
}

const outage = { labels: ['outage'], kind: 'issue', created_at: NOW - 2 * DAY };

describe('an issue', () => {
  it('counts against the deployment before it while it is an incident', async () => {
    const { next } = await deployed();
    expect(await next('issues', 'issues', issueRow(4, { ...outage, kind: 'incident' }))).toEqual(['second']);
    expect(await next('issues', 'issues', issueRow(4, outage))).toEqual([]);
  });

  it('is an incident by the rules of the organization, before and after they change', async () => {
    const { next, useRules, ids } = await deployed();
    expect(await next('issues', 'issues', issueRow(4, outage))).toEqual([]);
    expect(await useRules('rules: []\nincidents: [outage]')).toEqual(['second']);
    expect(ids()).toContain('incident:4');
    expect(ids()).not.toContain('issue:4');
    expect(await next('issues', 'issues', issueRow(5, { ...outage, created_at: NOW - 8 * DAY }))).toEqual([
      'first',
      'second',
    ]);
    expect(await useRules('')).toEqual([]);
    expect(ids()).toContain('issue:4');
    expect(ids()).not.toContain('incident:4');
  });

  it('decides for the incident of its number', async () => {
    const { next, ids } = await deployed();
    const incident = incidentRow('4', { started_at: outage.created_at });
    expect(await next('incidents', 'incidents', incident)).toEqual(['second']);
    expect(await next('issues', 'issues', issueRow(4, outage))).toEqual([]);
    expect(ids()).not.toContain('incident:4');
    expect(await next('incidents', 'incidents', { ...incident, title: 'Logins still fail' })).toEqual([]);
    expect(ids()).not.toContain('incident:4');
  });

  it('is explained and described as the incident that it is', async () => {
    const { next, resources, repoId } = await deployed();
    await next('issues', 'issues', issueRow(4, { ...outage, kind: 'incident', title: 'Search is down' }));
    const id = `${repoId}:incident:4`;
    expect(await deriveUnit(resources, id)).toMatchObject({ title: 'Search is down', unit: { workType: 'incident' } });
    expect(await deriveUnit(resources, `${repoId}:issue:4`)).toBeUndefined();
    expect((await describeUnits(resources, [id])).get(id)).toMatchObject({ title: 'Search is down' });
  });
});

describe('an incident of the host', () => {
  it('is none where the organization names others', async () => {
    const { next, useRules, ids } = await deployed();
    const begin = NOW - 2 * DAY;
    expect(await next('incidents', 'incidents', incidentRow('a', { started_at: begin }))).toEqual(['second']);
    expect(await useRules('rules: []\nincidents: ["severity:critical"]')).toEqual([]);
    expect(ids()).not.toContain('incident:a');
    const severe = incidentRow('a', { started_at: begin, severity: 'critical' });
    expect(await next('incidents', 'incidents', severe)).toEqual(['second']);
    expect(ids()).toContain('incident:a');
  });
});

describe('a merged request', () => {
  const repair = requestRow(1, { labels: ['hotfix'], created_at: NOW - 2 * DAY });

  it('shows a failure only where the organization names it', async () => {
    const { next, useRules } = await deployed();
    expect(await next('prs', 'git_pull_requests', repair)).toEqual([]);
    expect(await useRules('rules: []\nfailures: [hotfix]')).toEqual(['second']);
    expect(await next('prs', 'git_pull_requests', { ...repair, labels: [] })).toEqual([]);
    expect(await next('prs', 'git_pull_requests', requestRow(2, { ...repair, number: 2 }))).toEqual(['second']);
  });

  it('that was not merged repairs nothing', async () => {
    const { next, useRules } = await deployed();
    await useRules('rules: []\nfailures: [hotfix]');
    const open = { ...repair, state: 'open', merged_at: null, closed_at: null };
    expect(await next('prs', 'git_pull_requests', open)).toEqual([]);
  });
});
