/** Requests of several repositories with one number, as a clone finds them: those of a fork and of what it forked. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { countedRequests } from '../../../src/sync/providers/local/counted-requests.js';
import { tableNamed } from '../../../src/sync/records.js';
import { numberAtHost } from '../../../src/sync/request-numbers.js';
import type { SyncOptions } from '../../../src/sync/options.js';
import { describeUnits } from '../../../src/sync/work-units/describe-units.js';
import { openDerivationResources } from '../../../src/sync/work-units/derivation/resources.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';
import { describeOnEachDatabase } from '../databases.js';
import {
  NOW,
  onlyId,
  openDatabase,
  sqliteUri,
  storedRows,
  sync,
  temporaryDirectory,
  testDependencies,
} from '../harness.js';
import { unitsIn } from '../work-units/stored-units.js';

const SECOND = 1_000_000_012;
const THIRD = 1_010_000_012;

function repository(): string {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  git(path, 'commit', '--quiet', '--allow-empty', '--message', 'root');
  return path;
}

/** Merges a new commit into the current branch, with that message. */
function merge(path: string, name: string, message: string, date = ''): string {
  const into = git(path, 'branch', '--show-current').trim();
  git(path, 'checkout', '--quiet', '-b', `topic-${name}`);
  writeFileSync(join(path, `${name}.txt`), `${name}\n`);
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '--message', name);
  git(path, 'checkout', '--quiet', into);
  const env = { ...GIT_TEST_ENVIRONMENT, ...(date === '' ? {} : { GIT_COMMITTER_DATE: date }) };
  execFileSync('git', ['-C', path, 'merge', '--quiet', '--no-ff', '--message', message, `topic-${name}`], { env });
  return git(path, 'rev-parse', 'HEAD').trim();
}

/** The merge of a request with the number 12 in the words of GitHub. */
function pull(path: string, from: string, title: string, date?: string): string {
  return merge(path, title, `Merge pull request #12 from ${from}\n\n${title}`, date);
}

type Requests = readonly (readonly [number: unknown, merge: unknown])[];

async function synced(path: string, db: string, options: Partial<SyncOptions> = {}): Promise<string> {
  let id = '';
  for (const target of ['git', 'prs'] as const) {
    const summary = await sync({ target, provider: 'local', db, repoPath: path, ...options });
    expect(summary.repositories[0]?.error).toBeNull();
    id = onlyId(summary);
  }
  return id;
}

async function requests(db: string, id: string): Promise<Requests> {
  const rows = (await storedRows(db, id))['git_pull_requests'] ?? [];
  return rows.map((row) => [row['number'], row['merge_hash']]);
}

/** The number of units, by the kind of work. */
async function units(db: string, id: string): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const { workType } of await unitsIn(db, id)) found[workType] = (found[workType] ?? 0) + 1;
  return found;
}

describeOnEachDatabase('requests with one number', (engine) => {
  const hasUnits = engine.kind !== 'mongo';

  it('count once each, in one sync or several', async () => {
    const path = repository();
    const first = pull(path, 'ada/one', 'one');
    const second = pull(path, 'grace/two', 'two');
    const db = await engine.newDatabase();
    const both = [
      [12, first],
      [SECOND, second],
    ];
    for (let time = 0; time < 2; time += 1) {
      const id = await synced(path, db);
      expect(await requests(db, id)).toEqual(both);
      if (hasUnits) expect(await units(db, id)).toEqual({ commit: 1, pull_request: 2 });
    }
    const third = merge(
      path,
      'three',
      "Merge branch 'three' into 'main'\n\nThree\n\nSee merge request group/project!12",
    );
    const id = await synced(path, db);
    expect(await requests(db, id)).toEqual([...both, [THIRD, third]]);
    if (hasUnits) expect(await units(db, id)).toEqual({ commit: 1, pull_request: 3 });
  });
});

describe('of requests with one number', () => {
  it('one that was merged twice is one, the newer one, and keeps its number', async () => {
    const path = repository();
    const db = sqliteUri();
    const first = pull(path, 'ada/one', 'one');
    const second = pull(path, 'grace/two', 'two');
    await synced(path, db);
    const again = pull(path, 'ada/one', 'again');
    const id = await synced(path, db);
    const both = [
      [12, again],
      [SECOND, second],
    ];
    expect(await requests(db, id)).toEqual(both);
    git(path, 'checkout', '--quiet', '-b', 'stable', `${first}^1`);
    git(path, 'cherry-pick', '-m', '1', again);
    git(path, 'checkout', '--quiet', 'main');
    git(path, 'merge', '--quiet', '--no-ff', '--message', "Merge branch 'stable'", 'stable');
    await synced(path, db);
    expect(await requests(db, id)).toEqual(both);
  });

  it('the one that was merged first keeps it, even if the clone has it later', async () => {
    const path = repository();
    const db = sqliteUri();
    git(path, 'branch', 'upstream');
    const fork = pull(path, 'grace/two', 'two');
    const id = await synced(path, db);
    expect(await requests(db, id)).toEqual([[12, fork]]);
    git(path, 'checkout', '--quiet', 'upstream');
    const first = pull(path, 'ada/one', 'one', '2014-06-18T12:00:00Z');
    git(path, 'checkout', '--quiet', 'main');
    git(path, 'merge', '--quiet', '--no-ff', '--message', "Merge branch 'upstream'", 'upstream');
    await synced(path, db);
    expect(await requests(db, id)).toEqual([
      [12, first],
      [SECOND, fork],
    ]);
    expect(await units(db, id)).toEqual({ commit: 1, pull_request: 2 });
  });

  it('only the one with the number of its host has an address', async () => {
    const path = repository();
    const db = sqliteUri();
    git(path, 'remote', 'add', 'origin', 'https://github.com/acme/widgets.git');
    pull(path, 'ada/one', 'one');
    pull(path, 'grace/two', 'two');
    const id = await synced(path, db);
    const options = { orgId: 'default', rulesFile: undefined };
    const resources = await openDerivationResources(await openDatabase(db), options, testDependencies());
    if (resources === undefined) throw new Error('The database has no units');
    onTestFinished(() => resources.close());
    const described = await describeUnits(resources, [`${id}:pull_request:12`, `${id}:pull_request:${SECOND}`]);
    expect([...described.values()].map(({ title, url }) => [title, url])).toEqual([
      ['one', 'https://github.com/acme/widgets/pull/12'],
      ['two', null],
    ]);
  });

  it('each has the same number in a sync of a part of the history', async () => {
    const path = repository();
    const db = sqliteUri();
    pull(path, 'ada/one', 'one', '2014-06-18T12:00:00Z');
    const second = pull(path, 'grace/two', 'two');
    const id = await synced(path, db, { since: '2020-01-01' });
    expect(await requests(db, id)).toEqual([[SECOND, second]]);
  });

  it('an earlier release stored one, and none is stored twice afterwards', async () => {
    const path = repository();
    const db = sqliteUri();
    const first = pull(path, 'ada/one', 'one');
    const second = pull(path, 'grace/two', 'two');
    const id = await synced(path, db);
    const newest = (await storedRows(db, id))['git_pull_requests']?.find((row) => row['merge_hash'] === second);
    const sink = await openDatabase(db);
    const key = { repoId: id, target: 'prs', source: 'local' } as const;
    const state = await sink.readState(key);
    if (state === undefined || newest === undefined) throw new Error('The sync stored nothing');
    const table = tableNamed('git_pull_requests');
    await sink.remove(table, id, { merge_hash: [first, second] });
    await sink.apply({
      key,
      tables: [{ table, rows: [{ ...newest, number: 12, last_synced: NOW }] }],
      blameLengths: [],
      state: { ...state, position: { tip: second, exclude: null, count: 0, version: 2 } },
    });
    expect(await requests(db, id)).toEqual([[12, second]]);
    await synced(path, db);
    expect(await requests(db, id)).toEqual([
      [12, first],
      [SECOND, second],
    ]);
    expect(await units(db, id)).toEqual({ commit: 1, pull_request: 2 });
  });

  it('as many are stored as a database can number', () => {
    const hashes = Array.from({ length: 200 }, (_, index) => index.toString(16).padStart(40, '0'));
    const endings = [12, 9_999_999, 10_000_000].flatMap((number) =>
      hashes.map((hash) => ({ hash: `${number}${hash}`, number, origin: hash, evidence: 'merge' as const })),
    );
    const numbers = countedRequests(endings).map(({ number }) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toHaveLength(115 + 115 + 1);
    expect(Math.max(...numbers)).toBeLessThan(2 ** 31);
    expect(new Set(numbers.map(numberAtHost))).toEqual(new Set([12, 9_999_999, 10_000_000]));
  });
});
