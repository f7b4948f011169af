import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform, type TestUser } from '../../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

async function validate(token: string): Promise<unknown> {
  const { status, body } = await platform.json('POST', '/api/v1/auth/validate', { body: { token } });
  expect(status).toBe(200);
  return body;
}

const notValid = { valid: false, user_id: null, email: null, org_id: null, role: null, expires_at: null };

describe('the validation of a token', () => {
  it('returns its user and when it expires', async () => {
    const { accessToken, userId, email, orgId } = await platform.signUp();
    const expiresAt = new Date(Number(decodeJwt(accessToken).exp) * 1000).toISOString();
    expect(await validate(accessToken)).toEqual({
      valid: true,
      user_id: userId,
      email,
      org_id: orgId,
      role: 'owner',
      expires_at: expiresAt,
    });
  });

  it('returns no organization for a valid orgless token', async () => {
    const { accessToken } = await platform.signUp({ organization: null });
    expect(await validate(accessToken)).toMatchObject({ valid: true, org_id: null, role: null });
  });

  it('returns the current role', async () => {
    const user = await platform.signUp({ invitedBy: await platform.signUp(), role: 'viewer' });
    await platform.database.sql`update memberships set role = 'member' where user_id = ${user.userId}`;
    expect(await validate(user.accessToken)).toMatchObject({ valid: true, role: 'member' });
  });

  const reasons: Readonly<Record<string, (user: TestUser) => Promise<string> | string>> = {
    'it is not a token': () => 'nonsense',
    'it is a refresh token': ({ refreshToken }) => refreshToken,
    'its signature is another': ({ accessToken }) => `${accessToken.slice(0, -8)}AAAAAAAA`,
    'it has expired': ({ accessToken }) => {
      platform.clock.advance(15 * 60 + 1);
      return accessToken;
    },
    'the user is disabled': async ({ accessToken, userId }) => {
      await platform.database.sql`update users set is_active = false where id = ${userId}`;
      return accessToken;
    },
    'the password was changed since': async ({ accessToken, userId }) => {
      await platform.database.sql`update users set token_version = token_version + 1 where id = ${userId}`;
      return accessToken;
    },
    'the membership has ended': async ({ accessToken, userId }) => {
      await platform.database.sql`delete from memberships where user_id = ${userId}`;
      return accessToken;
    },
  };

  it.each(Object.entries(reasons))('returns no details when %s', async (_name, tokenOf) => {
    expect(await validate(await tokenOf(await platform.signUp()))).toEqual(notValid);
  });
});
