/** An organization whose provider logs people in by SSO and manages them by SCIM: neither undoes what the other decides. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonReply } from '../../../support/platform.js';
import { invite } from '../onboarding/requests.js';
import { problem } from '../providers/requests.js';
import { createScimClient, groupSchema, userSchema, type ScimClient } from '../scim/scim-client.js';
import { accountAt, connect, ssoAs, startSsoStage } from './requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let scim: ScimClient;
let account: ReturnType<typeof accountAt>;

beforeAll(async () => {
  stage = await startSsoStage();
  scim = await createScimClient(stage.platform, stage.owner);
});
beforeEach(async () => {
  account = accountAt(await connect(stage, stage.owner));
});
afterAll(() => stage.stop());

const logIn = (): Promise<JsonReply> => ssoAs(stage, stage.owner.orgId, account);
const setActive = (id: unknown, isActive: boolean): Promise<JsonReply> =>
  scim.patch(`/Users/${String(id)}`, { op: 'replace', value: { active: isActive } });
const create = (others: object = {}): Promise<JsonReply> =>
  scim('POST', '/Users', { schemas: [userSchema], userName: account.email, ...others });

async function remove(id: unknown): Promise<void> {
  const path = `/api/v1/organizations/${stage.owner.orgId}/members/${String(id)}`;
  const reply = await stage.platform.json('DELETE', path, { token: stage.owner.accessToken });
  expect(reply.status).toBe(200);
}

async function expectEnded(): Promise<void> {
  const reply = await logIn();
  expect(problem(reply)).toBe('403 sso-not-admitted');
  expect(reply.body.message).toContain('Ask its administrators');
  const { sql } = stage.platform.database;
  const members = await sql`
    select 1 from memberships m join users u on u.id = m.user_id where u.email = ${account.email}`;
  expect(members).toHaveLength(0);
}

describe('With auto_join, somebody', () => {
  it('whom SCIM has disabled is not admitted, until SCIM enables the user', async () => {
    const { id } = (await logIn()).body.user;
    expect((await setActive(id, false)).status).toBe(200);
    await expectEnded();
    expect((await setActive(id, true)).status).toBe(200);
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId });
  });

  it('whom SCIM has deleted is not admitted, until SCIM creates the user again', async () => {
    const { id } = (await logIn()).body.user;
    expect((await scim('DELETE', `/Users/${String(id)}`)).status).toBe(204);
    await expectEnded();
    expect((await create()).status).toBe(201);
    expect((await logIn()).body.user).toMatchObject({ id, org_id: stage.owner.orgId });
  });

  it('whom SCIM has disabled and then deleted is not admitted', async () => {
    const { id } = (await logIn()).body.user;
    await setActive(id, false);
    expect((await scim('DELETE', `/Users/${String(id)}`)).status).toBe(204);
    await expectEnded();
  });

  it('whom SCIM has deleted before the person joined is not admitted', async () => {
    await stage.platform.signUp({ email: account.email, organization: null });
    const { id } = (await create()).body;
    expect((await scim('DELETE', `/Users/${String(id)}`)).status).toBe(204);
    await expectEnded();
    expect((await create()).status).toBe(201);
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId });
  });

  it('whom SCIM says not to be active is not admitted, without an account and with one', async () => {
    await create({ active: false });
    await expectEnded();
    await stage.platform.signUp({ email: account.email, organization: null });
    await expectEnded();
  });

  it('whom SCIM has disabled is admitted by a later invite of an admin', async () => {
    const { id } = (await logIn()).body.user;
    await setActive(id, false);
    await invite(stage.platform, stage.owner, account.email, 'viewer');
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId, role: 'viewer' });
  });

  it('whom SCIM has disabled, an admin has invited and then removed, is not admitted again', async () => {
    const { id } = (await logIn()).body.user;
    await setActive(id, false);
    await invite(stage.platform, stage.owner, account.email, 'viewer');
    await logIn();
    const path = `/api/v1/organizations/${stage.owner.orgId}/members/${String(id)}`;
    await stage.platform.json('DELETE', path, { token: stage.owner.accessToken });
    await expectEnded();
    expect((await create()).status).toBe(201);
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId });
  });

  it('who left joins again', async () => {
    const { access_token: token, user } = (await logIn()).body;
    const path = `/api/v1/organizations/${stage.owner.orgId}/members/${String(user.id)}`;
    expect((await stage.platform.json('DELETE', path, { token: String(token) })).status).toBe(200);
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId });
  });

  it('whom an admin has removed is not admitted, until an admin invites the person', async () => {
    await remove((await logIn()).body.user.id);
    await expectEnded();
    await invite(stage.platform, stage.owner, account.email, 'viewer');
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId, role: 'viewer' });
  });

  it('whom an admin has removed is not admitted, until SCIM creates the user', async () => {
    await remove((await logIn()).body.user.id);
    await expectEnded();
    expect((await create()).status).toBe(201);
    expect((await logIn()).body.user).toMatchObject({ org_id: stage.owner.orgId });
  });

  it('joins with the role of the groups of SCIM', async () => {
    const { id } = (await create()).body;
    const members = [{ value: String(id) }];
    const group = await scim('POST', '/Groups', { schemas: [groupSchema], displayName: account.email, members });
    const path = `/api/v1/organizations/${stage.owner.orgId}/provisioned-groups/${String(group.body.id)}`;
    const body = { role: 'viewer', team_id: null };
    await stage.platform.json('PATCH', path, { token: stage.owner.accessToken, body });
    const { sql } = stage.platform.database;
    await sql`delete from invites where email = ${account.email}`;
    expect((await logIn()).body.user).toMatchObject({ role: 'viewer' });
  });
});

describe('Disabling a user ends the membership of the person', () => {
  const addressOf = (userId: string, email: string): Promise<unknown> =>
    stage.platform.database.sql`update users set email = ${email} where id = ${userId}`; // as a change of address does
  const isMember = async (userId: string): Promise<boolean> => {
    const { sql } = stage.platform.database;
    return (
      (await sql`select 1 from memberships where user_id = ${userId} and org_id = ${stage.owner.orgId}`).length > 0
    );
  };

  it.each([
    ['by the invite', false],
    ['by auto_join', true],
  ])('who has joined by SSO, %s, and has another address now', async (_what, isWithoutInvite) => {
    const { id } = (await create()).body;
    if (isWithoutInvite) await stage.platform.database.sql`delete from invites where email = ${account.email}`;
    const { id: userId } = (await logIn()).body.user as { id: string };
    await addressOf(userId, accountAt('changed.example').email);
    expect((await setActive(id, false)).status).toBe(200);
    expect(await isMember(userId)).toBe(false);
  });

  it('whose account has another address than the identity by which it has joined', async () => {
    const person = await stage.platform.signUp();
    const linked = await ssoAs(stage, stage.owner.orgId, account, { token: person.accessToken });
    expect(linked.body).toMatchObject({ status: 'sso_linked' });
    const { id } = (await create()).body;
    expect((await logIn()).body.user).toMatchObject({ id: person.userId, org_id: stage.owner.orgId });
    expect((await setActive(id, false)).status).toBe(200);
    expect(await isMember(person.userId)).toBe(false);
  });
});

it('Disabling a user ends an invite to the address of the account, also if SCIM has another one', async () => {
  const { platform, owner } = stage;
  const { id } = (await logIn()).body.user;
  const { email: changed } = accountAt('changed.example');
  const { id: inviteId } = await invite(platform, owner, changed);
  await platform.database.sql`update users set email = ${changed} where id = ${String(id)}`; // as a change of address does
  await scim('PUT', `/Users/${String(id)}`, { schemas: [userSchema], userName: account.email });
  await setActive(id, false);
  const path = `/api/v1/organizations/${owner.orgId}/invites`;
  const { body } = await platform.json('GET', path, { token: owner.accessToken });
  expect(body.items).toContainEqual(expect.objectContaining({ id: inviteId, status: 'revoked' }));
});
