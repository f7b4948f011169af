/** A person creates organizations beside the one from registration or onboarding. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { auditOf } from '../../identity/auth/stored.js';
import { onboardingState } from '../../identity/onboarding/requests.js';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function create(by: TestUser, name = 'Second', at = platform): Promise<JsonReply> {
  return at.json('POST', '/api/v1/organizations', { token: by.accessToken, body: { name } });
}

async function switchTo(by: TestUser, orgId: string): Promise<string> {
  const request = { token: by.accessToken, body: { org_id: orgId } };
  const { status, body } = await platform.json('POST', '/api/v1/auth/switch-org', request);
  expect(status).toBe(200);
  return String(body.access_token);
}

describe('another organization', () => {
  it('belongs to its creator, whose session stays where it is until it switches', async () => {
    const user = await platform.signUp();
    const reply = await create(user, '  Second  ');
    expect(reply).toMatchObject({ status: 201, body: { name: 'Second', deletion: null } });
    const before = await platform.json('GET', '/api/v1/auth/me', { token: user.accessToken });
    expect(before.body.org_id).toBe(user.orgId);
    const token = await switchTo(user, reply.body.id);
    expect((await platform.json('GET', '/api/v1/auth/me', { token })).body).toMatchObject({
      org_id: reply.body.id,
      org_name: 'Second',
      role: 'owner',
    });
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'CREATE', resource_kind: 'ORGANIZATION', resource_id: reply.body.id, org_id: reply.body.id },
    ]);
  });

  it('goes through onboarding from its integration on, as the first one does', async () => {
    const user = await platform.signUp();
    const token = await switchTo(user, (await create(user)).body.id);
    expect((await onboardingState(platform, token)).body).toMatchObject({
      next_step: 'integration',
      org_name: 'Second',
    });
  });

  it('can be the first one of an account without any', async () => {
    const user = await platform.signUp({ organization: null });
    expect((await create(user)).status).toBe(201);
  });

  it('is refused to an account whose address is not verified', async () => {
    const user = await platform.signUp({ organization: null });
    await platform.database.sql`
      update users set is_verified = false, auth_provider = 'test' where id = ${user.userId}`;
    expect(await create(user)).toMatchObject({ status: 403, body: { type: '/problems/email-not-verified' } });
  });

  it('is the tenth at most, also of requests that arrive together, unless a superuser creates it', async () => {
    const user = await platform.signUp();
    const replies = await Promise.all(Array.from({ length: 12 }, () => create(user)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(await create(user)).toMatchObject({ status: 409, body: { type: '/problems/organization-limit-reached' } });
    await makeSuperuser(platform, user);
    expect((await create(user)).status).toBe(201);
  });

  it('counts for its creator also after it was handed over', async () => {
    const user = await platform.signUp();
    for (let created = 1; created < 10; created += 1) await create(user);
    await platform.database.sql`
      update memberships set role = 'admin' where user_id = ${user.userId} and org_id <> ${user.orgId}`;
    expect((await create(user)).status).toBe(409);
  });
});

describe.each(['invite', 'closed'])('with AUTH_REGISTRATION=%s', (registration) => {
  let restricted: TestPlatform;
  beforeAll(async () => {
    restricted = await startTestPlatform({
      databaseUri: platform.databaseUri,
      mailbox: platform.mailbox,
      environment: { AUTH_REGISTRATION: registration },
    });
  });
  afterAll(() => restricted.stop());

  it('only superusers create further organizations', async () => {
    const user = await platform.signUp();
    expect(await create(user, 'Second', restricted)).toMatchObject({
      status: 403,
      body: { type: '/problems/superuser-required' },
    });
    await makeSuperuser(platform, user);
    expect((await create(user, 'Second', restricted)).status).toBe(201);
  });
});
