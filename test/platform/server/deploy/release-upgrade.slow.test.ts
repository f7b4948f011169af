import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startServer, type ServerProcess } from '../../../cli/plumbline.js';
import { git, initRepository, writeHistory } from '../../../support/git-history.js';
import { startMailbox, type Mailbox } from '../../../support/mailbox.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/postgres.js';
import { testPassword } from '../../../support/platform.js';
import { packRelease, releases, type EarlierRelease } from '../../../support/previous-release.js';
import { configureSync, jsonTo, runSync, serverSettings, signUpOwner } from './several-servers.js';

const known = await releases();
const skipped = known.length === 0 ? ' (skipped: the history of this clone has no release)' : '';

describe.skipIf(known.length === 0)(`an upgrade from a release${skipped}`, { timeout: 300_000 }, () => {
  describe.each(known)('$version', ({ commit }) => {
    let earlier: EarlierRelease;
    let database: TestDatabase;
    let mailbox: Mailbox;
    let repositories: string;
    const servers: ServerProcess[] = [];

    beforeAll(async () => {
      [earlier, database, mailbox, repositories] = await Promise.all([
        packRelease(commit),
        createEmptyDatabase(),
        startMailbox(),
        mkdtemp(join(tmpdir(), 'plumbline-upgrade-')),
      ]);
      initRepository(join(repositories, 'shop'));
      await writeHistory(join(repositories, 'shop'), 20);
      git(join(repositories, 'shop'), 'reset', '--quiet', '--hard');
    }, 300_000);

    afterEach(async () => {
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(servers.map(({ finished }) => finished));
    });

    afterAll(() =>
      Promise.all([earlier.remove(), database.drop(), mailbox.stop(), rm(repositories, { recursive: true })]),
    );

    async function start(settings: Readonly<Record<string, string>>, command?: string): Promise<ServerProcess> {
      const environment = {
        ...serverSettings(database.uri, mailbox.url),
        SYNC_LOCAL_ROOT: repositories,
        ...settings,
      };
      const server = await startServer({ environment, ...(command !== undefined && { command }) });
      servers.push(server);
      return server;
    }

    async function end(server: ServerProcess): Promise<void> {
      server.kill('SIGTERM');
      expect(await server.finished).toMatchObject({ exitCode: 0 });
    }

    test('logs nobody out, and keeps records, work units, invites and syncs', async () => {
      const sql = postgres(database.uri, { max: 1 });
      const first = await start({}, earlier.command);
      const { email, accessToken, orgId } = await signUpOwner(jsonTo(first.url), mailbox);
      await end(first);
      // Local repositories are read for organizations that are named, so the id must be known before the start. The
      // commits are older than the year that a sync of the server reads by default.
      const settings = { SYNC_LOCAL_ORGANIZATIONS: orgId, SYNC_PERIOD_DAYS: '36500' };
      const old = await start(settings, earlier.command);
      const oldJson = jsonTo(old.url);
      const credentials = { email, password: testPassword };
      const session = (await oldJson('POST', '/api/v1/auth/login', { body: credentials })).body;
      const guest = 'guest@example.com';
      const invites = `/api/v1/organizations/${orgId}/invites`;
      const invite = await oldJson('POST', invites, { token: accessToken, body: { email: guest, role: 'member' } });
      expect(invite.status).toBe(201);
      await vi.waitUntil(() => mailbox.to(guest).length > 0, { timeout: 20_000 });
      const source = { provider: 'local', targets: ['git'], repositories: ['shop'] };
      const runs = await configureSync(oldJson, accessToken, source);
      const syncOfOld = { json: oldJson, runs, token: accessToken };
      expect(await runSync(sql, syncOfOld)).toEqual({ commits: 20, units: 20 });
      await end(old);

      const recent = await start(settings);
      const json = jsonTo(recent.url);
      for (const token of [accessToken, session.access_token]) {
        const me = await json('GET', '/api/v1/auth/me', { token });
        expect(me).toMatchObject({ status: 200, body: { email, org_id: orgId, role: 'owner' } });
      }
      const refreshed = await json('POST', '/api/v1/auth/refresh', { body: { refresh_token: session.refresh_token } });
      expect(refreshed.status).toBe(200);
      expect((await json('POST', '/api/v1/auth/login', { body: credentials })).status).toBe(200);
      const joining = { email: guest, password: testPassword, invite_token: mailbox.to(guest)[0]?.token };
      expect((await json('POST', '/api/v1/auth/register', { body: joining })).status).toBe(201);

      const syncOfRecent = { json, runs, token: accessToken };
      expect(await runSync(sql, syncOfRecent)).toEqual({ commits: 20, units: 20 });
      const shop = join(repositories, 'shop');
      await writeFile(join(shop, 'news.txt'), 'after the upgrade');
      git(shop, 'add', 'news.txt');
      git(shop, 'commit', '--quiet', '--message', 'feat: news');
      expect(await runSync(sql, syncOfRecent)).toEqual({ commits: 21, units: 21 });
      const failures = recent.logLines.filter(({ level }) => Number(level) >= 50);
      expect(failures).toEqual([]);
      await sql.end();
    });
  });
});
