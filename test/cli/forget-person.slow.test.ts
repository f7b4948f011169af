import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmptyDatabase } from '../support/postgres.js';
import { GIT_TEST_ENVIRONMENT } from '../support/git-history.js';
import { openDatabase } from '../sync/harness.js';
import { runMain, startMain } from './main-process.js';

const ADA = { name: 'Ada Lovelace', email: 'ada@example.com' };
const OLD_ADA = { name: 'Ada', email: 'ada@old.example.com' };
const GRACE = { name: 'Grace Hopper', email: 'grace@example.com' };

/** The names of Ada, as words. */
const NAMED = /\bada\b|lovelace/i;

interface TestDatabase {
  readonly uri: string;
  /** The rows of a statement, each as a list of values. */
  rows(statement: string): Promise<readonly (readonly unknown[])[]>;
  /** Everything in all tables. */
  dump(): Promise<string>;
}

function sqlite(folder: string): Promise<TestDatabase> {
  const path = join(folder, 'records.db');
  const rows = (statement: string): unknown[][] => {
    const database = new Database(path);
    const found = database.prepare(statement).raw().all() as unknown[][];
    database.close();
    return found;
  };
  const tables = (): string[] =>
    rows("select name from sqlite_master where type = 'table'").map(([name]) => String(name));
  return Promise.resolve({
    uri: `sqlite:${path}`,
    rows: (statement) => Promise.resolve(rows(statement)),
    dump: () =>
      Promise.resolve(
        tables()
          .map((table) => JSON.stringify([table, rows(`select * from ${table}`)]))
          .join('\n'),
      ),
  });
}

async function postgresql(): Promise<TestDatabase> {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const rows = async (statement: string): Promise<unknown[][]> => {
    const sql = postgres(database.uri, { max: 1, onnotice: () => undefined });
    const found = await sql.unsafe(statement).values();
    await sql.end();
    return found;
  };
  return {
    uri: database.uri,
    rows,
    async dump() {
      const tables = await rows("select tablename from pg_tables where schemaname = 'public'");
      const contents = await Promise.all(
        tables.map(async ([table]) => JSON.stringify([table, await rows(`select t::text from ${String(table)} t`)])),
      );
      return contents.join('\n');
    },
  };
}

/** A clone with commits of two people, and the commands on one database. */
async function workspace(open: (folder: string) => Promise<TestDatabase>) {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-person-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const database = await open(folder);
  let minute = 0;
  const git = (clone: string, { name, email }: typeof ADA, ...args: readonly string[]): void => {
    minute += 1;
    const date = `2026-01-05T10:${String(minute).padStart(2, '0')}:00Z`;
    const author = {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    };
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync('git', ['-C', join(folder, clone), ...args], {
      env: { ...GIT_TEST_ENVIRONMENT, ...author, ...dates },
    });
  };
  const commit = (
    clone: string,
    person: typeof ADA,
    message: string,
    files: Readonly<Record<string, string>> = {},
  ): void => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, clone, path), text);
    git(clone, person, 'add', '.');
    git(clone, person, 'commit', '--quiet', '--allow-empty', '--message', message);
  };
  const initialize = (clone: string): void => {
    mkdirSync(join(folder, clone));
    git(clone, GRACE, 'init', '--quiet', '--initial-branch=main');
    commit(clone, GRACE, 'feat: begin', {
      '.mailmap': `${ADA.name} <${ADA.email}> <${OLD_ADA.email}>\n`,
      CODEOWNERS: `* ${ADA.email} @grace\n`,
      AUTHORS: `Written by ${ADA.name} <${ADA.email}>\n`,
    });
    commit(clone, ADA, 'feat: add parts', { 'parts.ts': 'one\n' });
    commit(clone, OLD_ADA, 'fix: mend parts', { 'parts.ts': 'one\ntwo\n' });
    commit(clone, GRACE, `fix: mend more\n\nCo-authored-by: ${ADA.name} <${ADA.email}>\nThanks to Ada Lovelace`);
    git(clone, ADA, 'switch', '--quiet', '--create', 'feature');
    commit(clone, ADA, 'docs: explain parts', { 'README.md': 'parts\n' });
    git(clone, ADA, 'switch', '--quiet', 'main');
    git(
      clone,
      GRACE,
      'merge',
      '--quiet',
      '--no-ff',
      '--message',
      'Merge pull request #1 from ada/feature\n\nExplain',
      'feature',
    );
  };
  const db = ['--db', database.uri];
  const run = async (...args: readonly string[]) => {
    const finished = await runMain([...args, ...db]);
    expect(finished).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Error') });
    return finished;
  };
  const sync = async (clone: string, org: string, ...args: readonly string[]): Promise<void> => {
    await run('sync', 'git', '--provider', 'local', '--repo-path', join(folder, clone), '--org', org, ...args);
  };
  const syncAll = async (clone: string): Promise<void> => {
    await sync(clone, 'default');
    for (const target of ['prs', 'blame'])
      await run('sync', target, '--provider', 'local', '--repo-path', join(folder, clone));
  };
  const units = async (org: string): Promise<ReadonlyMap<unknown, number>> => {
    const found = await database.rows(
      `select author, count(*) from work_units where org_id = '${org}' group by author`,
    );
    return new Map(found.map(([author, count]) => [author, Number(count)]));
  };
  return { folder, database, db, commit, initialize, run, sync, syncAll, units };
}

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgresql],
] as const)('plumbline forget person on %s', (_name, open) => {
  it(
    'leaves no name in any column, keeps the figures, and a later sync does not bring the person back',
    { timeout: 300_000 },
    async () => {
      const { folder, database, commit, initialize, run, sync, syncAll, units } = await workspace(open);
      initialize('api');
      await syncAll('api');
      const teams = join(folder, 'teams.yaml');
      writeFileSync(teams, `teams:\n  - { id: pay, members: [${ADA.email}] }\n`);
      await run('teams', 'import', teams);
      const authors = join(folder, 'authors.yaml');
      writeFileSync(authors, `authors:\n  - { author: ${ADA.email}, also: [ada-at-home, Ada L.] }\n`);
      await run('authors', 'import', authors);
      const before = await units('default');
      expect(before).toEqual(
        new Map([
          [ADA.email, 3],
          [GRACE.email, 2],
        ]),
      );
      const [pay] = await database.rows("select count(*) from work_units where team = 'pay'");
      expect(await database.dump()).toMatch(NAMED);

      const { stdout } = await run('forget', 'person', OLD_ADA.email, '--yes', '--json');
      const result = JSON.parse(stdout) as { pseudonym: string; changed: object };
      expect(result).toMatchObject({
        identities: 6,
        same_name: [],
        changed: { git_commits: 5, git_pull_requests: 1, team_files: 1, author_files: 1, work_unit_progress: 2 },
      });
      expect(await database.dump()).not.toMatch(NAMED);
      expect(await units('default')).toEqual(
        new Map([
          [result.pseudonym, 3],
          [GRACE.email, 2],
        ]),
      );
      expect(await database.rows("select count(*) from work_units where team = 'pay'")).toEqual([pay]);

      commit('api', ADA, 'feat: add more parts', { 'parts.ts': 'one\ntwo\nthree\n' });
      await syncAll('api');
      await sync('api', 'default', '--max-commits-per-repo', '50');
      initialize('unseen');
      await sync('unseen', 'default');
      expect(await units('default')).toEqual(
        new Map([
          [result.pseudonym, 7],
          [GRACE.email, 4],
        ]),
      );
      expect(await database.dump()).not.toMatch(NAMED);

      const again = await run('forget', 'person', ADA.email, '--yes');
      expect(again.stdout).toContain(`${ADA.email} is erased: ${result.pseudonym} replaces`);
    },
  );

  it(
    'leaves other organizations alone, and refuses a person who is unknown or not confirmed',
    { timeout: 300_000 },
    async () => {
      const { database, db, initialize, run, sync, units } = await workspace(open);
      initialize('api');
      await sync('api', 'default');
      await sync('api', 'other');
      const others = `select * from git_commits where org_id = 'other' order by hash`;
      const [before, unitsBefore] = [await database.rows(others), await units('other')];
      for (const [args, message] of [
        [['nobody@example.com', '--yes'], 'default has no person "nobody@example.com"'],
        [[ADA.email, '--org', 'third', '--yes'], `third has no person "${ADA.email}"`],
        [[ADA.email], "required option '--yes' not specified"],
      ] as const) {
        const refused = await runMain(['forget', 'person', ...args, ...db]);
        expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) });
      }
      expect([...(await units('default')).keys()]).toContain(ADA.email);

      const { stdout } = await run('forget', 'person', ADA.email, '--yes');
      expect(stdout).toMatch(/^ada@example\.com is erased: erased-[0-9a-f]{16} replaces 4 names and addresses\n/);
      expect(stdout).toMatch(/^ {2}git_commits +5 changed$/m);
      expect(await database.rows(others)).toEqual(before);
      expect(await units('other')).toEqual(unitsBefore);
      expect(JSON.stringify(await database.rows("select * from git_commits where org_id = 'default'"))).not.toMatch(
        NAMED,
      );
    },
  );

  it('completes an erasure that was killed', { timeout: 300_000 }, async () => {
    const { database, db, initialize, run, sync, units } = await workspace(open);
    for (const clone of ['api', 'web']) {
      initialize(clone);
      await sync(clone, 'default');
    }
    const before = await units('default');
    const [first = '', last = ''] = (await database.rows('select id from repos order by id')).map(([id]) => String(id));
    const sink = await openDatabase(database.uri, Date.now);
    const lock = await sink.tryLock({ repoId: last, target: 'issues', source: 'local' });
    const child = startMain(['forget', 'person', ADA.email, '--yes', ...db]);
    const named = `select 1 from git_commits where author_email = '${ADA.email}' and repo_id =`;
    await expect.poll(() => database.rows(`${named} '${first}'`), { timeout: 60_000 }).toEqual([]);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    await lock?.release();
    expect(await database.rows(`${named} '${last}'`)).not.toEqual([]);

    const { stdout } = await run('forget', 'person', ADA.email, '--yes', '--json');
    const { pseudonym } = JSON.parse(stdout) as { pseudonym: string };
    expect(await database.dump()).not.toMatch(NAMED);
    expect(await units('default')).toEqual(
      new Map([...before].map(([author, count]) => [author === ADA.email ? pseudonym : author, count])),
    );
  });
});
