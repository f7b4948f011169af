/** The parts that users meet first, on the other supported versions of Node: see `.ci/node`. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtCommand } from './built-command.js';
import { plumbline, startServer } from './plumbline.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const sdk = pathToFileURL(join(process.cwd(), 'sdk/dist/esm/platform.js')).href;
const password = 'seven quiet rivers 7';

describe.each(['22', '24'])('Node %s', (major) => {
  const runtime = process.env[`TEST_NODE_${major}`] ?? '';
  const version = runtime === '' ? '' : spawnSync(runtime, ['--version'], { encoding: 'utf8' }).stdout;
  const missing = version.startsWith(`v${major}.`) ? '' : ` (skipped: TEST_NODE_${major} names no Node ${major})`;

  let folder: string;
  let database: TestDatabase;
  beforeEach(async () => {
    await builtCommand();
    folder = await mkdtemp(join(tmpdir(), 'plumbline-node-'));
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  test.skipIf(missing !== '')(`serves accounts, logins, GraphQL and the SDK${missing}`, async () => {
    const environment = { DATABASE_URI: database.uri, PLUMBLINE_HOME: join(folder, 'home') };
    const server = await startServer({ runtime, environment });
    try {
      const registered = await fetch(`${server.url}/api/v1/auth/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'someone@example.com', password }),
      });
      expect(registered.status).toBe(201);
      const sql = postgres(database.uri, { max: 1 });
      await sql`update users set is_verified = true`;
      await sql.end();
      const script = join(folder, 'client.mjs');
      await writeFile(script, clientScript(server.url));
      const { stdout, stderr } = spawnSync(runtime, [script], { encoding: 'utf8' });
      expect([stdout.trim().split('\n'), stderr]).toEqual([['200', 'someone@example.com', '{"values":[]}'], '']);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await server.finished).toMatchObject({ exitCode: 0 });
  });

  test.skipIf(missing !== '')(`runs compose on the mock backend${missing}`, async () => {
    const file = join(folder, 'compose.yaml');
    await writeFile(file, 'services: { web: { image: example/web } }\n');
    const { exitCode, stderr } = await plumbline(['compose', '--backend', 'mock', '-f', file, 'up', '-d'], {
      runtime,
      environment: { PLUMBLINE_HOME: folder, HOME: folder },
    });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('web')]);
  });
});

/** Logs in and reads the account with the SDK, then sends a GraphQL query. */
function clientScript(url: string): string {
  return `
    import { createPlatformClient, getMe, login } from ${JSON.stringify(sdk)};
    const client = createPlatformClient({ baseUrl: ${JSON.stringify(url)} });
    const body = { email: 'someone@example.com', password: ${JSON.stringify(password)} };
    const session = await login(client, { body });
    console.log(session.status);
    const me = await getMe(client);
    console.log(me.data.email);
    const reply = await fetch(${JSON.stringify(`${url}/graphql?org_id=`)} + me.data.org_id, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + session.data.access_token },
      body: JSON.stringify({
        query: 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value } } }',
        variables: { orgId: me.data.org_id },
      }),
    });
    console.log(JSON.stringify((await reply.json()).data.catalog));
  `;
}
