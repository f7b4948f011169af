import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { me, refresh, simultaneously } from '../auth/requests.js';
import { auditOf, storedMemberships } from '../auth/stored.js';
import { createOrganization, invite, joinOrganization } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

describe('create_org', () => {
  it('creates the organization with its owner', async () => {
    const user = await platform.signUp({ organization: null });
    const { status, body } = await createOrganization(platform, user.accessToken, '  Example Works ');
    expect({ status, name: body.org_name, role: body.role }).toEqual({
      status: 200,
      name: 'Example Works',
      role: 'owner',
    });
    expect(await storedMemberships(platform, user.userId)).toEqual([
      { org_id: body.org_id, org_name: 'Example Works', tier: 'community', role: 'owner' },
    ]);
  });

  it('answers with tokens that are scoped to it', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await createOrganization(platform, user.accessToken, 'Example Works');
    expect(decodeJwt(body.tokens.access_token as string)).toMatchObject({ org_id: body.org_id, role: 'owner' });
    expect((await me(platform, body.tokens.access_token)).body.org_id).toBe(body.org_id);
    expect((await refresh(platform, body.tokens.refresh_token)).body.user.org_id).toBe(body.org_id);
  });

  it('records the creation', async () => {
    const user = await platform.signUp({ organization: null });
    const reply = await createOrganization(platform, user.accessToken, 'Example Works');
    const orgId = reply.body.org_id as string;
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'CREATE', resource_kind: 'ORGANIZATION', resource_id: orgId, org_id: orgId, user_id: user.userId },
    ]);
  });

  it.each([
    ['missing', undefined, 'required'],
    ['empty', '', 'minLength'],
    ['blank', ' \t ', 'pattern'],
    ['longer than 100 characters', 'x'.repeat(101), 'maxLength'],
    ['no text', 7, 'type'],
  ])('is refused when the name is %s', async (_what, name, rule) => {
    const user = await platform.signUp({ organization: null });
    const reply = await createOrganization(platform, user.accessToken, name);
    expect(reply.status).toBe(422);
    expect(reply.body.violations).toContainEqual(expect.objectContaining({ path: '/body/org_name', rule }));
    expect(await storedMemberships(platform, user.userId)).toEqual([]);
  });

  it('accepts a name of 100 characters of any size in bytes', async () => {
    const user = await platform.signUp({ organization: null });
    const { body } = await createOrganization(platform, user.accessToken, '鯨'.repeat(100));
    expect(body.org_name).toBe('鯨'.repeat(100));
  });

  it('is refused to a user with an organization', async () => {
    const user = await platform.signUp();
    const reply = await createOrganization(platform, user.accessToken, 'Second Works');
    expect(reply).toMatchObject({ status: 409, body: { type: '/problems/already-member' } });
    expect(await storedMemberships(platform, user.userId)).toHaveLength(1);
    expect(await auditOf(platform, reply)).toEqual([]);
  });

  it('is refused to an account that is not verified', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.database.sql`update users set is_verified = false where id = ${user.userId}`;
    expect(await createOrganization(platform, user.accessToken, 'Example Works')).toMatchObject({
      status: 403,
      body: { type: '/problems/email-not-verified' },
    });
  });

  it('creates one organization for fifty simultaneous calls of a user', async () => {
    const user = await platform.signUp({ organization: null });
    const name = `Of ${user.userId}`;
    const replies = await simultaneously(50, () => createOrganization(platform, user.accessToken, name));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(49);
    expect(await storedMemberships(platform, user.userId)).toHaveLength(1);
    expect(await platform.database.sql`select 1 from organizations where name = ${name}`).toHaveLength(1);
    expect(
      await platform.database.sql`
      select 1 from audit_log where action = 'CREATE' and user_id = ${user.userId}`,
    ).toHaveLength(1);
  });
});

describe('join_org', () => {
  it('redeems an invite', async () => {
    const owner = await platform.signUp({ organization: 'Example Works' });
    const user = await platform.signUp({ organization: null });
    const { token } = await invite(platform, owner, user.email, 'viewer');
    const reply = await joinOrganization(platform, user.accessToken, token);
    expect(reply).toMatchObject({
      status: 200,
      body: { org_id: owner.orgId, org_name: 'Example Works', role: 'viewer', tokens: { token_type: 'bearer' } },
    });
    expect(await storedMemberships(platform, user.userId)).toMatchObject([{ org_id: owner.orgId, role: 'viewer' }]);
    expect(await auditOf(platform, reply)).toMatchObject([{ action: 'MEMBER_JOINED', user_id: user.userId }]);
  });

  it('refuses an invalid invite', async () => {
    const user = await platform.signUp({ organization: null });
    expect(await joinOrganization(platform, user.accessToken, 'nonsense')).toMatchObject({
      status: 400,
      body: { type: '/problems/invalid-invite', message: 'Invalid or expired invite' },
    });
  });

  it('is refused to a member of that organization', async () => {
    const owner = await platform.signUp();
    const user = await platform.signUp({ organization: null });
    const { token } = await invite(platform, owner, user.email);
    await platform.database.sql`
      insert into memberships (user_id, org_id, role) values (${user.userId}, ${owner.orgId}, 'viewer')`;
    expect((await joinOrganization(platform, user.accessToken, token)).status).toBe(409);
  });

  it('requires the invite', async () => {
    const { accessToken: token } = await platform.signUp({ organization: null });
    const reply = await platform.json('POST', '/api/v1/auth/onboard', { token, body: { action: 'join_org' } });
    expect(reply).toMatchObject({ status: 422, body: { violations: [{ path: '/body/invite_code' }] } });
  });
});

describe('another action', () => {
  it('is refused with the list of valid actions', async () => {
    const { accessToken: token } = await platform.signUp({ organization: null });
    const reply = await platform.json('POST', '/api/v1/auth/onboard', { token, body: { action: 'leave_org' } });
    expect(reply).toMatchObject({ status: 422, body: { violations: [{ path: '/body/action', rule: 'enum' }] } });
    expect(reply.body.message).toContain('create_org, join_org');
  });
});
