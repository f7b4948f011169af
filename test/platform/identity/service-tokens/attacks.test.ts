import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemRandom } from '../../../../src/platform/random.js';
import {
  isServiceToken,
  newServiceToken,
} from '../../../../src/platform/identity/service-tokens/service-token-form.js';
import { hashToken } from '../../../../src/platform/identity/tokens/token-hash.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';

let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  platform = await startTestPlatform();
  owner = await platform.signUp();
});
afterAll(() => platform.stop());

const current = (token: string): Promise<JsonReply> =>
  platform.json('GET', '/api/v1/service-tokens/current', { token });

/** The reply without what differs by request. */
function substance({ status, body, headers }: JsonReply): unknown {
  const { request_id: _id, ...rest } = body;
  const names = [...headers.keys()].filter((name) => name !== 'date' && name !== 'x-request-id');
  return { status, rest, names };
}

describe('The form of a service token', () => {
  test('is random, and carries its checksum', () => {
    const tokens = new Set(Array.from({ length: 1000 }, () => newServiceToken(systemRandom)));
    expect(tokens.size).toBe(1000);
    for (const token of tokens) expect([token.length, isServiceToken(token)]).toEqual([55, true]);
  });

  test('has every character at every random place', () => {
    const seen = Array.from({ length: 43 }, () => new Set<string>());
    for (let turn = 0; turn < 3000; turn++) {
      const secret = newServiceToken(systemRandom).slice(6, 49);
      for (let place = 0; place < secret.length; place++) seen[place]?.add(secret.charAt(place));
    }
    expect(seen.map(({ size }) => size)).toEqual(Array.from({ length: 43 }, () => 62));
  });

  // Computed by Python: zlib.crc32(b'0' * 43), in base 62.
  test('has the checksum that the contract describes', () => {
    expect(isServiceToken(`plbst_${'0'.repeat(43)}2CZclj`)).toBe(true);
  });

  test.each([
    ['another prefix', (token: string) => `plbxx_${token.slice(6)}`],
    ['a prefix in capitals', (token: string) => token.toUpperCase()],
    ['one character less', (token: string) => token.slice(0, -1)],
    ['one character more', (token: string) => `${token}0`],
    ['a line break at the end', (token: string) => `${token}\n`],
    ['two characters exchanged', (token: string) => token.replace(/(plbst_)(.)(.)/, '$1$3$2')],
    ['a lone surrogate', (token: string) => token.replace(/.$/, '\ud800')],
    ['no secret', () => 'plbst_'],
  ])('is broken by %s', (_what, spoil) => {
    // Its first two characters differ, so that exchanging them changes it.
    let token = newServiceToken(systemRandom);
    while (token[6] === token[7]) token = newServiceToken(systemRandom);
    expect(isServiceToken(token)).toBe(true);
    expect(isServiceToken(spoil(token))).toBe(false);
  });
});

describe('A stranger', () => {
  test('gets the same reply for an unknown, a revoked, an expired, a rotated and a malformed token', async () => {
    const path = `/api/v1/organizations/${owner.orgId}/service-tokens`;
    const by = { token: owner.accessToken };
    const [revoked, expired, rotated] = await Promise.all(
      ['revoked', 'expired', 'rotated'].map((name) => createServiceToken(platform, owner, ['setup:read'], { name })),
    );
    await platform.json('DELETE', `${path}/${revoked?.id ?? ''}`, by);
    await platform.database.sql`update service_tokens set expires_at = now() where id = ${expired?.id ?? ''}`;
    await platform.json('POST', `${path}/${rotated?.id ?? ''}/rotate`, { ...by, body: { overlap_seconds: 0 } });
    const unknown = newServiceToken(systemRandom);
    const expected = substance(await current(unknown));
    expect(expected).toMatchObject({ status: 401, rest: { type: '/problems/unauthenticated' } });
    const tokens = [
      revoked?.token,
      expired?.token,
      rotated?.token,
      'plbst_',
      unknown.slice(0, -1),
      'plbst_'.repeat(500),
    ];
    for (const token of tokens) expect(substance(await current(token ?? ''))).toEqual(expected);
  });

  test('cannot use the access token of a user as a service token', async () => {
    expect((await current(owner.accessToken)).status).toBe(401);
  });

  test('cannot use the stored hash', async () => {
    await createServiceToken(platform, owner, ['setup:read'], { name: 'hashed' });
    const rows = await platform.database.sql<{ hex: string; text: string }[]>`
      select encode(secret_hash, 'hex') as hex, encode(secret_hash, 'base64') as text from service_token_secrets`;
    for (const { hex, text } of rows) {
      expect((await current(`plbst_${hex}`)).status).toBe(401);
      expect((await current(text)).status).toBe(401);
    }
  });

  test('causes no database read with a wrong checksum', async () => {
    const away = await startTestPlatform();
    try {
      await away.database.sql`alter table service_token_secrets rename to elsewhere`;
      const path = '/api/v1/service-tokens/current';
      const token = newServiceToken(systemRandom);
      expect((await away.json('GET', path, { token })).status).toBe(500);
      const wrong = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
      expect((await away.json('GET', path, { token: wrong })).status).toBe(401);
      // Nor at operations that take no service tokens, however valid.
      expect((await away.json('GET', '/api/v1/auth/me', { token })).status).toBe(401);
    } finally {
      await away.stop();
    }
  });
});

describe('A token that is revoked while it is used', () => {
  test('is refused from the next request on, by every server', async () => {
    const second = await startTestPlatform({ databaseUri: platform.databaseUri, mailbox: platform.mailbox });
    try {
      const { id, token } = await createServiceToken(platform, owner, ['setup:read'], { name: 'in use' });
      const path = '/api/v1/admin/setup/status';
      expect((await second.json('GET', path, { token })).status).toBe(200);
      const under = Array.from({ length: 20 }, () => second.json('GET', path, { token }));
      const revoke = `/api/v1/organizations/${owner.orgId}/service-tokens/${id}`;
      expect((await platform.json('DELETE', revoke, { token: owner.accessToken })).status).toBe(204);
      for (const reply of await Promise.all(under)) expect([200, 401]).toContain(reply.status);
      expect((await second.json('GET', path, { token })).status).toBe(401);
      expect((await platform.json('GET', path, { token })).status).toBe(401);
    } finally {
      await second.stop();
    }
  });
});

describe('The limit of a token', () => {
  test('counts across servers, within a second', async () => {
    const environment = { SERVICE_TOKEN_LIMIT: '4/hour' };
    const first = await startTestPlatform({ environment });
    const second = await startTestPlatform({ environment, databaseUri: first.databaseUri, mailbox: first.mailbox });
    try {
      const user = await first.signUp();
      const { token } = await createServiceToken(first, user, ['setup:read']);
      const use = async (server: TestPlatform): Promise<number> =>
        (await server.json('GET', '/api/v1/service-tokens/current', { token })).status;
      expect([await use(first), await use(second)]).toEqual([200, 200]);
      expect([await use(first), await use(first)]).toEqual([200, 200]);
      for (const server of [first, second]) {
        const useLater = (): Promise<number> => {
          server.clock.advance(1); // the server adds its counts to the shared ones, and learns those of the other
          return use(server);
        };
        await expect.poll(useLater).toBe(429);
      }
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});

test('The access log names the token by its id', async () => {
  const { id, token } = await createServiceToken(platform, owner, ['setup:read'], { name: 'logged' });
  const { headers } = await current(token);
  const requestId = headers.get('X-Request-Id') ?? '';
  const lineOf = (): string | undefined =>
    platform.logLines.find((line) => line.includes(requestId) && line.includes('"msg":"request"'));
  await expect.poll(lineOf).toBeDefined();
  expect(JSON.parse(lineOf() ?? '{}')).toMatchObject({ user_id: null, service_token_id: id });
  expect(platform.logLines.join('')).not.toContain(token.slice(6));
});

test('No log line has a token, whatever the reply', async () => {
  const server = await startTestPlatform({ environment: { LOG_LEVEL: 'trace' } });
  try {
    const user = await server.signUp();
    const stranger = await server.signUp();
    const { id, token } = await createServiceToken(server, user, ['teams:read']);
    const teams = `/api/v1/organizations/${user.orgId}/teams`;
    const status = async (method: string, path: string, body?: unknown): Promise<number> =>
      (await server.json(method, path, { token, body })).status;
    const statuses = [
      await status('GET', teams),
      await status('GET', '/api/v1/auth/me'),
      await status('POST', teams, { id: 'payments' }),
      await status('GET', `/api/v1/organizations/${stranger.orgId}/teams`),
      await status('GET', `${teams}/nobody`),
      await status('GET', `${teams}?limit=0`),
      await status('GET', '/nothing'),
      await status('PUT', '/api/v1/auth/me'),
    ];
    const rotation = await server.json('POST', `/api/v1/organizations/${user.orgId}/service-tokens/${id}/rotate`, {
      token: user.accessToken,
      body: { overlap_seconds: 60 },
    });
    await server.database.sql`alter table service_token_secrets rename to elsewhere`;
    statuses.push(await status('GET', teams));
    expect(statuses).toEqual([200, 401, 403, 403, 404, 422, 404, 405, 500]);
    await expect
      .poll(() => server.logLines.filter((line) => line.includes('"msg":"request"')).length)
      .toBeGreaterThan(9);
    const log = server.logLines.join('');
    expect(log).toContain(id);
    for (const each of [token, rotation.body.token]) {
      expect(log).not.toContain(each.slice(6));
      for (const encoding of ['hex', 'base64'] as const) expect(log).not.toContain(hashToken(each).toString(encoding));
    }
  } finally {
    await server.stop();
  }
});
