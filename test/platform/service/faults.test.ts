import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../generated/platform/routes.js';
import { captureLog } from '../../support/captured-log.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../support/platform.js';
import { problemOf } from '../../support/problem-of.js';
import { createServiceToken } from '../../support/service-token.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/postgres.js';
import { settingDescriptions } from '../../../src/platform/server/settings.js';
import { migrate } from '../../../src/database/migrate.js';
import { exampleOf, named, onlyServiceTokens, platformExamples, sendExample, type Filling } from './send-example.js';

/** Limits that are on and never reached, so that every limited operation counts in the database. */
const generousLimits = Object.fromEntries(
  settingDescriptions.filter(({ name }) => name.endsWith('_LIMIT')).map(({ name }) => [name, '100000/hour']),
);

/** A provider that the examples name, and that is not asked before the database. */
const provider = { AUTH_GITHUB_CLIENT_ID: 'id', AUTH_GITHUB_CLIENT_SECRET: 'secret' };

/** Operations whose contract says that they answer `status`. */
function documenting(status: number): ReturnType<typeof named> {
  const operations = routes
    .filter(({ replies }) => replies[status] !== undefined)
    .map((each): string => each.operationId);
  return named(platformExamples.filter(({ operationId }) => operations.includes(operationId)));
}

/** A user with a service token. */
type Caller = TestUser & { readonly serviceToken: string };

async function signUp(platform: TestPlatform): Promise<Caller> {
  const user = await platform.signUp();
  return { ...user, serviceToken: (await createServiceToken(platform, user, ['setup:read', 'scim:write'])).token };
}

/** Real tokens where an operation looks at them before it asks the database. */
function fillingOf(operationId: string, user: Caller): Filling {
  const { orgId, accessToken, refreshToken, serviceToken } = user;
  const bodies: Readonly<Record<string, Filling['body']>> = {
    refreshTokens: { refresh_token: refreshToken },
    startBrowserSession: { refresh_token: refreshToken },
    logout: { refresh_token: refreshToken },
    validateToken: { token: accessToken },
    switchOrganization: { org_id: orgId },
  };
  const body = bodies[operationId];
  const parameters = { org_id: orgId, user_id: user.userId, plumbline_session: refreshToken };
  const token = onlyServiceTokens.has(operationId) ? serviceToken : accessToken;
  return { token, parameters, ...(body === undefined ? {} : { body }) };
}

function send(platform: TestPlatform, name: string, user: Caller): Promise<JsonReply> {
  const filling = fillingOf(name, user);
  const { token: _token, ...anonymous } = filling;
  const example = exampleOf(name);
  return sendExample(platform, example, example.needsCredential ? filling : anonymous);
}

describe('The database answers every statement with an error', () => {
  let platform: TestPlatform;
  let user: Caller;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { ...generousLimits, ...provider } });
    user = await signUp(platform);
    // Every table is gone from where the statements look for it.
    await platform.database.sql`alter schema public rename to elsewhere`;
  });
  afterAll(async () => {
    await platform.stop();
  });

  test.each(documenting(500))('$name answers 500 without the cause', async ({ name }) => {
    const reply = await send(platform, name, user);
    const problem = problemOf(reply);
    expect([reply.status, problem.type]).toEqual([500, '/problems/internal-error']);
    expect(JSON.stringify(problem)).not.toMatch(/relation|schema|select|insert|postgres|at \w+ \(/i);
  });

  test('the cause is in the log, under the request id of the reply', async () => {
    const reply = await send(platform, 'getMe', user);
    const line = platform.logLines
      .map((each): Record<string, unknown> => JSON.parse(each))
      .find((each) => each['request_id'] === reply.body.request_id && each['msg'] === 'unexpected failure');
    expect(line).toMatchObject({ operation: 'getMe', err: { message: expect.stringContaining('does not exist') } });
  });

  test('requests that need no database are answered as usual', async () => {
    for (const name of ['getLiveness', 'getReadiness', 'getJwks', 'getMetrics']) {
      expect([name, (await send(platform, name, user)).status]).toEqual([name, 200]);
    }
  });
});

describe('All tables except that of the rate limits are missing', () => {
  let platform: TestPlatform;
  let user: Caller;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { ...generousLimits, ...provider } });
    user = await signUp(platform);
    const { sql } = platform.database;
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'rate_limits'`;
    await sql`create schema elsewhere`;
    for (const { name } of tables) await sql`alter table ${sql(name)} set schema elsewhere`;
  });
  afterAll(async () => {
    await platform.stop();
  });

  // A limit of the caller is counted after authentication, which fails here. The signature of an event is refused before.
  const limited = named(platformExamples).filter(({ name }) =>
    routes.some(
      (each) =>
        each.operationId === name &&
        !['acceptHostEvent', 'acceptGitlabEvent'].includes(name) &&
        each.rateLimits.length > 0 &&
        each.security.schemes.length === 0,
    ),
  );
  test.each(limited)('$name answers 500 and still reports its limits', async ({ name }) => {
    const { status, headers } = await send(platform, name, user);
    expect(status).toBe(500);
    expect(headers.get('RateLimit-Policy')).toContain('q=100000;w=3600');
    expect(headers.get('RateLimit')).toMatch(/r=\d+;t=\d+/);
  });
});

describe('The database is stopped', () => {
  let postgres: OwnPostgres;
  let platform: TestPlatform;
  let user: Caller;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    await migrate(postgres.uri, { logger: captureLog().log });
    platform = await startTestPlatform({ databaseUri: postgres.uri, environment: { ...generousLimits, ...provider } });
    user = await signUp(platform);
    await postgres.stop();
  });
  afterAll(async () => {
    await postgres.start();
    await platform.stop();
    await postgres.remove();
  });

  test.each(documenting(503))('$name answers 503 with Retry-After', async ({ name }) => {
    const reply = await send(platform, name, user);
    const problem = problemOf(reply);
    expect([reply.status, problem.type]).toEqual([503, '/problems/service-unavailable']);
    expect(reply.headers.get('Retry-After')).toBe(String(problem.retry_after_seconds));
  });

  test('the server is alive, and its keys and metrics can be read', async () => {
    for (const name of ['getLiveness', 'getJwks', 'getMetrics']) {
      expect([name, (await send(platform, name, user)).status]).toEqual([name, 200]);
    }
  });

  test('the metrics omit figures of the database', async () => {
    const text = await (await fetch(`${platform.url}/metrics`)).text();
    expect(text).toContain('# HELP sync_runs ');
    expect(text).not.toContain('sync_runs{');
  });

  test('a malformed token is still 401', async () => {
    expect((await platform.json('GET', '/api/v1/auth/me', { token: 'nonsense' })).status).toBe(401);
  });
});
