import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/database/migrate.js';
import { captureLog } from '../../support/captured-log.js';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../support/platform.js';
import { createTestDatabase, startOwnPostgres, type OwnPostgres } from '../../support/postgres.js';
import { mountSmall, unmount } from '../../support/small-file-system.js';

const folder = await mkdtemp(join(tmpdir(), 'plumbline-full-'));
const unmountable = mountSmall(folder, '160m');

function register(platform: TestPlatform): Promise<JsonReply> {
  const body = { email: `${randomUUID()}@example.com`, password: testPassword };
  return platform.json('POST', '/api/v1/auth/register', { body });
}

function messages({ logLines }: TestPlatform, level: number): string[] {
  const lines = logLines.map((line) => JSON.parse(line) as { level: number; msg: string });
  return lines.filter((line) => line.level === level).map(({ msg }) => msg);
}

const scrape = async (platform: TestPlatform): Promise<string> => String((await platform.json('GET', '/metrics')).body);

describe.skipIf(unmountable !== null)(`A database whose disk is full (${unmountable ?? 'tmpfs'})`, () => {
  let postgres: OwnPostgres;
  let platform: TestPlatform;
  beforeAll(async () => {
    await chmod(folder, 0o755); // PostgreSQL runs as another user
    postgres = await startOwnPostgres(folder);
    await migrate(postgres.uri, { logger: captureLog().log });
    platform = await startTestPlatform({ databaseUri: postgres.uri });
  });
  afterAll(async () => {
    await platform.stop();
    await postgres.remove();
    unmount(folder);
    await rm(folder, { recursive: true });
  });

  test('is answered 503, named by readiness, metric and log, and used again once there is space', async () => {
    expect((await register(platform)).status).toBe(201);
    expect(await scrape(platform)).not.toMatch(/^plumbline_database_shortage\{/m);
    const filler = join(folder, 'filler');
    const { bavail, bsize } = await statfs(folder);
    await writeFile(filler, Buffer.alloc(bavail * bsize));

    const statuses = new Set<number>();
    let refusal: JsonReply | undefined;
    while (refusal === undefined) {
      const reply = await register(platform);
      statuses.add(reply.status);
      if (reply.status !== 201) refusal = reply;
    }
    expect(statuses).toEqual(new Set([201, 503]));
    expect(refusal.body.message).toBe('The database has no disk space left. Try again soon.');
    const ready = await platform.json('GET', '/health/ready');
    expect([ready.status, ready.body.message]).toEqual([503, 'The database has no disk space left.']);
    const metrics = await scrape(platform);
    expect(metrics).toContain('\nplumbline_database_shortage{resource="disk_full"} 1\n');
    expect(metrics).toContain('\nplumbline_database_up 1\n');
    expect(messages(platform, 50)).toContain('The database has no disk space left.');

    await rm(filler);
    expect((await platform.json('GET', '/health/ready')).status).toBe(200);
    expect((await register(platform)).status).toBe(201);
    expect(await scrape(platform)).not.toMatch(/^plumbline_database_shortage\{/m);
    expect(messages(platform, 30)).toContain('The database accepts writes again');
  });
});

describe('An error that PostgreSQL reports', () => {
  let platform: TestPlatform;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    platform = await startTestPlatform({ databaseUri: database.uri });
  });
  afterAll(async () => {
    await platform.stop();
    await drop();
  });

  test.each([
    ['53000', 'The database lacks a resource. Try again soon.'],
    ['53100', 'The database has no disk space left. Try again soon.'],
    ['53200', 'The database has no memory left. Try again soon.'],
    ['53300', 'The database accepts no more connections. Try again soon.'],
    ['53400', 'The database has reached a limit of its configuration. Try again soon.'],
    ['57P01', 'The database is out of reach. Try again soon.'],
    ['57P02', 'The database is out of reach. Try again soon.'],
    ['57P03', 'The database is out of reach. Try again soon.'],
    ['57P04', 'The database is out of reach. Try again soon.'],
    ['57P05', 'The database is out of reach. Try again soon.'],
    ['58030', 'The database cannot read or write its files. Try again soon.'],
  ])('as %s is answered 503: %s', async (state, message) => {
    await platform.database.sql.unsafe(`
      create or replace function fail() returns trigger language plpgsql as
        $$ begin raise exception 'of the test' using errcode = '${state}'; end $$;
      create or replace trigger fail before insert on users for each statement execute function fail()`);
    const reply = await register(platform);
    expect([reply.status, reply.body.message]).toEqual([503, message]);
  });
});
