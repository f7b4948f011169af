import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../../../../cli/plumbline.js';
import { hostARepository, problem, startHostA, type HostA } from '../../../../support/hosts/host-a.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../../support/platform.js';
import { createTestDatabase, startOwnPostgres, type TestDatabase } from '../../../../support/postgres.js';
import { commits } from '../../../../sync/host-a-fixture.js';
import { executeWithoutSleep, eventually, queueOf, type Queue, type Run } from './queue.js';

const linux = process.platform === 'linux' ? null : 'processes are looked up in /proc';

describe.skipIf(linux !== null)(`the process of a run ${linux ?? ''}`, () => {
  let database: TestDatabase;
  let host: HostA;
  let platform: TestPlatform;
  let owner: TestUser;
  let queue: Queue;
  let configId: string;
  const secretsKey = Buffer.alloc(32, 7).toString('base64');

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await platform.stop();
    await database.drop();
  });

  /** A server, and a host that lets its first repository be read and asks for patience at the second. */
  async function begin(environment: Record<string, string>, databaseUri = database.uri): Promise<void> {
    platform = await startTestPlatform({ databaseUri, environment });
    owner = await platform.signUp();
    queue = queueOf(platform, owner);
    host = await startHostA(
      hostARepository('acme/api', { commits: commits(3) }),
      hostARepository('acme/web', { commits: commits(2) }),
    );
    askForPatience();
    const integration = await queue.connect('host_a', host.url, host.token);
    const repositories = ['acme/api', 'acme/web'];
    configId = await queue.configure({ provider: 'host_a', integration_id: integration, repositories });
  }

  function askForPatience(seconds = 300): void {
    host.fault = ({ path }) =>
      path.includes('/web') ? problem(429, 'Too many', { 'retry-after': String(seconds) }) : undefined;
  }

  /** Waits until the first repository is stored and the second one is waited for. */
  async function untilHalfway(runId: string): Promise<Run> {
    await eventually(async () => (await queue.read(configId, runId)).progress.repositories_done).toBe(1);
    await eventually(() => host.requests.some(({ path }) => path.includes('/web'))).toBe(true);
    return queue.read(configId, runId);
  }

  async function storedCommits(): Promise<number> {
    const [row] = await platform.database.sql`select count(*)::int as count from git_commits`;
    return Number(row?.['count']);
  }

  function expectEverythingOnce(): void {
    const asked = host.requests.filter(({ path }) => path === '/repos/acme/api');
    expect(asked).toHaveLength(1);
  }

  it('has no secret in its arguments or its environment, and logs none', async () => {
    await begin({ SYNC_JOBS: '1' });
    const runId = await queue.start(configId);
    await untilHalfway(runId);
    const [pid] = jobProcesses(process.pid);
    if (pid === undefined) throw new Error('the run has no process');
    const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(shown).toContain('process-main');
    for (const secret of [host.token, database.uri, secretsKey]) expect(shown).not.toContain(secret);
    await queue.cancel(configId, runId);
    await eventually(() => jobProcesses(process.pid)).toEqual([]);
    for (const secret of [host.token, database.uri]) expect(platform.logLines.join('')).not.toContain(secret);
  });

  it('that is killed is noticed at once, and the run continues in another one', async () => {
    await begin({ SYNC_JOBS: '1' });
    const runId = await queue.start(configId);
    await untilHalfway(runId);
    const [pid] = jobProcesses(process.pid);
    process.kill(pid ?? 0, 'SIGKILL');
    const waiting = await queue.until(configId, runId, 'pending');
    expect(waiting.error).toBe('The sync process died.');
    expect(platform.logLines.join('')).toContain('SIGKILL');
    host.fault = () => undefined;
    platform.clock.advance(60);
    platform.running.syncJobs.wake();
    const run = await queue.until(configId, runId, 'complete');
    expect(run.progress).toMatchObject({ repositories_done: 2, repositories_failed: 0 });
    expect(await storedCommits()).toBe(5);
    expectEverythingOnce();
  });

  describe('of a separate server', () => {
    let server: ServerProcess;

    beforeEach(async () => {
      await begin({ SYNC_JOBS: '0' });
      const environment = {
        DATABASE_URI: database.uri,
        SECRETS_KEY: secretsKey,
        SYNC_JOBS: '1',
        LOG_LEVEL: 'debug',
        INTEGRATION_NETWORKS: '127.0.0.0/8', // where the double of the host is
      };
      server = await startServer({ environment });
    });
    afterEach(async () => {
      server.kill('SIGKILL');
      await server.finished;
    });

    async function finishElsewhere(runId: string): Promise<void> {
      const other = await startTestPlatform({
        databaseUri: database.uri,
        environment: { SYNC_JOBS: '1' },
        executeSync: executeWithoutSleep,
      });
      other.clock.advance(120);
      other.running.syncJobs.wake();
      try {
        const run = await queueOf(other, owner).until(configId, runId, 'complete');
        expect(run).toMatchObject({ error: null, progress: { repositories_done: 2, repositories_failed: 0 } });
      } finally {
        await other.stop();
      }
      expect(await storedCommits()).toBe(5);
      expectEverythingOnce();
    }

    it('ends with a server that is killed, and another server finishes the run', async () => {
      const runId = await queue.start(configId);
      await untilHalfway(runId);
      const [pid = 0] = jobProcesses(server.pid);
      server.kill('SIGKILL');
      await server.finished;
      expect((await queue.read(configId, runId)).status).toBe('running'); // nobody has noticed
      await eventually(() => isThere(pid)).toBe(false);
      host.fault = () => undefined;
      await finishElsewhere(runId);
    });

    it('stops with its server on SIGTERM, and the run goes back to the queue', async () => {
      const runId = await queue.start(configId);
      await untilHalfway(runId);
      server.kill('SIGTERM');
      expect((await server.finished).exitCode).toBe(0);
      expect(await queue.read(configId, runId)).toMatchObject({ status: 'pending', error: null });
      const log = JSON.stringify(server.logLines);
      expect(log).toContain('sync run returned to the queue');
      expect(log).not.toContain(host.token);
      expect(log).not.toContain(database.uri);
      host.fault = () => undefined;
      await finishElsewhere(runId);
    });
  });

  it('survives a crash of the database: the server stays up, and the run completes', async () => {
    const postgres = await startOwnPostgres();
    try {
      await begin({ SYNC_JOBS: '1' }, postgres.uri);
      askForPatience(5);
      const runId = await queue.start(configId);
      await untilHalfway(runId);
      await postgres.crash();
      expect((await platform.json('GET', '/health/live')).status).toBe(200);
      expect((await platform.json('GET', '/health/ready')).status).toBe(503);
      host.fault = () => undefined;
      await postgres.start();
      await eventually(async () => (await platform.json('GET', '/health/ready')).status).toBe(200);
      await eventually(async () => {
        const { status } = await queue.read(configId, runId);
        if (status === 'pending') platform.clock.advance(16); // the crash has ended the process: another attempt is due
        platform.running.syncJobs.wake();
        return status;
      }).toBe('complete');
      const run = await queue.read(configId, runId);
      expect(run.progress).toMatchObject({ repositories_done: 2, repositories_failed: 0 });
      expect(await storedCommits()).toBe(5);
    } finally {
      await platform.stop();
      await postgres.remove();
    }
  });
});

/** The job processes that this process has started. */
function jobProcesses(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const status = read(`/proc/${pid}/status`);
      return status.includes(`PPid:\t${parent}\n`) && read(`/proc/${pid}/cmdline`).includes('process-main');
    });
}

function isThere(pid: number): boolean {
  return read(`/proc/${pid}/status`) !== '';
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended in the meantime
  }
}
