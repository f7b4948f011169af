/** Walks the contract: which operations take service tokens, with which scope, and that all others take none. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes, schemes } from '../../../../generated/platform/routes.js';
import { record } from '../../../../src/contract-tools/documents.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { problemOf } from '../../../support/problem-of.js';
import { observeScope } from '../../../support/scope-contract.js';
import { createServiceToken, type Scope, type TestServiceToken } from '../../../support/service-token.js';
import { exampleOf, sendExample } from '../../service/send-example.js';

const document = record(JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8')));
const components = record(document['components']);
const allScopes = record(record(components['schemas'])['ServiceTokenScope'])['enum'] as readonly Scope[];

interface Taking {
  readonly name: string;
  readonly method: string;
  readonly scope: Scope | null;
}

const secured = routes.filter(({ security }) => security.schemes.length > 0);
const taking = secured.flatMap(({ operationId: name, method, security }): Taking[] => {
  const use = security.schemes.find((each) => each.name === schemes.serviceToken.name);
  return use === undefined ? [] : [{ name, method, scope: use.scope as Scope | null }];
});
const scoped = taking.filter(({ scope }) => scope !== null);
const refusing = secured.filter(({ operationId: name }) => !taking.some((each) => each.name === name));

let platform: TestPlatform;
let owner: TestUser;
let other: TestUser;
const withScope = new Map<Scope, TestServiceToken>();
const withoutScope = new Map<Scope, TestServiceToken>();
let withAll: TestServiceToken;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
  other = await platform.signUp();
  withAll = await createServiceToken(platform, owner, allScopes, { name: 'all' });
  for (const scope of allScopes) {
    withScope.set(scope, await createServiceToken(platform, owner, [scope]));
    const rest = allScopes.filter((each) => each !== scope);
    withoutScope.set(scope, await createServiceToken(platform, owner, rest, { name: `all but ${scope}` }));
  }
});
afterAll(() => platform.stop());

const tokenIn = (tokens: ReadonlyMap<Scope, TestServiceToken>, scope: Scope | null): string =>
  tokens.get(scope ?? 'setup:read')?.token ?? '';

describe('The contract', () => {
  test('has one closed list of scopes, and uses each of them', () => {
    const described = Object.keys(record(record(record(components['securitySchemes'])['serviceToken'])['x-scopes']));
    expect(described).toEqual(allScopes);
    const used = new Set(scoped.map(({ scope }) => scope));
    expect([...used].sort()).toEqual([...allScopes].sort());
  });
});

const rows = async (): Promise<unknown> => {
  const [counts] = await platform.database.sql`
    select (select count(*) from memberships) as memberships, (select count(*) from invites) as invites,
      (select count(*) from integrations) as integrations, (select count(*) from sync_configs) as sync_configs,
      (select count(*) from sync_runs) as sync_runs, (select count(*) from saved_views) as views,
      (select count(*) from service_tokens) as tokens, (select count(*) from audit_log) as records`;
  return counts;
};

// Anybody may log out, and read the metrics from this machine; a wrong credential counts as none there.
const closed = refusing
  .map(({ operationId: name }) => ({ name }))
  .filter(({ name }) => name !== 'logout' && name !== 'getMetrics');

describe('A token with all scopes', () => {
  test.each(closed)('cannot call $name', async ({ name }) => {
    const before = await rows();
    const reply = await sendExample(platform, exampleOf(name), {
      token: withAll.token,
      parameters: { org_id: owner.orgId, user_id: owner.userId },
    });
    expect([reply.status, reply.body.type, reply.body.message]).toEqual([
      401,
      '/problems/unauthenticated',
      'This operation does not accept service tokens. Use the access token of a user.',
    ]);
    expect(reply.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
    expect(await rows()).toEqual(before);
  });

  test('ends no session by a log-out', async () => {
    const body = { refresh_token: owner.refreshToken };
    const reply = await platform.json('POST', '/api/v1/auth/logout', {
      token: withAll.token,
      body: { ...body, refresh_token: 'x' },
    });
    expect(reply.status).toBe(200);
    expect((await platform.json('GET', '/api/v1/auth/me', { token: owner.accessToken })).status).toBe(200);
  });

  test.each(scoped.filter(({ name }) => exampleOf(name).path.includes('{org_id}')))(
    'cannot call $name of another organization',
    async ({ name }) => {
      const before = await rows();
      const reply = await sendExample(platform, exampleOf(name), {
        token: withAll.token,
        parameters: { org_id: other.orgId },
      });
      expect([reply.status, reply.body.type]).toEqual([403, '/problems/organization-mismatch']);
      expect(await rows()).toEqual(before);
    },
  );
});

describe('An operation with a scope', () => {
  test.each(scoped)('$name refuses a token with every other scope, and names $scope', async ({ name, scope }) => {
    const before = await rows();
    const reply = await sendExample(platform, exampleOf(name), {
      token: tokenIn(withoutScope, scope),
      parameters: { org_id: owner.orgId },
    });
    const problem = problemOf(reply);
    expect([reply.status, problem.type, problem.required_scope]).toEqual([403, '/problems/insufficient-scope', scope]);
    expect(await rows()).toEqual(before);
    observeScope(name, String(scope), 'refused');
  });

  test.each(scoped)('$name accepts a token with $scope alone', async ({ name, scope }) => {
    const reply = await sendExample(platform, exampleOf(name), {
      token: tokenIn(withScope, scope),
      parameters: { org_id: owner.orgId },
    });
    expect([401, 403]).not.toContain(reply.status);
    observeScope(name, String(scope), 'accepted');
  });
});

describe('The limit of a token', () => {
  let limited: TestPlatform;
  let user: TestUser;
  beforeAll(async () => {
    limited = await startTestPlatform({ environment: { SERVICE_TOKEN_LIMIT: '2/hour' } });
    user = await limited.signUp();
  });
  afterAll(() => limited.stop());

  test('holds for all operations together, is in the headers of every reply, and leaves other tokens alone', async () => {
    const one = await createServiceToken(limited, user, allScopes, { name: 'one' });
    const two = await createServiceToken(limited, user, allScopes, { name: 'two' });
    const first = await limited.json('GET', '/api/v1/service-tokens/current', { token: one.token });
    expect([first.status, first.headers.get('RateLimit-Policy')]).toEqual([200, '"service-token";q=2;w=3600']);
    expect(first.headers.get('RateLimit')).toMatch(/^"service-token";r=1;t=\d+$/);
    await limited.json('GET', '/api/v1/admin/setup/status', { token: one.token });
    for (const { name } of taking) {
      const reply = await sendExample(limited, exampleOf(name), {
        token: one.token,
        parameters: { org_id: user.orgId },
      });
      const problem = problemOf(reply);
      expect([name, reply.status, problem.type]).toEqual([name, 429, '/problems/rate-limited']);
      expect(reply.headers.get('Retry-After')).toBe(String(problem.retry_after_seconds));
      expect(reply.headers.get('RateLimit')).toContain('"service-token";r=0;');
    }
    expect((await limited.json('GET', '/api/v1/service-tokens/current', { token: two.token })).status).toBe(200);
  });

  test('is not renewed by a rotation', async () => {
    const { id, token } = await createServiceToken(limited, user, ['setup:read'], { name: 'rotating' });
    for (const status of [200, 200, 429]) {
      expect((await limited.json('GET', '/api/v1/service-tokens/current', { token })).status).toBe(status);
    }
    const path = `/api/v1/organizations/${user.orgId}/service-tokens/${id}/rotate`;
    const rotated = await limited.json('POST', path, { token: user.accessToken, body: { overlap_seconds: 0 } });
    const again = await limited.json('GET', '/api/v1/service-tokens/current', { token: rotated.body.token });
    expect(again.status).toBe(429);
  });
});
