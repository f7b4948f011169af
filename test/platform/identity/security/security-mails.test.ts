/** Mails about the security of an account, and their link "this was not me". */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import type { Mailbox } from '../../../support/mailbox.js';
import { createServiceToken, type TestServiceToken } from '../../../support/service-token.js';
import { makeSuperuser } from '../../../support/superuser.js';
import { forgot, login, me, refresh, reset, simultaneously } from '../auth/requests.js';
import { auditOf, storedUser } from '../auth/stored.js';

const day = 86_400;
const otherPassword = 'nine loud harbours 9';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => platform.stop());

const secure = (token: string): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/secure-account', { body: { token } });

/** The mails to an address with this subject. */
async function mails(email: string, subject: string): Promise<Mailbox['mails'][number][]> {
  await platform.running.mails.drain();
  return platform.mailbox.to(email).filter((mail) => mail.subject === subject);
}

const newDevice = 'Log-in from a new device';
const loginFrom = (user: TestUser, ip: string, userAgent: string): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/login', {
    body: { email: user.email, password: user.password },
    headers: { 'X-Forwarded-For': ip, 'User-Agent': userAgent },
  });

async function changePassword(user: TestUser, from: string, to: string): Promise<JsonReply> {
  const body = { current_password: from, new_password: to };
  return platform.json('POST', '/api/v1/auth/change-password', { token: user.accessToken, body });
}

const current = (token: string): Promise<JsonReply> =>
  platform.json('GET', '/api/v1/service-tokens/current', { token });

/** Ends the links of all mails to somebody, as their expiry does. */
async function endLinks({ userId }: TestUser): Promise<void> {
  await platform.database.sql`update security_mails set used_at = created_at where user_id = ${userId}`;
}

const rotate = (user: TestUser, id: string): Promise<JsonReply> =>
  platform.json('POST', `/api/v1/organizations/${user.orgId}/service-tokens/${id}/rotate`, {
    token: user.accessToken,
    body: { overlap_seconds: 0 },
  });

describe('a mail about the security of an account', () => {
  it('follows a changed password, says when and from where, and has equal parts', async () => {
    const user = await platform.signUp();
    expect((await changePassword(user, testPassword, otherPassword)).status).toBe(200);
    const [mail] = await mails(user.email, 'Your password was changed');
    expect(mail?.text).toMatch(
      /changed\. It happened on \d{4}-\d\d-\d\d \d\d:\d\d UTC, from the IP address 127\.0\.0\.1\./,
    );
    expect(mail?.text).toContain(`/secure-account?token=${mail?.token}`);
    expect(mail?.text.replaceAll('\n', ' ')).toContain(
      'and the passkeys and the authenticator app that were added since',
    );
    for (const line of (mail?.text ?? '').split('\n\n').slice(0, 3))
      expect(mail?.html).toContain(`<p>${line.trim()}</p>`);
    expect(platform.logLines.join('')).not.toContain(mail?.token);
  });

  it('does not follow a change that is refused', async () => {
    const user = await platform.signUp();
    expect((await changePassword(user, 'wrong password 1', otherPassword)).status).toBe(403);
    expect((await changePassword(user, testPassword, 'short')).status).toBe(422);
    expect(await mails(user.email, 'Your password was changed')).toEqual([]);
  });

  it('follows a password reset', async () => {
    const user = await platform.signUp({ organization: null });
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    expect((await reset(platform, token, otherPassword)).status).toBe(200);
    expect(await mails(user.email, 'Your password was reset')).toHaveLength(1);
  });

  it('follows a new service token, to the admin who created it alone, with a name that mail programs do not link', async () => {
    const owner = await platform.signUp({ organization: 'Win at https://evil.example/a now' });
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    await createServiceToken(platform, admin, ['views:read']);
    const subject = 'A service token was created with your account';
    const [mail] = await mails(admin.email, subject);
    expect(mail?.text).toContain('for the organization "Win at https evil example/a now"');
    expect(await mails(owner.email, subject)).toEqual([]);
  });

  it('follows a new secret of a service token, to the admin who rotated it and to its creator', async () => {
    const owner = await platform.signUp({ organization: 'Acme' });
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const other = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { id } = await createServiceToken(platform, owner, ['views:read'], { name: 'Export' });
    const subject = 'A service token has a new secret';
    expect((await rotate(admin, id)).status).toBe(200);
    expect((await mails(admin.email, subject)).map(({ text }) => text)).toEqual([
      expect.stringContaining(
        'With your Plumbline account, the service token "Export" of the organization "Acme" was given a new secret.',
      ),
    ]);
    expect((await mails(owner.email, subject)).map(({ text }) => text)).toEqual([
      expect.stringContaining(`${admin.email} has given a new secret to the service token "Export"`),
    ]);
    expect(await mails(other.email, subject)).toEqual([]);
  });

  it('follows a new secret of a service token once if its creator rotates it, and not to a former member', async () => {
    const owner = await platform.signUp();
    const admin = await platform.signUp({ invitedBy: owner, role: 'admin' });
    const { id } = await createServiceToken(platform, admin, ['views:read']);
    const subject = 'A service token has a new secret';
    await rotate(admin, id);
    expect(await mails(admin.email, subject)).toHaveLength(1);
    const path = `/api/v1/organizations/${owner.orgId}/members/${admin.userId}`;
    expect((await platform.json('DELETE', path, { token: owner.accessToken })).status).toBe(200);
    await rotate(owner, id);
    expect(await mails(owner.email, subject)).toHaveLength(1);
    expect(await mails(admin.email, subject)).toHaveLength(1);
  });

  it('does not follow a refused rotation of a service token', async () => {
    const owner = await platform.signUp();
    const { id } = await createServiceToken(platform, owner, ['views:read']);
    await platform.json('DELETE', `/api/v1/organizations/${owner.orgId}/service-tokens/${id}`, {
      token: owner.accessToken,
    });
    expect((await rotate(owner, id)).status).toBe(409);
    expect(await mails(owner.email, 'A service token has a new secret')).toEqual([]);
  });

  it('follows a new owner, to all other owners', async () => {
    const owner = await platform.signUp();
    const second = await platform.signUp({ invitedBy: owner, role: 'owner' });
    const member = await platform.signUp({ invitedBy: owner });
    const subject = 'An organization of yours has a new owner';
    expect(await mails(owner.email, subject)).toHaveLength(1);
    const path = `/api/v1/organizations/${owner.orgId}/members/${member.userId}`;
    const promote = { token: second.accessToken, body: { role: 'owner' } };
    expect((await platform.json('PATCH', path, promote)).status).toBe(200);
    for (const { email } of [owner, second]) {
      expect((await mails(email, subject)).at(-1)?.text).toContain(
        `${member.email} is now an owner of the organization`,
      );
    }
    expect(await mails(member.email, subject)).toEqual([]);
    expect(await mails(owner.email, subject)).toHaveLength(2);
  });

  it('is sent five times a day for each kind, however often the password is changed', async () => {
    const user = await platform.signUp();
    let [token, from] = [user.accessToken, testPassword];
    for (let index = 0; index < 7; index += 1) {
      const to = `${otherPassword} and ${index}`;
      const body = { current_password: from, new_password: to };
      const reply = await platform.json('POST', '/api/v1/auth/change-password', { token, body });
      expect(reply.status).toBe(200);
      [token, from] = [String(reply.body.tokens.access_token), to];
    }
    const sent = await mails(user.email, 'Your password was changed');
    expect(sent).toHaveLength(5);
    // The other kinds have separate limits, and the first link still works.
    await createServiceToken(platform, { ...user, accessToken: token }, ['views:read']);
    expect(await mails(user.email, 'A service token was created with your account')).toHaveLength(1);
    expect((await secure(sent[0]?.token ?? '')).status).toBe(200);
  });

  it('waits in the outbox where servers of the release before do not see it', async () => {
    const user = await platform.signUp();
    await platform.running.mails.drain();
    platform.mailbox.refuse('451 try later');
    onTestFinished(() => {
      platform.mailbox.refuse(null);
    });
    await changePassword(user, testPassword, otherPassword);
    await forgot(platform, user.email);
    await platform.running.mails.drain();
    const { sql } = platform.database;
    const kinds = async (table: string): Promise<string[]> =>
      (await sql<{ kind: string }[]>`select kind from ${sql(table)} where recipient = ${user.email} order by kind`).map(
        ({ kind }) => kind,
      );
    expect(await kinds('outgoing_mails')).toEqual(['password_changed', 'reset']);
    // The statement by which the release before takes mails.
    const taken = await sql<{ kind: string }[]>`
      update mail_outbox set available_at = now() + interval '1 year', attempts = attempts + 1
      where id = (
        select id from mail_outbox where failed_at is null and recipient = ${user.email}
          and recipient <> all('{}'::text[]) order by available_at, id limit 1 for update skip locked
      )
      returning kind`;
    expect(taken).toEqual([{ kind: 'reset' }]);
    expect(await kinds('mail_outbox')).toEqual(['reset']);
    await sql`delete from mail_outbox where recipient = ${user.email}`;
    expect(await kinds('outgoing_mails')).toEqual(['password_changed']);
    platform.mailbox.refuse(null);
    platform.clock.advance(3600);
    expect(await mails(user.email, 'Your password was changed')).toHaveLength(1);
  });

  it('of a kind that this release does not know waits for a server that knows it', async () => {
    const { sql } = platform.database;
    await sql`
      insert into outgoing_mails (kind, recipient, payload_sealed, created_at, available_at)
      values ('of_a_newer_release', 'newer@example.com', '\\x00', ${platform.clock.now()}, ${platform.clock.now()})`;
    await platform.running.mails.drain();
    expect(await sql`select attempts, failed_at from outgoing_mails where kind = 'of_a_newer_release'`).toEqual([
      { attempts: 0, failed_at: null },
    ]);
    await sql`delete from outgoing_mails where kind = 'of_a_newer_release'`;
  });
});

describe('a log-in', () => {
  it('from a new kind of program or another network causes a mail, once', async () => {
    const user = await platform.signUp({ organization: null });
    await loginFrom(user, '192.0.2.1', firefox);
    const [first] = await mails(user.email, newDevice);
    expect(first?.text).toContain('from a new device: Firefox on Linux.');
    expect(first?.text).toContain('from the IP address 192.0.2.1.');
    await loginFrom(user, '192.0.77.2', firefox.replaceAll('145', '146')); // the same network, a newer version
    expect(await mails(user.email, newDevice)).toHaveLength(1);
    await loginFrom(user, '192.0.2.1', chrome);
    await loginFrom(user, '198.51.100.1', firefox);
    await loginFrom(user, '2001:db8::1', firefox);
    await loginFrom(user, '2001:db8:ffff::2', firefox);
    expect((await mails(user.email, newDevice)).map(({ text }) => /IP address (\S+)\./.exec(text)?.[1])).toEqual([
      '192.0.2.1',
      '192.0.2.1',
      '198.51.100.1',
      '2001:db8::1',
    ]);
  });

  it('that is the first one of an account causes none', async () => {
    const user = await platform.signUp();
    expect(await mails(user.email, newDevice)).toEqual([]);
  });

  it('that fails causes none, and does not make the device known', async () => {
    const user = await platform.signUp({ organization: null });
    await loginFrom({ ...user, password: 'wrong password 1' }, '192.0.2.1', firefox);
    expect(await mails(user.email, newDevice)).toEqual([]);
    await loginFrom(user, '192.0.2.1', firefox);
    expect(await mails(user.email, newDevice)).toHaveLength(1);
  });

  it('ten times at once from a new device causes one mail', async () => {
    const user = await platform.signUp({ organization: null });
    const replies = await simultaneously(10, () => loginFrom(user, '192.0.2.9', firefox));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await mails(user.email, newDevice)).toHaveLength(1);
  });

  it('from many networks causes five mails a day, and leaves 50 known devices', async () => {
    const user = await platform.signUp({ organization: null });
    const { sql } = platform.database;
    const known = async (): Promise<number> =>
      (await sql`select 1 from known_devices where user_id = ${user.userId}`).length;
    for (let index = 1; index < 9; index += 1) await loginFrom(user, `10.${index}.0.1`, firefox);
    expect(await mails(user.email, newDevice)).toHaveLength(5);
    await sql`
      insert into known_devices (user_id, program, network, seen_at)
      select ${user.userId}, 'node', 'old ' || n, '2020-01-01' from generate_series(1, 50) n`;
    await loginFrom(user, '10.99.0.1', firefox);
    expect(await known()).toBe(50);
    await loginFrom(user, '10.99.0.1', firefox);
    expect(await known()).toBe(50);
    platform.clock.advance(day + 1);
    await loginFrom(user, '10.98.0.1', firefox);
    expect(await mails(user.email, newDevice)).toHaveLength(6);
  });

  it('names no text that the caller chose as its program', async () => {
    const user = await platform.signUp({ organization: null });
    await loginFrom(user, '192.0.2.1', 'Call https://evil.example now');
    expect((await mails(user.email, newDevice))[0]?.text).toContain('from a new device: another program.');
  });
});

describe('the link "this was not me"', () => {
  async function alarmed(): Promise<{ user: TestUser; token: string }> {
    const user = await platform.signUp();
    await loginFrom(user, '192.0.2.1', firefox);
    const [mail] = await mails(user.email, newDevice);
    return { user, token: mail?.token ?? '' };
  }

  it('ends all sessions and the password, and sends the mail to choose a new one', async () => {
    const { user, token } = await alarmed();
    const intruder = await login(platform, user.email);
    const reply = await secure(token);
    expect(reply.status).toBe(200);
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect((await me(platform, String(intruder.body.access_token))).status).toBe(401);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
    expect((await refresh(platform, String(intruder.body.refresh_token))).status).toBe(401);
    expect((await login(platform, user.email)).status).toBe(401);
    expect((await storedUser(platform, user.email)).password_hash).toBeNull();
    expect(await auditOf(platform, reply)).toContainEqual(
      expect.objectContaining({ action: 'ACCOUNT_SECURED', org_id: user.orgId, user_id: user.userId }),
    );
    const [mail] = await mails(user.email, 'Reset your password');
    expect((await reset(platform, mail?.token ?? '', otherPassword)).status).toBe(200);
    expect((await login(platform, user.email, otherPassword)).status).toBe(200);
  });

  it('revokes the service tokens that the account has created or rotated since the mail, and no others', async () => {
    const { user } = await alarmed(); // an earlier mail, whose link is used up
    const admin = await platform.signUp({ invitedBy: user, role: 'admin' });
    const makeToken = (by: TestUser, name: string): Promise<TestServiceToken> =>
      createServiceToken(platform, by, ['views:read'], { name });
    const [older, rotated, foreign] = [
      await makeToken(admin, 'older'),
      await makeToken(admin, 'rotated'),
      await makeToken(user, 'foreign'),
    ];
    await endLinks(admin);
    platform.clock.advance(60);
    const created = await makeToken(admin, 'created');
    const { body } = await rotate(admin, rotated.id);
    const [mail] = (await mails(admin.email, 'A service token was created with your account')).slice(-1);
    expect(mail?.text.replaceAll('\n', ' ')).toContain(
      'revokes the service tokens that were created or rotated with it since',
    );
    const reply = await secure(mail?.token ?? '');
    expect(reply.body.message).toContain('2 service tokens were revoked.');
    for (const token of [created.token, String(body.token)]) expect((await current(token)).status).toBe(401);
    for (const { token } of [older, foreign]) expect((await current(token)).status).toBe(200);
    const ended = { org_id: user.orgId, user_id: admin.userId, note: 'the account was secured' };
    const records = await auditOf(platform, reply);
    for (const { id } of [created, rotated]) {
      expect(records).toContainEqual(
        expect.objectContaining({ action: 'SERVICE_TOKEN_REVOKED', resource_id: id, ...ended }),
      );
    }
  });

  it('leaves no service token, whichever comes first, if one is created at the same time', async () => {
    const { user, token } = await alarmed();
    const path = `/api/v1/organizations/${user.orgId}/service-tokens`;
    const body = { name: 'late', scopes: ['views:read'], expires_in_days: 1 };
    const [secured, created] = await Promise.all([
      secure(token),
      platform.json('POST', path, { token: user.accessToken, body }),
    ]);
    expect(secured.status).toBe(200);
    if (created.status === 201) expect((await current(String(created.body.token))).status).toBe(401);
    const { sql } = platform.database;
    expect(await sql`select 1 from service_tokens where org_id = ${user.orgId} and revoked_at is null`).toEqual([]);
  });

  it('is of single use, and ends the links of the other mails', async () => {
    const { user, token } = await alarmed();
    await loginFrom(user, '198.51.100.1', chrome);
    const other = (await mails(user.email, newDevice)).at(-1)?.token ?? '';
    const replies = await simultaneously(5, () => secure(token));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(await secure(other)).toMatchObject({ status: 400, body: { type: '/problems/invalid-security-link' } });
  });

  it('outlives a changed password, which an intruder can change, and ends with a reset', async () => {
    const { user, token } = await alarmed();
    const changed = await changePassword(user, testPassword, otherPassword);
    expect(changed.status).toBe(200);
    await forgot(platform, user.email);
    const resetLink = (await platform.lastMail(user.email)).token;
    const { token: kept } = await alarmed();
    expect((await secure(kept)).status).toBe(200);
    expect((await reset(platform, resetLink, `${otherPassword} again`)).status).toBe(200);
    expect((await secure(token)).status).toBe(400);
  });

  it('expires after 7 days, and is invalid while the account is disabled, and then', async () => {
    const [expired, disabled] = [await alarmed(), await alarmed()];
    const superuser = await platform.signUp({ organization: null });
    await makeSuperuser(platform, superuser);
    for (const is_active of [false, true]) {
      const request = { token: superuser.accessToken, body: { is_active } };
      await platform.json('PATCH', `/api/v1/installation/users/${disabled.user.userId}`, request);
    }
    expect((await secure(disabled.token)).status).toBe(400);
    platform.clock.advance(7 * day);
    expect((await secure(expired.token)).status).toBe(400);
    expect((await secure('unknown')).status).toBe(400);
  });

  it('does nothing when it is opened: GET and HEAD lead to the page', async () => {
    const { user, token } = await alarmed();
    for (const method of ['GET', 'HEAD']) {
      const opened = await fetch(`${platform.url}/secure-account?token=${token}`, { method, redirect: 'manual' });
      expect([opened.status, opened.headers.get('Location')]).toEqual([302, `/console/secure-account#token=${token}`]);
      expect((await fetch(`${platform.url}/api/v1/auth/secure-account?token=${token}`, { method })).status).toBe(405);
    }
    expect((await me(platform, user.accessToken)).status).toBe(200);
    expect((await secure(token)).status).toBe(200);
  });
});
