/** Requests and commits that name issues of Jira by their keys. */
import { describe, expect, it } from 'vitest';
import { keysOfCommit, keysOfRequest } from '../../src/sync/work-units/derivation/issue-keys.js';
import { describeUnits } from '../../src/sync/work-units/describe-units.js';
import { openDerivationResources } from '../../src/sync/work-units/derivation/resources.js';
import { giteaCommit, giteaRepository, hashOf, startGiteaDouble, type GiteaPull } from '../support/hosts/gitea.js';
import { jiraIssue, jiraSite, startJiraDouble } from '../support/hosts/jira.js';
import { describeOnEachDatabase } from './databases.js';
import { NOW, onlyId, openDatabase, sync, testDependencies } from './harness.js';

function keysIn(text: string): readonly string[] {
  return keysOfCommit({ hash: 'a', message: text }).map(({ issue, kind }) => `${kind.split(':')[2] ?? ''}-${issue}`);
}

function keysInBranch(branch: string): readonly string[] {
  const row = { number: 1, title: '', body: null, head_branch: branch };
  return keysOfRequest(row).map(({ issue, kind }) => `${kind.split(':')[2] ?? ''}-${issue}`);
}

describe('keys of issues', () => {
  it.each([
    ['SHOP-12: Add a cart', ['SHOP-12']],
    ['Add a cart (SHOP-12, OPS_2-3)\n\nRefs: SHOP-13.', ['SHOP-12', 'OPS_2-3', 'SHOP-13']],
    ['[SHOP-12] SHOP-12', ['SHOP-12']],
    ['See https://acme.atlassian.net/browse/SHOP-12', []],
    ['Repair shop-12', []],
    ['CVE-2024-1234 in X-1', []],
    ['XSHOP-12a, aSHOP-12, v1.SHOP-12, SHOP-012, SHOP-0, GPT-4.1', []],
    ['Decode UTF-8', ['UTF-8']],
  ])('in %j are %j', (text, keys) => {
    expect(keysIn(text)).toEqual(keys);
  });

  it.each([
    ['feature/shop-12-cart', ['SHOP-12']],
    ['SHOP-12', ['SHOP-12']],
    ['ada/SHOP-12_OPS-3', ['SHOP-12', 'OPS-3']],
    ['workshop-12x', []],
    ['new-shop-12', []],
  ])('in the branch %j are %j', (branch, keys) => {
    expect(keysInBranch(branch)).toEqual(keys);
  });

  it('count up to a number in one text', () => {
    const text = Array.from({ length: 50 }, (_, index) => `SHOP-${index + 1}`).join(' ');
    expect(keysIn(text)).toHaveLength(20);
  });
});

function pull(number: number, fields: object, commits: readonly object[] = []): GiteaPull {
  const request = {
    ...{ number, title: `Request ${number}`, body: '', state: 'open', user: { id: 1, login: 'ada' }, labels: null },
    ...{ comments: 0, merged: false, merged_at: null, merge_commit_sha: null, closed_at: null },
    ...{ created_at: '2026-01-03T00:00:00Z', updated_at: '2026-01-05T00:00:00Z' },
    ...{ head: { label: 'fix', ref: 'fix', sha: hashOf(90) }, base: { label: 'main', ref: 'main' } },
    ...{ additions: 4, deletions: 1, changed_files: 2 },
    ...fields,
  };
  return { request, reviews: [], commits };
}

const message = (number: number, text: string): object => {
  const made = giteaCommit(number);
  return { ...made, commit: { ...Reflect.get(made, 'commit'), message: text } };
};

describeOnEachDatabase('an issue of Jira', ({ kind, newDatabase }) => {
  const unread = kind === 'mongo' ? ' (skipped: no engine of the analytics reads MongoDB)' : '';
  it.skipIf(unread !== '')(`is linked to the units of other repositories that name its key${unread}`, async () => {
    const db = await newDatabase();
    const branch = { head: { label: 'feature/shop-2-cart', ref: 'feature/shop-2-cart', sha: hashOf(90) } };
    const pulls = [
      pull(11, { title: 'SHOP-1: Add a cart', body: 'Fixes SHOP-2' }),
      pull(12, branch),
      pull(13, {}, [message(3, 'SHOP-3 inside of a request')]),
    ];
    const commits = [message(3, 'SHOP-3 inside of a request'), message(2, 'SHOP-3 outside'), message(1, 'OPS-3')];
    const code = await startGiteaDouble(giteaRepository('acme/widgets', { commits, pulls }));
    const gitea = { provider: 'gitea', db, giteaUrl: code.url, auth: code.token, owner: 'acme', repo: 'widgets' };
    await sync({ ...gitea, target: 'git' });
    const repository = onlyId(await sync({ ...gitea, target: 'prs' }));
    // A project that is read later is linked as well.
    const host = await startJiraDouble(jiraSite({ issues: [1, 2, 3, 4].map((each) => jiraIssue(`SHOP-${each}`)) }));
    const jira = { provider: 'jira', target: 'issues', db, jiraUrl: host.url, auth: host.token, project: 'SHOP' };
    const project = onlyId(await sync(jira));
    const name = (id: string): string => id.replace(`${repository}:`, '');
    expect((await naming(db, project)).map((ids) => ids.map(name))).toEqual([
      ['pull_request:11'],
      ['pull_request:11', 'pull_request:12'],
      [`commit:${hashOf(2)}`, 'pull_request:13'],
      [],
    ]);
    // A request that no longer names a key is no longer linked.
    pulls.splice(0, 1, pull(11, { title: 'SHOP-4: Add a cart', updated_at: '2026-01-06T00:00:00Z' }));
    code.repository.pulls.splice(0, 3, ...pulls);
    // ClickHouse keeps the version of a row that was written last, by this clock.
    await sync({ ...gitea, target: 'prs' }, testDependencies({ now: () => NOW + 3_600_000 }));
    expect((await naming(db, project)).map((ids) => ids.map(name))).toEqual([
      [],
      ['pull_request:12'],
      [`commit:${hashOf(2)}`, 'pull_request:13'],
      ['pull_request:11'],
    ]);
    expect(await naming(db, project, 'another')).toEqual([[], [], [], []]);
  });
});

/** The units that name the first four issues of a project. */
async function naming(db: string, project: string, orgId = 'default'): Promise<readonly (readonly string[])[]> {
  const sink = await openDatabase(db);
  const resources = await openDerivationResources(sink, { orgId, rulesFile: undefined }, testDependencies());
  if (resources === undefined) throw new Error('The database has no units');
  try {
    const ids = [1, 2, 3, 4].map((number) => `${project}:issue:${number}`);
    const described = await describeUnits(resources, ids);
    for (const { closedBy, url } of described.values()) {
      expect(closedBy).toEqual([]);
      expect(url).toMatch(/^http:.*\/browse\/SHOP-[1-4]$/);
    }
    return ids.map((id) => described.get(id)?.namedBy ?? []);
  } finally {
    await resources.close();
  }
}
