import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { addressOfMadeUp } from '../../src/sync/providers/synthetic/open-synthetic.js';
import { runMain } from './main-process.js';

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];

async function synced(...names: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-forget-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'records.db');
  const db = ['--db', `sqlite:${path}`];
  const sync = async (name: string, org = 'default'): Promise<void> => {
    const args = ['sync', 'git', '--provider', 'synthetic', '--repo-name', name, '--org', org];
    expect((await runMain([...args, ...db, '--max-commits-per-repo', '10'])).exitCode).toBe(0);
  };
  for (const name of names) await sync(name);
  const rows = (statement: string): readonly unknown[] => {
    const database = new Database(path);
    const found = database.prepare(statement).raw().all() as unknown[][];
    database.close();
    return found.map(([value]) => value);
  };
  return {
    folder,
    db,
    sync,
    /** The names in each table that has one, with repetitions removed. */
    stored: () => ({
      repositories: rows('select repo from repos order by repo'),
      commits: rows('select distinct r.repo from git_commits c left join repos r on r.id = c.repo_id order by 1'),
      units: rows('select distinct repo from work_units order by repo'),
    }),
    ids: (name: string) => rows(`select id from repos where repo = '${name}'`),
  };
}

const only = (...names: string[]) => ({ repositories: names, commits: names, units: names });

it('plumbline forget repository removes one repository, by name, address or id, and a later sync reads it again', async () => {
  const { db, sync, stored, ids } = await synced('acme/api', 'acme/web', 'acme/docs');
  const [api] = ids('acme/api');
  const removed = await runMain(['forget', 'repository', 'acme/api', '--yes', ...db]);
  expect(removed).toMatchObject({ exitCode: 0, stdout: `acme/api (${String(api)}) is removed\n` });
  expect(stored()).toEqual(only('acme/docs', 'acme/web'));

  const [web] = ids('acme/web');
  const byId = await runMain(['forget', 'repository', String(web), '--yes', '--json', ...db]);
  expect(JSON.parse(byId.stdout)).toEqual({ id: web, name: 'acme/web', removed: true });
  expect(stored()).toEqual(only('acme/docs'));

  await sync('acme/api');
  expect(stored()).toEqual(only('acme/api', 'acme/docs'));
  const address = addressOfMadeUp('acme/docs');
  expect((await runMain(['forget', 'repository', address, '--yes', ...db])).exitCode).toBe(0);
  expect(stored()).toEqual(only('acme/api'));
});

it('plumbline forget refuses what is unknown, of another organization, or not confirmed', async () => {
  const { db, sync, stored } = await synced('acme/api');
  await sync('acme/api', 'other');
  const before = stored();
  for (const [args, message] of [
    [['acme/none', '--yes'], 'default has no repository "acme/none"'],
    [['acme/api', '--org', 'third', '--yes'], 'third has no repository "acme/api"'],
    [['acme/api'], "required option '--yes' not specified"],
  ] as const) {
    const refused = await runMain(['forget', 'repository', ...args, ...db]);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
  }
  expect(stored()).toEqual(before);
  expect((await runMain(['forget', 'repository', 'acme/api', '--org', 'other', '--yes', ...db])).exitCode).toBe(0);
  expect(stored().repositories).toEqual(['acme/api']);
});

/** Syncs a clone in `<parent>/tools` for each parent, with its remote if it has one. */
async function syncClones(
  { folder, db }: Pick<Awaited<ReturnType<typeof synced>>, 'folder' | 'db'>,
  remotes: Readonly<Record<string, string | null>>,
): Promise<void> {
  for (const [parent, remote] of Object.entries(remotes)) {
    const clone = join(folder, parent, 'tools');
    execFileSync('git', ['init', '--quiet', clone]);
    execFileSync('git', ['-C', clone, ...AUTHOR, 'commit', '--quiet', '--allow-empty', '--message', `begin ${parent}`]);
    if (remote !== null) execFileSync('git', ['-C', clone, 'remote', 'add', 'origin', remote]);
    const args = ['sync', 'git', '--provider', 'local', '--repo-path', clone, ...db];
    expect((await runMain(args)).exitCode).toBe(0);
  }
}

it('plumbline forget asks for the id where two repositories have the name', async () => {
  const { folder, db, stored, ids } = await synced();
  await syncClones({ folder, db }, { a: 'https://one.example/acme/tools', b: 'https://two.example/acme/tools' });
  const [one, two] = ids('acme/tools');
  const refused = await runMain(['forget', 'repository', 'acme/tools', '--yes', ...db]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('default has 2 repositories "acme/tools": name one by its id');
  expect(refused.stderr).toContain(String(one));
  expect((await runMain(['forget', 'repository', String(two), '--yes', ...db])).exitCode).toBe(0);
  expect(stored()).toEqual(only('acme/tools'));
  expect(ids('acme/tools')).toEqual([one]);
});

it('plumbline forget knows two clones in folders of one name', async () => {
  const { folder, db, stored } = await synced();
  await syncClones({ folder, db }, { a: null, b: null, c: null });
  expect(stored()).toEqual(only('b/tools', 'c/tools', 'tools'));
  for (const name of ['tools', 'c/tools'])
    expect((await runMain(['forget', 'repository', name, '--yes', ...db])).exitCode).toBe(0);
  expect(stored()).toEqual(only('b/tools'));
});

it('plumbline forget records removes what is older than some days, and prints how many', async () => {
  const { db, stored } = await synced('acme/api');
  const removed = await runMain(['forget', 'records', '--days', '1', '--yes', '--json', ...db]);
  expect(removed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(removed.stdout)).toMatchObject({ busy: [] });
  expect(stored().repositories).toEqual(['acme/api']);
  const again = await runMain(['forget', 'records', '--days', '1', '--yes', ...db]);
  expect(again.stdout).toContain('Deleted 0 old commits.\n');
  expect(await runMain(['forget', 'records', '--days', 'x', '--yes', ...db])).toMatchObject({
    exitCode: 2,
    stderr: 'plumbline forget: --days must be a number of days, at least 1\n',
  });
});
