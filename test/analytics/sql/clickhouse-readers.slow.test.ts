/**
 * The rights and policies of a reader on ClickHouse, on the engine in a process. It has no place to store users: so it
 * parses the statements that make one, and a second start gives its only user the same rights and policies by a file.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  alterUser,
  CLICKHOUSE_TABLES,
  CLICKHOUSE_VIEWS,
  createUser,
  createViews,
  dropStatements,
  grantsOf,
  policiesOf,
  policiesOfOthers,
} from '../../../src/analytics/sql/clickhouse-views.js';
import { openClickHouseServer } from '../../../src/analytics/clickhouse/server.js';
import { openClickHouseReaders, removeClickHouseReaders } from '../../../src/analytics/sql/clickhouse-readers.js';
import { ReaderRefused } from '../../../src/analytics/sql/readers.js';
import { chdbMissing } from '../../support/chdb.js';
import { startClickHouse, type TestClickHouse } from '../../support/clickhouse-http.js';
import { MINE, OTHER, syncTwoOrganizations } from './sql-organizations.js';

const skipped = chdbMissing === null ? '' : ` (skipped: ${chdbMissing})`;
const DATABASE = 'default';
const ALL_RIGHTS = '<access_management>1</access_management>';

/** What a user file says; `default` is the user of the engine in a process. */
function users(rights: string): string {
  return (
    `<clickhouse><users><default><password></password><networks><ip>::/0</ip></networks><profile>default</profile>` +
    `<quota>default</quota>${rights}</default></users><profiles><default></default></profiles>` +
    '<quotas><default></default></quotas></clickhouse>'
  );
}

/** The rights and policies of the statements, in the form of a user file. */
function readerRights(): string {
  const grants = grantsOf('default', DATABASE).map((grant) => `<query>${grant.replace(/ to `default`$/, '')}</query>`);
  const filters = CLICKHOUSE_TABLES.map((table) => `<${table}><filter>org_id = '${MINE}'</filter></${table}>`);
  return (
    `<grants>${grants.join('')}</grants>` + `<databases><${DATABASE}>${filters.join('')}</${DATABASE}></databases>`
  );
}

describe.skipIf(chdbMissing !== null)(`Readers on ClickHouse${skipped}`, () => {
  let folder: string;
  let engine: TestClickHouse;

  async function start(rights: string): Promise<void> {
    const started = await startClickHouse(0, { folder, users: users(rights) });
    if ('missing' in started) throw new Error(started.missing);
    engine = started;
  }

  async function run(statement: string): Promise<string> {
    const url = engine.uri.replace('clickhouse:', 'http:').replace(/\/default$/, '/?default_format=TSV');
    const reply = await fetch(url, { method: 'POST', body: statement });
    const answer = await reply.text();
    if (!reply.ok) throw new Error(answer);
    return answer.trim();
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-clickhouse-users-'));
    await start(ALL_RIGHTS);
    await syncTwoOrganizations(engine.uri);
    for (const statement of createViews(DATABASE)) await run(statement);
  }, 240_000);
  afterAll(async () => {
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('The engine parses the statements that make and remove a reader', async () => {
    const reader = { password: 'a password of the reader', connections: 5, timeoutSeconds: 60 };
    const statements = [
      createUser('grafana', reader),
      alterUser('grafana', reader),
      ...policiesOf('grafana', "it's \\ me", DATABASE),
      ...policiesOfOthers(['grafana', 'metabase'], DATABASE),
      ...policiesOfOthers([], DATABASE),
      ...grantsOf('grafana', DATABASE),
      ...dropStatements('grafana', DATABASE),
    ];
    for (const statement of statements) expect(await run(`explain ast ${statement}`), statement).not.toBe('');
    expect(statements.join()).not.toContain(reader.password);
  });

  test('With these rights and policies, the views have rows of one organization, and all columns of it', async () => {
    const whole = new Map<string, string>();
    for (const { name } of CLICKHOUSE_VIEWS)
      whole.set(name, await run(`select count() from plumbline_sql.${name} where repo = 'acme/shop'`));
    await engine.stop();
    await start(readerRights());
    for (const { name } of CLICKHOUSE_VIEWS) {
      const [rows = '', shown = ''] = (
        await run(`select count(), groupArray(toString(tuple(*))) from plumbline_sql.${name}`)
      ).split('\t');
      expect([name, rows]).toEqual([name, whole.get(name)]);
      expect(Number(rows)).toBeGreaterThan(0);
      expect(shown).toContain('acme/shop');
      expect(shown).not.toContain('rival');
    }
  });

  test('It reads no other column, no other table, and no other row of the tables', async () => {
    for (const statement of [
      'select message from default.git_commits',
      'select author_email from default.git_commits',
      'select body from default.issues',
      'select reviewers from default.work_units',
      'select * from default.repos',
      'select * from default.git_blame',
      'select * from default.team_files',
      'select * from default.sync_state',
      'create view default.mine as select 1',
      "insert into default.repos (repo) values ('x')",
      'drop view plumbline_sql.units',
      'create user mine',
      'drop row policy plumbline_reader_default on default.repos',
    ])
      await expect(run(statement), statement).rejects.toThrow('Not enough privileges');
    for (const table of ['repos', 'work_units'])
      for (const final of ['', ' final'])
        expect(await run(`select distinct repo from default.${table}${final}`)).toBe('acme/shop');
  });

  test('A user that may not manage readers is refused with the reason, and has none to remove', async () => {
    const server = openClickHouseServer(engine.uri.replace('clickhouse:', 'http:'));
    const readers = openClickHouseReaders(server);
    try {
      await expect(readers.list()).rejects.toThrow('may not manage readers');
      await expect(readers.revoke('grafana')).rejects.toThrow(ReaderRefused);
      await removeClickHouseReaders(server, MINE);
    } finally {
      await readers.close();
    }
  });
});

/** A server that answers as one with these readers, and keeps the commands that it gets. */
async function recordingServer(
  readers: readonly (readonly [role: string, orgId: string])[],
): Promise<{ readonly url: string; readonly commands: readonly string[]; close(): void }> {
  const commands: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
      const statement = `${searchParams.get('query') ?? ''}${body}`;
      const answer = (...rows: readonly (readonly unknown[])[]): void => {
        response.end(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      };
      if (statement.includes('from system.row_policies'))
        answer(
          ...readers.map(([role, org]) => [
            `plumbline_reader_${role}`,
            `org_id = '${org}'`,
            readers.map(([name]) => name),
          ]),
        );
      else if (statement.includes('currentDatabase()')) answer(['records']);
      else if (statement.includes('count() from system.users'))
        answer([readers.some(([role]) => role === searchParams.get('param_role')) ? '1' : '0']);
      else if (statement.includes('count() from repos')) answer(['2']);
      else if (statement.includes('from system.tables')) answer();
      else {
        commands.push(statement);
        response.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/records`, commands, close: () => server.close() };
}

test('A reader gets its policies before its rights, and those of all others exclude it', async () => {
  const server = await recordingServer([['metabase', OTHER]]);
  const readers = openClickHouseReaders(openClickHouseServer(server.url));
  const reader = { password: 'a password of the reader', connections: 5, timeoutSeconds: 60 };
  try {
    await readers.grant(MINE, 'grafana', reader);
    expect(server.commands).toEqual([
      ...createViews('records'),
      createUser('grafana', reader),
      ...policiesOfOthers(['metabase', 'grafana'], 'records'),
      ...policiesOf('grafana', MINE, 'records'),
      ...grantsOf('grafana', 'records'),
    ]);
    await expect(readers.grant(MINE, 'metabase', reader)).rejects.toThrow('reads another organization');
    await expect(readers.grant(MINE, 'other', undefined)).rejects.toThrow('--existing is for PostgreSQL');
    expect(await readers.list()).toEqual([{ role: 'metabase', orgId: OTHER, grantedAt: null, exists: true }]);
    expect(await readers.revoke('grafana')).toBeUndefined();
    const before = server.commands.length;
    expect(await readers.revoke('metabase')).toEqual({ isDropped: true });
    expect(server.commands.slice(before, before + 3)).toEqual(dropStatements('metabase', 'records').slice(0, 3));
  } finally {
    await readers.close();
    server.close();
  }
});
