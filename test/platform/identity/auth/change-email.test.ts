/** Changes of the address of an account, which both addresses confirm. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { forgot, login, me, newEmail, refresh, register, reset } from './requests.js';
import { auditOf, storedUser } from './stored.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function change(user: TestUser, newAddress: string, password = testPassword): Promise<JsonReply> {
  const body = { new_email: newAddress, current_password: password };
  return platform.json('POST', '/api/v1/auth/change-email', { token: user.accessToken, body });
}

function confirm(token: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/change-email/verify', { body: { token } });
}

function refuse(token: string): Promise<JsonReply> {
  return platform.json('POST', '/api/v1/auth/change-email/cancel', { body: { token } });
}

/** A user who has asked for a change, and the tokens of both mails. */
async function asked(): Promise<{ user: TestUser; newAddress: string; byOld: string; byNew: string }> {
  const user = await platform.signUp();
  const newAddress = newEmail();
  expect((await change(user, newAddress)).status).toBe(202);
  const byNew = (await platform.lastMail(newAddress)).token;
  return { user, newAddress, byOld: (await platform.lastMail(user.email)).token, byNew };
}

/** A user whose address was changed, and the token of the mail to the former one. */
async function changed(): Promise<{ user: TestUser; newAddress: string; link: string }> {
  const { user, newAddress, byOld, byNew } = await asked();
  await confirm(byOld);
  expect(await confirm(byNew)).toMatchObject({ body: { is_changed: true } });
  const mail = await platform.lastMail(user.email);
  expect(mail.subject).toBe('Your e-mail address was changed');
  return { user, newAddress, link: mail.token };
}

const secure = (token: string): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/secure-account', { body: { token } });

const invalid = { status: 400, body: { type: '/problems/invalid-email-change-token' } };

describe('a change of the address', () => {
  it.each(['old', 'new'])('happens when both addresses have confirmed, the %s one first', async (first) => {
    const { user, newAddress, byOld, byNew } = await asked();
    const [one, other] = first === 'old' ? [byOld, byNew] : [byNew, byOld];
    expect(await confirm(one)).toMatchObject({ status: 200, body: { is_changed: false } });
    expect((await me(platform, user.accessToken)).body.email).toBe(user.email);
    expect(await confirm(one)).toMatchObject(invalid);
    expect(await confirm(other)).toMatchObject({ status: 200, body: { is_changed: true } });
    expect((await me(platform, user.accessToken)).body).toMatchObject({ email: newAddress, is_verified: true });
    expect((await refresh(platform, user.refreshToken)).status).toBe(200);
    expect((await login(platform, user.email)).status).toBe(401);
    expect((await login(platform, newAddress)).status).toBe(200);
    expect(await confirm(other)).toMatchObject(invalid);
    expect(await refuse(one)).toMatchObject(invalid);
  });

  it('names the new address and the caller to the current one, and no address to the new one', async () => {
    const { user, newAddress } = await asked();
    const { text } = await platform.lastMail(user.email);
    expect(text).toContain(`to change its e-mail address to ${newAddress}.`);
    expect(text).toContain('from the IP address 127.0.0.1');
    expect((await platform.lastMail(newAddress)).text).not.toContain(user.email);
  });

  it('is recorded at each step, without an address', async () => {
    const user = await platform.signUp();
    const newAddress = newEmail();
    const replies = [await change(user, newAddress)];
    for (const address of [user.email, newAddress]) {
      replies.push(await confirm((await platform.lastMail(address)).token));
    }
    const records = await Promise.all(replies.map((reply) => auditOf(platform, reply)));
    const about = { resource_kind: 'USER', resource_id: user.userId, user_id: user.userId, org_id: user.orgId };
    expect(records.flat()).toMatchObject([
      { ...about, action: 'EMAIL_CHANGE_REQUESTED', note: null },
      { ...about, action: 'EMAIL_CHANGE_CONFIRMED', note: 'by the current address' },
      { ...about, action: 'EMAIL_CHANGE_CONFIRMED', note: 'by the new address' },
      { ...about, action: 'EMAIL_CHANGED', note: null },
    ]);
  });

  it('ends the links of other mails, and the requests for some', async () => {
    const { user, byOld, byNew } = await asked();
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    await platform.database.sql`
      insert into token_requests (kind, email, requested_at) values ('reset', ${user.email}, ${platform.clock.now()})`;
    await confirm(byOld);
    await confirm(byNew);
    expect((await reset(platform, token, 'five green lanterns 5')).status).toBe(400);
    expect(await platform.database.sql`select 1 from token_requests`).toEqual([]);
  });

  it('ends the links of mails about the security of the account to the former address', async () => {
    const user = await platform.signUp();
    const body = { current_password: testPassword, new_password: 'five green lanterns 5' };
    const changed = await platform.json('POST', '/api/v1/auth/change-password', { token: user.accessToken, body });
    const link = (await platform.lastMail(user.email)).token;
    const caller = { ...user, accessToken: String(changed.body.tokens.access_token) };
    const newAddress = newEmail();
    expect((await change(caller, newAddress, 'five green lanterns 5')).status).toBe(202);
    const byNew = (await platform.lastMail(newAddress)).token;
    await confirm((await platform.lastMail(user.email)).token);
    expect(await confirm(byNew)).toMatchObject({ body: { is_changed: true } });
    const secured = await platform.json('POST', '/api/v1/auth/secure-account', { body: { token: link } });
    expect(secured).toMatchObject({ status: 400, body: { type: '/problems/invalid-security-link' } });
  });

  it('ends when the password changes, also after one address has confirmed', async () => {
    const { user, byOld, byNew } = await asked();
    await confirm(byOld);
    await forgot(platform, user.email);
    await reset(platform, (await platform.lastMail(user.email)).token, 'five green lanterns 5');
    expect(await confirm(byNew)).toMatchObject(invalid);
  });

  it('ends when the account is disabled', async () => {
    const { user, byOld } = await asked();
    const superuser = await platform.signUp({ organization: null });
    await makeSuperuser(platform, superuser);
    for (const isActive of [false, true]) {
      const request = { token: superuser.accessToken, body: { is_active: isActive } };
      await platform.json('PATCH', `/api/v1/installation/users/${user.userId}`, request);
    }
    expect(await confirm(byOld)).toMatchObject(invalid);
  });

  it('expires after 24 hours', async () => {
    const { byOld } = await asked();
    platform.clock.advance(24 * 3600);
    expect(await confirm(byOld)).toMatchObject(invalid);
    expect(await refuse(byOld)).toMatchObject(invalid);
  });

  it('ends with the next request, whatever was confirmed of it', async () => {
    const { user, byOld, byNew } = await asked();
    await confirm(byOld);
    const other = newEmail();
    await change(user, other);
    expect(await confirm(byNew)).toMatchObject(invalid);
    expect(await confirm((await platform.lastMail(other)).token)).toMatchObject({ body: { is_changed: false } });
  });

  it('happens once, however many confirmations come at the same time', async () => {
    const { user, newAddress, byOld, byNew } = await asked();
    const replies = await Promise.all([byOld, byNew, byOld, byNew].map(confirm));
    expect(replies.filter(({ body }) => body.is_changed === true)).toHaveLength(1);
    expect((await storedUser(platform, newAddress)).id).toBe(user.userId);
  });
});

describe('the mail to the former address', () => {
  it('names the new one, and its link gives the account back and ends its sessions and password', async () => {
    const { user, newAddress, link } = await changed();
    expect((await platform.lastMail(user.email)).text).toContain(`was changed to ${newAddress}, after`);
    const intruder = await login(platform, newAddress);
    const reply = await secure(link);
    expect(reply.status).toBe(200);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'ACCOUNT_SECURED', user_id: user.userId },
      { action: 'EMAIL_CHANGED', user_id: user.userId, note: 'back to the former address' },
    ]);
    expect((await me(platform, String(intruder.body.access_token))).status).toBe(401);
    const { token, subject } = await platform.lastMail(user.email);
    expect(subject).toBe('Reset your password');
    expect((await reset(platform, token, 'five green lanterns 5')).status).toBe(200);
    expect((await login(platform, user.email, 'five green lanterns 5')).status).toBe(200);
    expect((await login(platform, newAddress, 'five green lanterns 5')).status).toBe(401);
    expect(platform.mailbox.to(newAddress).map((mail) => mail.subject)).not.toContain('Reset your password');
    expect(await secure(link)).toMatchObject({ status: 400, body: { type: '/problems/invalid-security-link' } });
  });

  it('has a link that neither another change of the address nor a reset by the new one ends', async () => {
    const { user, newAddress, link } = await changed();
    const third = newEmail();
    expect((await change(user, third)).status).toBe(202);
    const byNew = (await platform.lastMail(third)).token;
    await confirm((await platform.lastMail(newAddress)).token);
    expect(await confirm(byNew)).toMatchObject({ body: { is_changed: true } });
    await forgot(platform, third);
    expect((await reset(platform, (await platform.lastMail(third)).token, 'five green lanterns 5')).status).toBe(200);
    const later = (await platform.lastMail(newAddress)).token;
    expect((await secure(link)).status).toBe(200);
    expect((await storedUser(platform, user.email)).id).toBe(user.userId);
    expect((await secure(later)).status).toBe(400);
  });

  it('has a link that the link of a later mail to the new address does not end', async () => {
    const { user, newAddress, link } = await changed();
    const body = { current_password: testPassword, new_password: 'five green lanterns 5' };
    const reply = await platform.json('POST', '/api/v1/auth/change-password', { token: user.accessToken, body });
    expect(reply.status).toBe(200);
    const mail = await platform.lastMail(newAddress);
    expect(mail.subject).toBe('Your password was changed');
    expect((await secure(mail.token)).status).toBe(200);
    expect((await secure(link)).status).toBe(200);
    expect((await storedUser(platform, user.email)).id).toBe(user.userId);
  });

  it('has a link that the link of a later change does not end', async () => {
    const { user, newAddress, link } = await changed();
    const third = newEmail();
    expect((await change(user, third)).status).toBe(202);
    const byNew = (await platform.lastMail(third)).token;
    await confirm((await platform.lastMail(newAddress)).token);
    await confirm(byNew);
    expect((await secure((await platform.lastMail(newAddress)).token)).status).toBe(200);
    expect((await storedUser(platform, newAddress)).id).toBe(user.userId);
    expect((await secure(link)).status).toBe(200);
    expect((await storedUser(platform, user.email)).id).toBe(user.userId);
  });

  it('has a link that an unverified account with the address does not stop, and that deletes it', async () => {
    const { user, newAddress, link } = await changed();
    const { body } = await register(platform, { email: user.email });
    const reply = await secure(link);
    expect(reply.status).toBe(200);
    expect((await storedUser(platform, user.email)).id).toBe(user.userId);
    expect(await auditOf(platform, reply)).toContainEqual(
      expect.objectContaining({ action: 'DELETE', resource_kind: 'USER', resource_id: body.user_id }),
    );
    expect((await login(platform, newAddress)).status).toBe(401);
  });

  it('has a link that changes nothing if another verified account has the address now', async () => {
    const { user, newAddress, link } = await changed();
    await platform.signUp({ email: user.email, organization: null });
    const refused = await secure(link);
    expect(refused).toMatchObject({ status: 400, body: { type: '/problems/invalid-security-link' } });
    expect(refused.body.message).toContain('Another account has the address now');
    expect((await me(platform, user.accessToken)).body.email).toBe(newAddress);
  });
});

describe('a refusal of the change', () => {
  it.each(['old', 'new'] as const)('ends it, by the %s address, also after both mails were opened', async (by) => {
    const { user, byOld, byNew } = await asked();
    const [refusing, confirming] = by === 'old' ? [byOld, byNew] : [byNew, byOld];
    await confirm(refusing);
    const reply = await refuse(refusing);
    expect(reply.status).toBe(200);
    expect(await confirm(confirming)).toMatchObject(invalid);
    expect((await me(platform, user.accessToken)).body.email).toBe(user.email);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'EMAIL_CHANGE_REFUSED', note: by === 'old' ? 'by the current address' : 'by the new address' },
    ]);
  });
});

describe('an address that an account has', () => {
  it('is not revealed to the caller, but its holder gets a mail', async () => {
    const [user, holder] = [await platform.signUp(), await platform.signUp()];
    const free = await change(user, newEmail());
    const taken = await change(user, holder.email);
    expect([taken.status, taken.body]).toEqual([free.status, free.body]);
    const mail = await platform.lastMail(holder.email);
    expect(mail.subject).toBe('Your e-mail address is in use');
    expect(mail.text).not.toContain('confirm-email');
    const byOld = (await platform.lastMail(user.email)).token;
    expect(await confirm(byOld)).toMatchObject({ body: { is_changed: false } });
  });

  it('stays with the account that registered it while the change waited', async () => {
    const { newAddress, byOld, byNew } = await asked();
    const { body } = await register(platform, { email: newAddress });
    await confirm(byOld);
    expect(await confirm(byNew)).toMatchObject({ status: 400, body: { type: '/problems/email-already-registered' } });
    expect((await storedUser(platform, newAddress)).id).toBe(body.user_id);
  });

  it('is free again when that account was never verified and has expired', async () => {
    const squatted = newEmail();
    await register(platform, { email: squatted });
    platform.clock.advance(7 * 24 * 3600);
    const user = await platform.signUp();
    await change(user, squatted);
    await confirm((await platform.lastMail(squatted)).token);
    const last = await confirm((await platform.lastMail(user.email)).token);
    expect(last.body).toMatchObject({ is_changed: true });
  });
});

describe('a request for a change', () => {
  it('needs the password, and wrong ones lock the address', async () => {
    const user = await platform.signUp();
    const newAddress = newEmail();
    for (let failures = 0; failures < 5; failures += 1) {
      expect(await change(user, newAddress, 'wrong')).toMatchObject({
        status: 403,
        body: { type: '/problems/wrong-password' },
      });
    }
    expect(await change(user, newAddress)).toMatchObject({ status: 429, body: { type: '/problems/account-locked' } });
    expect(platform.mailbox.to(newAddress)).toEqual([]);
  });

  it('takes the address in its normalized form', async () => {
    const user = await platform.signUp();
    const newAddress = newEmail();
    await change(user, ` ${newAddress.toUpperCase()} `);
    expect((await platform.lastMail(newAddress)).subject).toBe('Confirm your new e-mail address');
  });
});
