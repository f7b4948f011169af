/** Access tokens of release 0.1.0, which do not name their session, after an upgrade. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { me } from '../auth/requests.js';
import { createForge, type Forge } from './forged-tokens.js';

let forge: Forge;
let platform: TestPlatform;
beforeAll(async () => {
  forge = await createForge();
  platform = await startTestPlatform({ environment: { JWT_PRIVATE_KEYS: forge.setting } });
});
afterAll(() => platform.stop());

/** The user's access token as release 0.1.0 would have signed it. */
async function earlierToken(user: TestUser): Promise<string> {
  const { sid, ...claims } = decodeJwt(user.accessToken);
  expect(sid).toEqual(expect.any(String));
  return forge.sign(claims);
}

describe('an access token that does not name its session', () => {
  it('counts for the session that began with it', async () => {
    const user = await platform.signUp();
    const sessions = (token: string): Promise<JsonReply> => platform.json('GET', '/api/v1/auth/sessions', { token });
    const token = await earlierToken(user);
    expect((await me(platform, token)).body).toMatchObject({ id: user.userId, org_id: user.orgId });
    const { items } = (await sessions(user.accessToken)).body;
    expect(items).toHaveLength(1);
    expect((await sessions(token)).body.items).toEqual(items);
  });

  it('ends with that session', async () => {
    const user = await platform.signUp();
    const token = await earlierToken(user);
    await platform.json('POST', '/api/v1/auth/logout', { body: { refresh_token: user.refreshToken } });
    expect((await me(platform, token)).status).toBe(401);
  });

  it('is refused where no session of the account began at that time', async () => {
    const user = await platform.signUp();
    const token = await earlierToken(user);
    await platform.database.sql`
      update refresh_tokens set created_at = created_at - interval '12 s' where user_id = ${user.userId}`;
    expect((await me(platform, token)).status).toBe(401);
  });
});
