import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { login, newEmail, register, resend, simultaneously, verify } from './requests.js';
import { auditOf, storedMemberships, storedUser, storedUsers } from './stored.js';

const day = 86_400;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { AUTH_AUTO_CREATE_ORG_ON_REGISTER: 'true' } });
});
afterAll(() => platform.stop());

const disown = (token: string): Promise<JsonReply> => platform.json('POST', '/api/v1/auth/disown', { body: { token } });
const invalid = { status: 400, body: { type: '/problems/invalid-disown-token' } };

/** The tokens of both links in the last mail for an address. */
async function lastTokens(email: string): Promise<{ verification: string; disown: string }> {
  const { text, token } = await platform.lastMail(email);
  return { verification: token, disown: /\/not-me\?token=([\w-]+)/.exec(text)?.[1] ?? '' };
}

async function registered(): Promise<{ email: string; verification: string; disown: string }> {
  const email = newEmail();
  expect((await register(platform, { email })).status).toBe(201);
  return { email, ...(await lastTokens(email)) };
}

async function organizationExists(orgId: unknown): Promise<boolean> {
  const rows = await platform.database.sql`select 1 from organizations where id = ${String(orgId)}`;
  return rows.length > 0;
}

describe('the verification mail', () => {
  it('says when in UTC and from which address the account was made, and offers both links', async () => {
    const email = newEmail();
    const time = platform.clock.now().toISOString();
    await register(platform, { email });
    platform.clock.advance(3600);
    await resend(platform, email);
    await platform.running.mails.drain();
    const mails = platform.mailbox.to(email);
    expect(mails).toHaveLength(2);
    for (const { text, html } of mails) {
      for (const part of [text, html]) {
        expect(part).toContain(`${time.slice(0, 10)} ${time.slice(11, 16)} UTC from the IP address 127.0.0.1`);
        expect(part).toMatch(/\/verify\?token=[\w-]+/);
        expect(part).toMatch(/\/not-me\?token=[\w-]+/);
        expect(part).toContain('password chosen at registration');
      }
    }
  });
});

describe('"this was not me"', () => {
  it('deletes the account and its organization at once, and the address is free again', async () => {
    const { email, disown: token } = await registered();
    const user = await storedUser(platform, email);
    const [membership] = await storedMemberships(platform, user.id);
    const reply = await disown(token);
    expect(reply.status).toBe(200);
    expect(await storedUsers(platform, email)).toEqual([]);
    expect(await organizationExists(membership?.org_id)).toBe(false);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'DELETE', resource_kind: 'ORGANIZATION', resource_id: membership?.org_id },
      { action: 'DELETE', resource_kind: 'USER', resource_id: user.id, note: 'disowned by the holder of the address' },
    ]);
    expect((await login(platform, email)).status).toBe(401);
    expect((await register(platform, { email, password: 'another quiet river 8' })).status).toBe(201);
  });

  it('keeps the audit records of the account', async () => {
    const { email, disown: token } = await registered();
    const { id } = await storedUser(platform, email);
    await disown(token);
    const rows = await platform.database.sql`select action from audit_log where resource_id = ${id} order by at, ctid`;
    expect(rows.map(({ action }) => action as string)).toEqual(['REGISTER', 'DELETE']);
  });

  it('works from every mail, also after the verification link was replaced or has expired', async () => {
    const { email, disown: token } = await registered();
    await resend(platform, email);
    platform.clock.advance(2 * day);
    expect((await disown(token)).status).toBe(200);
    expect(await disown((await lastTokens(email)).disown)).toMatchObject(invalid);
  });

  it('invalidates the verification link', async () => {
    const { verification, disown: token } = await registered();
    await disown(token);
    expect((await verify(platform, verification)).status).toBe(400);
  });

  it('never deletes a verified account', async () => {
    const { email, verification, disown: token } = await registered();
    expect((await verify(platform, verification)).status).toBe(200);
    expect(await disown(token)).toMatchObject(invalid);
    expect((await login(platform, email)).status).toBe(200);
  });

  it('never deletes an account that a password reset has verified', async () => {
    const { email, disown: token } = await registered();
    await platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } });
    const reset = { token: (await platform.lastMail(email)).token, new_password: 'nine loud harbours 9' };
    expect((await platform.json('POST', '/api/v1/auth/reset-password', { body: reset })).status).toBe(200);
    expect(await disown(token)).toMatchObject(invalid);
  });

  it('is refused for a verification token and for an unknown token', async () => {
    const { email, verification } = await registered();
    expect(await disown(verification)).toMatchObject(invalid);
    expect(await disown('nD1zS0o3c6mYx2vR8kQ4tB7pW5hL9eG0uJaFiKsXdMc')).toMatchObject(invalid);
    expect(await storedUsers(platform, email)).toHaveLength(1);
  });

  it('has one outcome when the account is verified at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { email, verification, disown: token } = await registered();
      const [verified, ...disowned] = await Promise.all([
        verify(platform, verification),
        ...[1, 2, 3].map(() => disown(token)),
      ]);
      const users = await storedUsers(platform, email);
      const outcome = [verified.status, ...disowned.map(({ status }) => status).sort(), users[0]?.is_verified];
      expect([
        [200, 400, 400, 400, true],
        [400, 200, 400, 400, undefined],
      ]).toContainEqual(outcome);
    }
  });

  it('does not fail mails that are asked for at the same time', async () => {
    const { email, disown: token } = await registered();
    const replies = await Promise.all([
      ...[1, 2, 3, 4].map(() => resend(platform, email)),
      ...[1, 2].map(() => platform.json('POST', '/api/v1/auth/forgot-password', { body: { email } })),
      disown(token),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(Array(7).fill(200));
    expect(await storedUsers(platform, email)).toEqual([]);
  });

  it('leaves an invite to the address valid', async () => {
    const owner = await platform.signUp();
    const { email, disown: token } = await registered();
    const path = `/api/v1/organizations/${owner.orgId}/invites`;
    const body = { email, role: 'member' };
    expect((await platform.json('POST', path, { token: owner.accessToken, body })).status).toBe(201);
    const invite = await platform.lastMail(email);
    await disown(token);
    const user = await platform.signUp({ email });
    const accept = { token: user.accessToken, body: { token: invite.token } };
    expect((await platform.json('POST', '/api/v1/auth/accept-invite', accept)).status).toBe(200);
  });

  it('keeps an organization that has another member', async () => {
    const { email, disown: token } = await registered();
    const [membership] = await storedMemberships(platform, (await storedUser(platform, email)).id);
    const other = await platform.signUp();
    await platform.database.sql`
      insert into memberships (user_id, org_id, role) values (${other.userId}, ${membership?.org_id ?? ''}, 'admin')`;
    expect((await disown(token)).status).toBe(200);
    expect(await organizationExists(membership?.org_id)).toBe(true);
  });
});

describe('an account that stays unverified', () => {
  const sweep = (): Promise<number> => platform.running.accountSweep.sweep();

  it('is removed after 7 days by the sweep, with its organization, and recorded', async () => {
    platform.clock.advance(60); // accounts of the tests above are removed by the first sweep
    const { email } = await registered();
    const user = await storedUser(platform, email);
    const [membership] = await storedMemberships(platform, user.id);
    platform.clock.advance(7 * day - 1);
    await sweep();
    expect(await storedUsers(platform, email)).toHaveLength(1);
    platform.clock.advance(1);
    expect(await sweep()).toBe(1);
    expect(await storedUsers(platform, email)).toEqual([]);
    expect(await organizationExists(membership?.org_id)).toBe(false);
    const rows = await platform.database.sql`
      select action, note, request_id from audit_log where resource_id = ${user.id} and action = 'DELETE'`;
    expect([...rows]).toEqual([{ action: 'DELETE', note: 'not verified within 7 days', request_id: null }]);
  });

  it('frees its address before a sweep, for one of twenty simultaneous registrations', async () => {
    const { email } = await registered();
    const { id } = await storedUser(platform, email);
    platform.clock.advance(7 * day);
    const replies = await simultaneously(20, () => register(platform, { email }));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(400)]);
    expect((await storedUser(platform, email)).id).not.toBe(id);
  });

  it('can no longer be verified, and gets no new link', async () => {
    const { email } = await registered();
    platform.clock.advance(6 * day + 12 * 3600);
    await resend(platform, email);
    const { verification } = await lastTokens(email);
    const sent = platform.mailbox.to(email).length;
    platform.clock.advance(day / 2);
    expect((await verify(platform, verification)).status).toBe(400);
    await resend(platform, email);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(sent);
  });

  it('is not verified when a sweep removes it at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { email, verification } = await registered();
      await platform.database.sql`
        update users set created_at = ${new Date(platform.clock.now().getTime() - 7 * day * 1000)} where email = ${email}`;
      const [verified] = await Promise.all([verify(platform, verification), sweep(), sweep()]);
      expect(verified.status).toBe(400);
      await sweep(); // the others leave out what the verification has locked
      expect(await storedUsers(platform, email)).toEqual([]);
    }
  });

  it('is removed once by several servers', async () => {
    const second = await startTestPlatform({ databaseUri: platform.databaseUri, clock: platform.clock });
    await sweep();
    for (let index = 0; index < 5; index += 1) await register(platform, { email: newEmail() });
    platform.clock.advance(7 * day);
    const counts = await Promise.all([sweep(), second.running.accountSweep.sweep()]);
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(5);
    await second.stop();
  });

  it('is the only kind that is removed', async () => {
    const verified = await platform.signUp();
    const operator = await registered();
    await platform.database.sql`update users set is_superuser = true where email = ${operator.email}`;
    platform.clock.advance(30 * day);
    await sweep();
    const body = { email: verified.email, password: testPassword };
    expect((await platform.json('POST', '/api/v1/auth/login', { body })).status).toBe(200);
    expect(await storedUsers(platform, operator.email)).toHaveLength(1);
  });
});
