/** The owner who can enter without SSO while it is required, and how an organization keeps one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testPassword, type JsonReply, type TestUser } from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { login, me } from '../auth/requests.js';
import { problem } from '../providers/requests.js';
import { createScimClient, userSchema, type ScimClient } from '../scim/scim-client.js';
import { accountAt, connect, putSso, ssoAs, ssoRequest, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let superuser: TestUser;
/** The recovery owner. */
let recovery: TestUser;
/** Owners with passwords, who could be the recovery owner. */
let second: TestUser;
let third: TestUser;
/** An owner who logs in by SSO. */
let bySso: TestUser;
let domain: string;
let scim: ScimClient;

beforeAll(async () => {
  stage = await startSsoStage();
  const { platform } = stage;
  recovery = stage.owner;
  superuser = await platform.signUp({ organization: null });
  await makeSuperuser(platform, superuser);
  second = await platform.signUp({ invitedBy: recovery, role: 'owner' });
  third = await platform.signUp({ invitedBy: recovery, role: 'owner' });
  scim = await createScimClient(platform, recovery);
  domain = await connect(stage, recovery, { is_required: true, recovery_owner_id: recovery.userId });
  const { body } = await ssoAs(stage, recovery.orgId, accountAt(domain));
  bySso = { ...recovery, userId: String(body.user.id), accessToken: String(body.access_token) };
  await call('PATCH', memberPath(bySso), recovery.accessToken, { role: 'owner' });
});
afterAll(() => stage.stop());

const call = (method: string, path: string, token: string, body?: object): Promise<JsonReply> =>
  stage.platform.json(method, path, { token, ...(body !== undefined && { body }) });
const memberPath = ({ userId }: TestUser): string => `/api/v1/organizations/${recovery.orgId}/members/${userId}`;
const scimPath = (): string => `/Users/${recovery.userId}`;

/** Names the recovery owner. */
function name(by: TestUser, { userId }: TestUser): Promise<JsonReply> {
  const differences = { is_required: true, recovery_owner_id: userId, domains: [domain] };
  return putSso(stage, by, ssoRequest(stage.issuer, differences));
}

describe('The recovery owner of an organization that requires SSO', () => {
  it.each<[string, () => Promise<JsonReply>]>([
    ['removed', () => call('DELETE', memberPath(recovery), bySso.accessToken)],
    ['made an admin by another owner', () => call('PATCH', memberPath(recovery), bySso.accessToken, { role: 'admin' })],
    [
      'deleted by a superuser',
      () => call('DELETE', `/api/v1/installation/users/${recovery.userId}`, superuser.accessToken),
    ],
  ])('cannot be %s', async (_what, change) => {
    const reply = await change();
    expect(problem(reply)).toBe('409 recovery-owner');
    expect(reply.body.message).toContain('Name another recovery owner first');
  });

  it.each<[string, () => Promise<JsonReply>]>([
    ['leave', () => call('DELETE', memberPath(recovery), recovery.accessToken)],
    ['become an admin', () => call('PATCH', memberPath(recovery), recovery.accessToken, { role: 'admin' })],
    [
      'hand the organization over',
      () =>
        call('POST', `/api/v1/organizations/${recovery.orgId}/transfer`, recovery.accessToken, {
          user_id: bySso.userId,
        }),
    ],
    [
      'delete the account',
      () =>
        call('POST', '/api/v1/auth/account-deletion', recovery.accessToken, {
          current_password: testPassword,
        }),
    ],
  ])('cannot %s', async (_what, change) => {
    expect(problem(await change())).toBe('409 recovery-owner');
  });

  it.each<[string, () => Promise<JsonReply>]>([
    ['disabled', () => scim.patch(scimPath(), { op: 'replace', value: { active: false } })],
    ['replaced', () => scim('PUT', scimPath(), { schemas: [userSchema], userName: recovery.email, active: false })],
    ['deleted', () => scim('DELETE', scimPath())],
  ])('cannot be %s by SCIM', async (_what, change) => {
    const reply = await change();
    expect(reply).toMatchObject({ status: 409, body: { detail: expect.stringContaining('recovery owner') as string } });
  });

  it('is still the owner after all of that', async () => {
    const { body } = await me(stage.platform, recovery.accessToken);
    expect(body).toMatchObject({ org_id: recovery.orgId, role: 'owner' });
  });

  it('can leave after another one is named, who then enters by password', async () => {
    const { platform } = stage;
    expect((await name(recovery, second)).status).toBe(200);
    const { body } = await login(platform, recovery.email);
    expect(body.user.org_id).toBeNull();
    expect((await call('DELETE', memberPath(recovery), String(body.access_token))).status).toBe(200);
    expect((await login(platform, second.email)).body.user).toMatchObject({ org_id: recovery.orgId, role: 'owner' });
  });

  it('can be disabled by superusers, who then enter and name another one, also while the provider fails', async () => {
    const { platform, issuer } = stage;
    const disabled = await call('PATCH', `/api/v1/installation/users/${second.userId}`, superuser.accessToken, {
      is_active: false,
    });
    expect(disabled.status).toBe(200);
    expect((await login(platform, second.email)).status).toBe(401);
    // Nobody else enters by password meanwhile, and those who come by SSO still do.
    expect((await login(platform, third.email)).body.user).toMatchObject({ org_id: null });
    expect((await me(platform, bySso.accessToken)).body).toMatchObject({ role: 'owner' });
    const { body } = await call('POST', '/api/v1/auth/switch-org', superuser.accessToken, { org_id: recovery.orgId });
    issuer.fault = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    const entered = { ...superuser, orgId: recovery.orgId, accessToken: String(body.access_token) };
    expect((await name(entered, third)).status).toBe(200);
    expect((await login(platform, third.email)).body.user).toMatchObject({ org_id: recovery.orgId, role: 'owner' });
  });
});
