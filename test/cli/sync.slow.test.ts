import { mkdirSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { startEmbeddedPostgres } from '../../src/database/embedded.js';
import { git, initRepository, writeHistory } from '../support/git-history.js';
import { createEmptyDatabase, postmasterPid } from '../support/postgres.js';
import { sqliteUri, storedRows, temporaryDirectory } from '../sync/harness.js';
import { printedSummary, runSyncProcess, startSync } from './sync-process.js';

async function project(commits = 12): Promise<string> {
  const path = join(temporaryDirectory(), 'project');
  initRepository(path);
  await writeHistory(path, commits);
  return path;
}

const local = (path: string): string[] => ['git', '--provider', 'local', '--repo-path', path];

describe('plumbline sync --help', () => {
  it('names every option, variable, target and provider, the exit codes, and examples', async () => {
    const { exitCode, stdout } = await runSyncProcess(['--help']);
    expect(exitCode).toBe(0);
    const options =
      '--provider --db --db-type --sink --org --max-commits-per-repo --since --date --backfill --repo-path --auth --owner ' +
      '--repo --project-id --host-a-url --host-b-url --gitea-url --project --jira-url -s,_--search --group ' +
      '--batch-size --max-concurrent --rate-limit-delay --max-repos --use-async --repo-name --seed --json';
    for (const option of options.split(' '))
      expect(stdout).toMatch(new RegExp(`^ {2}${option.replace('_', ' ')} `, 'm'));
    const variables =
      'DATABASE_URI SECONDARY_DATABASE_URI DB_ECHO BATCH_SIZE MAX_WORKERS HOST_A_TOKEN HOST_B_TOKEN GITEA_TOKEN JIRA_TOKEN RECORD_RETENTION_DAYS REPO_PATH ORG_ID';
    for (const name of variables.split(' ')) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(stdout).toMatch(/^ {2}cicd +pipeline runs +- +yes +yes +yes +- +yes$/m);
    expect(stdout).toMatch(/^Exit codes: 0 .* 1 .* 2 .* 3 /m);
    expect(stdout.match(/^ {2}plumbline sync /gm)?.length).toBeGreaterThanOrEqual(5);
  });
});

describe('plumbline sync with wrong or missing input', () => {
  it('lists every problem at once and exits with 2', async () => {
    const { exitCode, stdout, stderr } = await runSyncProcess(['gti', '--provider', 'host_a', '--batch-size', '0']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([
      'plumbline sync: invalid input, 5 problems:',
      expect.stringMatching(
        /^ {2}the target is "gti": use one of git, prs, blame, cicd, deployments, incidents, issues$/,
      ),
      expect.stringMatching(/^ {2}no database: .*--db embedded:/),
      expect.stringMatching(/^ {2}host_a needs a token/),
      expect.stringMatching(/^ {2}host_a needs --owner and --repo/),
      expect.stringMatching(/^ {2}--batch-size/),
      '(add --help for the options)',
      '',
    ]);
  });

  it('exits with 2 if there are no arguments', async () => {
    const { exitCode, stderr } = await runSyncProcess([]);
    expect([exitCode, stderr.split('\n').length]).toEqual([2, 6]);
  });

  it('names the targets of a provider', async () => {
    const { exitCode, stderr } = await runSyncProcess(['cicd', '--provider', 'local', '--db', 'sqlite:x.db']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('local has no cicd: it has git, prs, blame')]);
  });

  it.each([
    ['an unknown option', ['git', '--databse', 'x']],
    ['an option without its value', ['git', '--db']],
    ['a second target', ['git', 'prs']],
  ])('exits with 2 for %s', async (_name, args) => {
    const { exitCode, stdout, stderr } = await runSyncProcess(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*\n(.*\n)?\(add --help for the options\)\n$/);
  });
});

describe('the output of plumbline sync', () => {
  it('is one object on standard output with --json, and lines for people on standard error', async () => {
    const path = await project();
    const finished = await runSyncProcess([...local(path), '--db', sqliteUri(), '--org', 'acme', '--json']);
    expect(finished.exitCode).toBe(0);
    expect(printedSummary(finished)).toStrictEqual({
      target: 'git',
      provider: 'local',
      org_id: 'acme',
      repositories: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          name: 'project',
          status: 'ok',
          records: { repos: 1, git_commits: 12, git_commit_stats: expect.any(Number) as number, work_units: 12 },
          error: null,
        },
      ],
      duration_ms: expect.any(Number) as number,
    });
    expect(finished.stderr).toMatch(
      /^project: git\nproject: 12 commits, \d+ file statistics; updating its work units\nproject: done, 12 commits, \d+ file statistics\nsync git from local: 1 repository done; 12 commits, \d+ file statistics, 12 work units in \d+\.\d s\n$/,
    );
  });

  it('is empty on standard output without --json', async () => {
    const { exitCode, stdout } = await runSyncProcess([...local(await project()), '--db', sqliteUri()]);
    expect([exitCode, stdout]).toEqual([0, '']);
  });

  it('has the same form if the run could not start', async () => {
    const finished = await runSyncProcess([
      ...local(await project()),
      '--json',
      '--db',
      'postgres://ada:hunter2@127.0.0.1:1/records',
    ]);
    expect(finished.exitCode).toBe(1);
    expect(printedSummary(finished)).toMatchObject({
      repositories: [{ id: null, name: 'project', status: 'failed', records: {}, error: { code: 'database_failed' } }],
    });
    expect(finished.stderr).toMatch(/failed: project: PostgreSQL: .*ECONNREFUSED/);
    expect(finished.stdout + finished.stderr).not.toContain('hunter2');
  });

  it('cannot be made to move the cursor by the name of a directory', async () => {
    const path = join(temporaryDirectory(), 'pro\u001b[2Jject\nx');
    initRepository(path);
    git(path, 'commit', '--quiet', '--allow-empty', '--message', 'root');
    const { exitCode, stderr } = await runSyncProcess([...local(path), '--db', sqliteUri()]);
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('\u001b');
    expect(stderr).toContain('pro\ufffd[2Jject\ufffdx: done, 1 commit');
  });

  it('contains every statement with DB_ECHO, without secrets', async () => {
    const database = await createEmptyDatabase();
    onTestFinished(() => database.drop());
    const password = decodeURIComponent(new URL(inject('databaseAdminUri')).password);
    const { exitCode, stderr } = await runSyncProcess([...local(await project()), '--db', database.uri], {
      environment: { DB_ECHO: 'true' },
    });
    expect(exitCode).toBe(0);
    for (const statement of ['create table if not exists repos', 'insert into git_commits', 'insert into sync_state']) {
      expect(stderr).toContain(statement);
    }
    if (password !== '') expect(stderr).not.toContain(password);
    expect(stderr).not.toContain(database.uri);
  });
});

describe('the environment', () => {
  it('names the database, the clone and the organization', async () => {
    const db = sqliteUri();
    const environment = { DATABASE_URI: db, REPO_PATH: await project(), ORG_ID: 'acme' };
    const finished = await runSyncProcess(['git', '--provider', 'local', '--json'], { environment });
    const [repository] = printedSummary(finished).repositories;
    expect((await storedRows(db, repository?.id ?? ''))['repos']).toMatchObject([{ repo: 'project', org_id: 'acme' }]);
  });

  it('is not needed: the clone is the working directory', async () => {
    const directory = await project();
    const finished = await runSyncProcess(['git', '--provider', 'local', '--db', sqliteUri(), '--json'], { directory });
    expect(printedSummary(finished).repositories[0]).toMatchObject({ name: 'project', status: 'ok' });
  });
});

describe('--db embedded:', () => {
  it('starts the built-in PostgreSQL for the run, and again for the next', async () => {
    const home = join(temporaryDirectory(), 'home');
    const args = [...local(await project()), '--db', 'embedded:', '--json'];
    const first = await runSyncProcess(args, { environment: { PLUMBLINE_HOME: home } });
    expect(printedSummary(first).repositories[0]).toMatchObject({ status: 'ok', records: { git_commits: 12 } });
    expect(() => postmasterPid(home)).toThrow('ENOENT');
    const second = await runSyncProcess(args, { environment: { PLUMBLINE_HOME: home } });
    expect(printedSummary(second).repositories[0]).toMatchObject({ status: 'ok', records: { repos: 1 } });
  }, 60_000);

  it('uses the PostgreSQL of a running server, and does not stop it', async () => {
    const home = join(temporaryDirectory(), 'home');
    const server = await startEmbeddedPostgres({ home, logger: pino({ level: 'silent' }), durable: false });
    onTestFinished(() => server.stop());
    const pid = postmasterPid(home);
    const finished = await runSyncProcess([...local(await project()), '--db', 'embedded:', '--json'], {
      environment: { PLUMBLINE_HOME: home },
    });
    const [repository] = printedSummary(finished).repositories;
    expect(postmasterPid(home)).toBe(pid);
    expect((await storedRows(server.uri, repository?.id ?? ''))['git_commits']).toHaveLength(12);
  }, 60_000);
});

describe('--sink both', () => {
  it('exits with 3 while the secondary is down and the primary is complete; the next run repairs the secondary', async () => {
    const later = join(temporaryDirectory(), 'later');
    const secondary = `sqlite:${join(later, 'records.db')}`;
    const db = sqliteUri();
    const args = [...local(await project()), '--db', db, '--sink', 'both', '--json'];
    const environment = { SECONDARY_DATABASE_URI: secondary };
    const down = await runSyncProcess(args, { environment });
    expect(down.exitCode).toBe(3);
    const [failed] = printedSummary(down).repositories;
    expect(failed).toMatchObject({
      status: 'failed',
      records: { git_commits: 12 },
      error: { code: 'secondary_failed' },
    });
    const stored = await storedRows(db, failed?.id ?? '');
    expect(stored['git_commits']).toHaveLength(12);

    mkdirSync(later);
    const up = await runSyncProcess(args, { environment });
    expect([up.exitCode, up.stderr]).toEqual([0, expect.stringContaining('level with the primary')]);
    expect(await storedRows(secondary, failed?.id ?? '')).toEqual(stored);
    expect(await storedRows(db, failed?.id ?? '')).toEqual(stored);
  });
});

describe('SIGINT and SIGTERM', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s stops after the current page; the next run resumes', async (signal) => {
    const db = sqliteUri();
    const args = [...local(await project(1500)), '--since', '2001-01-01', '--db', db, '--json'];
    const running = startSync(args, { environment: { BATCH_SIZE: '4', DB_ECHO: 'true' } });
    await running.said(/insert into sync_state/);
    running.kill(signal);
    const stopped = await running.finished;
    expect([stopped.exitCode, stopped.signal]).toEqual([1, null]);
    expect(printedSummary(stopped)).toMatchObject({ repositories: [{ status: 'failed', error: { code: 'aborted' } }] });
    expect(stopped.stderr).toMatch(/failed: project: The sync was stopped/);

    const next = await runSyncProcess(args);
    expect([next.exitCode, next.stderr]).toEqual([0, expect.stringContaining('resuming the last sync')]);
    const id = printedSummary(next).repositories[0]?.id ?? '';
    expect((await storedRows(db, id))['git_commits']).toHaveLength(1500);
  });

  it('a second one ends it at once, even if it waits for a lock', async () => {
    // A database that takes the connection and then says nothing.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const connected = once(silent, 'connection');
    const { port } = silent.address() as AddressInfo;
    const running = startSync([...local(await project()), '--db', `postgres://127.0.0.1:${port}/x`]);
    await connected;
    running.kill('SIGINT');
    running.kill('SIGTERM');
    expect(await running.finished).toMatchObject({ exitCode: 1, signal: null });
  });
});
