import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { createServiceToken } from '../../../support/service-token.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { auditOf } from '../auth/stored.js';
import { enroll, logIn, problem, verify } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const reset = ({ orgId, accessToken: token }: TestUser, userId: string): Promise<JsonReply> =>
  platform.json('DELETE', `/api/v1/organizations/${orgId}/members/${userId}/mfa`, { token });

describe('an owner', () => {
  it('removes the second factor of a member who has lost it; sessions and begun log-ins end', async () => {
    const owner = await platform.signUp();
    const { user: member, nextCode } = await enroll(platform, await platform.signUp({ invitedBy: owner }));
    const begun = await logIn(platform, member);
    const reply = await reset(owner, member.userId);
    expect(reply.status).toBe(204);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'MFA_RESET', user_id: owner.userId, resource_id: member.userId },
    ]);
    expect((await platform.lastMail(member.email)).text).toContain('was removed by an owner of your organization');
    expect((await platform.json('GET', '/api/v1/auth/me', { token: member.accessToken })).status).toBe(401);
    const late = await verify(platform, { mfa_token: begun.body.mfa_token, code: nextCode() });
    expect(problem(late)).toBe('400 invalid-mfa-token');
    expect((await logIn(platform, member)).body).toHaveProperty('access_token');
  });

  it('cannot do it for the owner of another organization: the second factor protects that, too', async () => {
    const owner = await platform.signUp();
    const other = await platform.signUp();
    const invite = { token: owner.accessToken, body: { email: other.email, role: 'viewer' } };
    await platform.json('POST', `/api/v1/organizations/${owner.orgId}/invites`, invite);
    const { token } = await platform.lastMail(other.email);
    await platform.json('POST', '/api/v1/auth/accept-invite', { token: other.accessToken, body: { token } });
    await enroll(platform, other);
    expect(problem(await reset(owner, other.userId))).toBe('409 mfa-not-resettable');
    expect((await logIn(platform, other)).body).toMatchObject({ status: 'mfa_required' });
  });

  it('cannot do it for a superuser, nor with this operation for themselves', async () => {
    const owner = await platform.signUp();
    const superuser = await platform.signUp({ invitedBy: owner });
    await makeSuperuser(platform, superuser);
    expect(problem(await reset(owner, superuser.userId))).toBe('409 mfa-not-resettable');
    expect(problem(await reset(owner, owner.userId))).toBe('409 mfa-not-resettable');
  });

  it('cannot do it for a member who has none, who then keeps the sessions', async () => {
    const owner = await platform.signUp();
    const member = await platform.signUp({ invitedBy: owner });
    const reply = await reset(owner, member.userId);
    expect(problem(reply)).toBe('409 mfa-not-resettable');
    expect(reply.body.message).toBe('The member has no second factor.');
    expect((await platform.json('GET', '/api/v1/auth/me', { token: member.accessToken })).status).toBe(200);
  });

  it('sees in the list of members whose second factor can be removed, and others do not', async () => {
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    await enroll(platform, owner);
    const { user: member } = await enroll(platform, await platform.signUp({ invitedBy: owner }));
    const { user: superuser } = await enroll(platform, await platform.signUp({ invitedBy: owner }));
    await makeSuperuser(platform, superuser);
    const { token: machine } = await createServiceToken(platform, owner, ['members:read']);
    const resettable = async (token: string): Promise<string[]> => {
      const { body } = await platform.json('GET', `/api/v1/organizations/${owner.orgId}/members`, { token });
      const items = body.items as readonly { readonly user_id: string; readonly mfa_resettable: boolean }[];
      return items.filter((item) => item.mfa_resettable).map((item) => item.user_id);
    };
    expect(await resettable(owner.accessToken)).toEqual([member.userId]);
    expect(await resettable(admin.accessToken)).toEqual([]);
    expect(await resettable(machine)).toEqual([]);
  });

  it('needs a fresh proof, and a member', async () => {
    const owner = await platform.signUp();
    const stranger = await platform.signUp();
    expect(problem(await reset(owner, stranger.userId))).toBe('404 member-not-found');
    const member = await platform.signUp({ invitedBy: owner });
    platform.clock.advance(601);
    expect(problem(await reset(owner, member.userId))).toBe('403 recent-login-required');
  });
});

it('an admin cannot remove the second factor of a member', async () => {
  const owner = await platform.signUp();
  const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
  const { user: member } = await enroll(platform, await platform.signUp({ invitedBy: owner }));
  expect(problem(await reset(admin, member.userId))).toBe('403 insufficient-role');
  expect((await logIn(platform, member)).body).toMatchObject({ status: 'mfa_required' });
});

it('a superuser removes the second factor of an account with several organizations', async () => {
  const superuser = await platform.signUp();
  await makeSuperuser(platform, superuser);
  const member = await platform.signUp({ invitedBy: superuser });
  await platform.json('POST', '/api/v1/organizations', { token: member.accessToken, body: { name: 'Another one' } });
  await enroll(platform, member);
  expect((await reset(superuser, member.userId)).status).toBe(204);
  expect((await logIn(platform, member)).body).toHaveProperty('access_token');
});
