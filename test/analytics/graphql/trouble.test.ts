import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../support/platform.js';
import { startOwnPostgres, type OwnPostgres } from '../../support/postgres.js';
import { fill, post, responseType, smallOrganization, type GraphqlReply, type GraphqlRequest } from './served.js';

const types = [responseType, 'application/json'] as const;
const request = (user: TestUser, type: string = responseType): GraphqlRequest => ({
  headers: { Accept: type },
  body: {
    query: 'query ($orgId: String!) { catalog(orgId: $orgId, dimension: TEAM) { values { value count } } }',
    variables: { orgId: user.orgId },
  },
});

/** Nothing of what PostgreSQL or its driver says may reach the caller. */
function expectNothingInternal({ errors }: GraphqlReply): void {
  const said = JSON.stringify(errors.map(({ message, extensions }: Record<string, unknown>) => [message, extensions]));
  expect(said).not.toMatch(/postgres|relation|column|work_unit|select|connect|socket|stack|\bat \//i);
}

describe('If the store', () => {
  let platform: TestPlatform;
  let user: TestUser;
  beforeAll(async () => {
    platform = await startTestPlatform({ environment: { ANALYTICS_QUERY_TIMEOUT: '1' } });
    user = await platform.signUp();
    await fill(platform.databaseUri, user.orgId, smallOrganization);
  });
  afterAll(() => platform.stop());

  /** Takes the tables away from all others for the time of one piece of work. */
  async function whileLocked<T>(target: TestPlatform, work: () => Promise<T>): Promise<T> {
    let result: Promise<T> | undefined;
    await target.database.sql.begin(async (transaction) => {
      await transaction`lock table work_units, work_unit_shares in access exclusive mode`;
      result = work();
      await result.catch(() => undefined);
    });
    if (result === undefined) throw new Error('the work has not begun');
    return result;
  }

  test.each(types)('exceeds the time limit, the error is QUERY_TIMEOUT, as %s', async (type) => {
    const reply = await whileLocked(platform, () => post(platform, user, request(user, type)));
    expect([reply.status, reply.data]).toEqual([200, null]);
    expect(reply.errors[0].extensions).toMatchObject({ code: 'QUERY_TIMEOUT', timeout_seconds: 1 });
    expectNothingInternal(reply);
    expect((await post(platform, user, request(user, type))).errors).toBeUndefined();
  });

  test('runs for a caller that has disconnected, it is stopped', async () => {
    const patient = await startTestPlatform({ databaseUri: platform.databaseUri });
    try {
      await whileLocked(patient, async () => {
        const waiting = async (): Promise<number> => {
          const [row] = await platform.database.sql<{ count: number }[]>`
            select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and query ilike '%work_unit%'`;
          return row?.count ?? 0;
        };
        const controller = new AbortController();
        const pending = post(patient, user, { ...request(user), signal: controller.signal });
        await vi.waitFor(async () => {
          expect(await waiting()).toBe(1);
        }, 10_000);
        controller.abort();
        await expect(pending).rejects.toThrow();
        await vi.waitFor(async () => {
          expect(await waiting()).toBe(0);
        }, 10_000);
      });
      expect(patient.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
    } finally {
      await patient.stop();
    }
  });

  test.each(types)('fails unexpectedly, only the log has the cause, as %s', async (type) => {
    const { sql } = platform.database;
    await sql`alter table work_units rename column team to lost`;
    await sql`alter table work_unit_shares rename column team to lost`;
    try {
      const reply = await post(platform, user, request(user, type));
      expect([reply.status, reply.data, reply.errors[0].extensions.code]).toEqual([200, null, 'INTERNAL_ERROR']);
      expectNothingInternal(reply);
      const requestId = reply.headers.get('X-Request-Id') ?? '';
      const line = platform.logLines.find((each) => each.includes(requestId) && each.includes('"level":50'));
      expect(line).toContain('does not exist');
    } finally {
      await sql`alter table work_units rename column lost to team`;
      await sql`alter table work_unit_shares rename column lost to team`;
    }
  });

  test.each(types)(
    'is available but accounts cannot be read, the request fails before the query, as %s',
    async (type) => {
      const { sql } = platform.database;
      await sql`alter table memberships rename to lost`;
      try {
        const reply = await post(platform, user, request(user, type));
        expect([reply.status, reply.data, reply.errors[0].extensions.code]).toEqual([500, undefined, 'INTERNAL_ERROR']);
        expectNothingInternal(reply);
      } finally {
        await sql`alter table lost rename to memberships`;
      }
    },
  );
});

describe('If a database is unavailable', () => {
  let store: OwnPostgres;
  let identity: OwnPostgres;
  let platform: TestPlatform;
  let user: TestUser;
  beforeAll(async () => {
    [store, identity] = await Promise.all([startOwnPostgres(), startOwnPostgres()]);
    platform = await startTestPlatform({ databaseUri: identity.uri, environment: { ANALYTICS_URI: store.uri } });
    user = await platform.signUp();
    await fill(store.uri, user.orgId, smallOrganization);
  });
  afterAll(async () => {
    await platform.stop();
    await Promise.all([store.remove(), identity.remove()]);
  });

  test('the store is the one of ANALYTICS_URI', async () => {
    const { data } = await post(platform, user, request(user));
    expect(data.catalog.values).toHaveLength(3);
  });

  test('queries report an unavailable store, and succeed as soon as it is back', async () => {
    await store.stop();
    try {
      for (const type of types) {
        const reply = await post(platform, user, request(user, type));
        expect([reply.status, reply.headers.get('Retry-After')]).toEqual([200, '2']);
        expect(reply.errors[0].extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retry_after_seconds: 2 });
        expectNothingInternal(reply);
      }
    } finally {
      await store.start();
    }
    await vi.waitFor(async () => {
      expect((await post(platform, user, request(user))).errors).toBeUndefined();
    }, 20_000);
  });

  test('requests report an unavailable account database, and succeed as soon as it is back', async () => {
    await identity.stop();
    try {
      for (const type of types) {
        const reply = await post(platform, user, request(user, type));
        expect([reply.status, reply.headers.get('Retry-After')]).toEqual([503, '2']);
        expect(reply.errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
        expectNothingInternal(reply);
      }
    } finally {
      await identity.start();
    }
    await vi.waitFor(async () => {
      expect((await post(platform, user, request(user))).errors).toBeUndefined();
    }, 20_000);
  });
});
