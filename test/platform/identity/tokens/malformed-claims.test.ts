import fc from 'fast-check';
import { decodeJwt, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { me, refresh } from '../auth/requests.js';
import { createForge, type Forge } from './forged-tokens.js';

let forge: Forge;
let platform: TestPlatform;
let user: TestUser;
beforeAll(async () => {
  forge = await createForge();
  platform = await startTestPlatform({ environment: { JWT_PRIVATE_KEYS: forge.setting } });
  user = await platform.signUp();
});
afterAll(() => platform.stop());

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** What is not an id: other JSON values, and strings that PostgreSQL cannot read as a uuid or cannot read at all. */
const notAnId = fc
  .oneof(
    fc.constantFrom('', '\u0000', '{}', 'NaN', "'; select 1", '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b0', '\ud800'),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.jsonValue({ maxDepth: 1 }),
  )
  .filter((value) => value !== null && !(typeof value === 'string' && uuid.test(value)));

/** Ends that lie ahead but have no form as a date and time in a reply. */
const farEnds = fc.constantFrom(253_402_300_800, 8.64e12, 1e300, Number.MAX_SAFE_INTEGER);

/** Claims of which one is replaced by something malformed. The version 0 is one that can be drawn, and is right. */
function malformed(names: readonly string[], good: JWTPayload): fc.Arbitrary<JWTPayload> {
  return fc.oneof(
    ...names.map((name) =>
      notAnId.filter((value) => value !== good[name]).map((value): JWTPayload => ({ ...good, [name]: value })),
    ),
  );
}

function farFuture(good: JWTPayload): fc.Arbitrary<JWTPayload> {
  return farEnds.map((exp): JWTPayload => ({ ...good, exp }));
}

describe('a correctly signed token with a malformed claim', () => {
  it('is refused as an access token', async () => {
    const good = decodeJwt(user.accessToken);
    await fc.assert(
      fc.asyncProperty(fc.oneof(malformed(['sub', 'org_id', 'sid', 'tv'], good), farFuture(good)), async (claims) => {
        const token = await forge.sign(claims);
        expect((await me(platform, token)).status).toBe(401);
        const validated = await platform.json('POST', '/api/v1/auth/validate', { body: { token } });
        expect([validated.status, validated.body.valid]).toEqual([200, false]);
      }),
      { numRuns: 150 },
    );
  });

  it('is refused as a refresh token, and ends no session', async () => {
    const good = decodeJwt(user.refreshToken);
    await fc.assert(
      fc.asyncProperty(malformed(['sub', 'org_id', 'family_id'], good), async (claims) => {
        const token = await forge.sign(claims);
        expect((await refresh(platform, token)).status).toBe(401);
        const logout = await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: token } });
        expect(logout.status).toBe(200);
      }),
      { numRuns: 150 },
    );
    expect((await me(platform, user.accessToken)).status).toBe(200);
  });

  it.each([7, {}, [[]], true])('is refused as a refresh token with the jti %j', async (jti) => {
    const token = await forge.sign({ ...decodeJwt(user.refreshToken), jti } as JWTPayload);
    expect((await refresh(platform, token)).status).toBe(401);
  });
});

describe('a correctly signed refresh token with the id of another token', () => {
  const another = '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01';
  const forge401 = async (claims: JWTPayload, change: JWTPayload): Promise<readonly number[]> => {
    const token = await forge.sign({ ...claims, ...change });
    const headers = { Cookie: `plumbline_session=${token}`, 'X-Plumbline-Browser': '1' };
    const [bearer, cookie] = [
      await refresh(platform, token),
      await platform.json('POST', '/api/v1/auth/browser-session/refresh', { headers }),
    ];
    return [bearer.status, cookie.status];
  };

  it.each([{ family_id: another }, { sub: another }])('and %j is refused and uses up nothing', async (change) => {
    const { refreshToken } = await platform.signUp();
    expect(await forge401(decodeJwt(refreshToken), change)).toEqual([401, 401]);
    expect((await refresh(platform, refreshToken)).status).toBe(200);
  });

  it.each([{ family_id: another }, { sub: another }])(
    'that a browser has just used and %j is refused',
    async (change) => {
      const { refreshToken } = await platform.signUp();
      const body = { refresh_token: refreshToken };
      const headers = { 'X-Plumbline-Browser': '1' };
      const started = await platform.json('POST', '/api/v1/auth/browser-session', { body, headers });
      expect(started.status).toBe(200);
      expect(await forge401(decodeJwt(refreshToken), change)).toEqual([401, 401]);
      expect((await me(platform, String(started.body.access_token))).status).toBe(200);
    },
  );
});
