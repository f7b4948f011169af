import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type ServerProcess } from '../../../cli/plumbline.js';
import { git, initRepository, writeHistory } from '../../../support/git-history.js';
import { startMailbox, type Mailbox } from '../../../support/mailbox.js';
import { chooseAnyOrganizationId, chooseOrganizationId } from '../../../support/organization-id.js';
import { createEmptyDatabase, type TestDatabase } from '../../../support/postgres.js';
import { earliestCompatibleCommit, packRelease, type EarlierRelease } from '../../../support/previous-release.js';
import { served, startLoad, type LoadReply } from '../../service/load.js';
import {
  configureSync,
  expectEachMailedOnce,
  jsonTo,
  releaseTakenMails,
  runSync,
  serverSettings,
  signUpOwner,
} from './several-servers.js';

const commit = await earliestCompatibleCommit();
const skipped = commit === undefined ? ' (skipped: the history of this clone has no release to upgrade from)' : '';

describe.skipIf(commit === undefined)(`a rolling upgrade${skipped}`, { timeout: 300_000 }, () => {
  let earlier: EarlierRelease;
  let database: TestDatabase;
  let mailbox: Mailbox;
  /** The organization that may read them. */
  const organization = randomUUID();
  /** The folder of the repositories that are synced. Synthetic data may differ between releases. */
  let repositories: string;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    [earlier, database, mailbox, repositories] = await Promise.all([
      packRelease(commit ?? ''),
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

  async function start(command?: string): Promise<ServerProcess> {
    const environment = {
      ...serverSettings(database.uri, mailbox.url),
      SYNC_LOCAL_ROOT: repositories,
      SYNC_LOCAL_ORGANIZATIONS: organization,
    };
    const server = await startServer({ environment, ...(command === undefined ? {} : { command }) });
    servers.push(server);
    return server;
  }

  async function commitChange(text: string): Promise<void> {
    const shop = join(repositories, 'shop');
    await writeFile(join(shop, 'news.txt'), text);
    git(shop, 'add', 'news.txt');
    git(shop, 'commit', '--quiet', '--message', `feat: ${text}`);
  }

  test('answers every request while both releases serve, also after the old one restarts', async () => {
    const sql = postgres(database.uri, { max: 1 });
    const schemaVersion = async (): Promise<number> => {
      const [row] = await sql<{ newest: number }[]>`select max(version)::integer as newest from schema_version`;
      return row?.newest ?? 0;
    };
    const replies: LoadReply[] = [];

    const old = await start(earlier.command);
    expect(await schemaVersion()).toBe(earlier.schemaVersion);
    await chooseOrganizationId(sql, organization);
    const { accessToken, orgId } = await signUpOwner(jsonTo(old.url), mailbox);
    await chooseAnyOrganizationId(sql);
    const source = { provider: 'local', targets: ['git'], repositories: ['shop'] };
    const runs = await configureSync(jsonTo(old.url), accessToken, source);
    const sync = (server: ServerProcess): Promise<unknown> =>
      runSync(sql, { json: jsonTo(server.url), runs, token: accessToken });
    expect(await sync(old)).toEqual({ commits: 20, units: 20 });

    // The new release migrates while the old one serves.
    const loadOfOld = startLoad({ json: jsonTo(old.url) }, { accessToken, orgId });
    await loadOfOld.until(served, 40);
    const recent = await start();
    const migrated = await schemaVersion();
    expect(migrated).toBeGreaterThan(earlier.schemaVersion);
    const loadOfRecent = startLoad({ json: jsonTo(recent.url) }, { accessToken, orgId });
    await Promise.all([loadOfOld.until(served, 40), loadOfRecent.until(served, 40)]);

    // The old release crashes, and starts against the newer schema.
    replies.push(...(await loadOfOld.stop()));
    old.kill('SIGKILL');
    await old.finished;
    const interrupted = await releaseTakenMails(sql);
    const again = await start(earlier.command);
    const loadOfRestarted = startLoad({ json: jsonTo(again.url) }, { accessToken, orgId });
    await Promise.all([loadOfRestarted.until(served, 40), loadOfRecent.until(served, 40)]);
    replies.push(...(await loadOfRestarted.stop()), ...(await loadOfRecent.stop()));

    const failures = servers.flatMap(({ logLines }) => logLines.filter(({ level }) => Number(level) >= 50));
    expect(failures).toEqual([]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(await schemaVersion()).toBe(migrated);
    await commitChange('synced at the request of the earlier release');
    expect(await sync(again)).toEqual({ commits: 21, units: 21 });
    await commitChange('synced at the request of the new release');
    expect(await sync(recent)).toEqual({ commits: 22, units: 22 });
    const addresses = await expectEachMailedOnce(sql, mailbox, replies, interrupted);
    await sql.end();
    console.info(
      `From ${earlier.commit.slice(0, 7)} (schema ${earlier.schemaVersion}) to this one (schema ${migrated}): ` +
        `${replies.length} requests, all answered 200 or 201; ${addresses} addresses, each mailed once.`,
    );
  });
});
