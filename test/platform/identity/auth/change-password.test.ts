import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestPlatform,
  testPassword,
  type JsonReply,
  type TestPlatform,
  type TestUser,
} from '../../../support/platform.js';
import { forgot, login, me, refresh, reset, simultaneously } from './requests.js';
import { auditOf, storedRefreshTokens, storedUser } from './stored.js';

const newPassword = 'nine loud harbours 9';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

function change(user: TestUser, current: string, next = newPassword, of = platform): Promise<JsonReply> {
  const body = { current_password: current, new_password: next };
  return of.json('POST', '/api/v1/auth/change-password', { token: user.accessToken, body });
}

describe('a change of the password', () => {
  it('sets it and records it', async () => {
    const user = await platform.signUp();
    const reply = await change(user, testPassword);
    expect(reply.status).toBe(200);
    expect((await login(platform, user.email)).status).toBe(401);
    expect((await login(platform, user.email, newPassword)).status).toBe(200);
    expect(await auditOf(platform, reply)).toMatchObject([
      { action: 'PASSWORD_CHANGED', user_id: user.userId, org_id: user.orgId },
    ]);
  });

  it('ends every session, and answers with tokens of the same scope', async () => {
    const user = await platform.signUp();
    const { body } = await change(user, testPassword);
    expect((await me(platform, user.accessToken)).status).toBe(401);
    expect((await refresh(platform, user.refreshToken)).status).toBe(401);
    expect((await me(platform, body.tokens.access_token)).body).toMatchObject({ org_id: user.orgId, role: 'owner' });
    expect((await refresh(platform, body.tokens.refresh_token)).status).toBe(200);
    const reasons = (await storedRefreshTokens(platform, user.userId)).map((each) => each.revocation_reason);
    expect(reasons.filter((each) => each === 'password_changed').length).toBeGreaterThan(0);
  });

  it('ends the links of earlier reset mails', async () => {
    const user = await platform.signUp();
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    expect((await change(user, testPassword)).status).toBe(200);
    const late = await reset(platform, token, 'five green lanterns 5');
    expect(late).toMatchObject({ status: 400, body: { type: '/problems/invalid-reset-token' } });
    expect((await login(platform, user.email, newPassword)).status).toBe(200);
  });

  it('ends the requests for reset mails that wait', async () => {
    // Its server delivers no mails from here on: servers look for requests every other second.
    const silent = await startTestPlatform();
    const user = await silent.signUp();
    await silent.running.mails.stop(10_000);
    const { databaseUri, clock, mailbox } = silent;
    await silent.database.sql`
      insert into token_requests (kind, email, requested_at) values ('reset', ${user.email}, ${clock.now()})`;
    expect((await change(user, testPassword, newPassword, silent)).status).toBe(200);
    const delivering = await startTestPlatform({ databaseUri, clock, mailbox });
    await delivering.running.mails.drain();
    expect(mailbox.to(user.email).filter(({ subject }) => /reset/i.test(subject))).toEqual([]);
    await delivering.stop();
    await silent.stop();
  });

  it('and a reset at once succeed once', async () => {
    const user = await platform.signUp();
    await forgot(platform, user.email);
    const { token } = await platform.lastMail(user.email);
    const replies = await Promise.all([change(user, testPassword), reset(platform, token, 'five green lanterns 5')]);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('needs the current password', async () => {
    const user = await platform.signUp({ organization: null });
    const before = await storedUser(platform, user.email);
    expect(await change(user, 'another quiet river 8')).toMatchObject({
      status: 403,
      body: { type: '/problems/wrong-password' },
    });
    expect(await storedUser(platform, user.email)).toEqual(before);
  });

  it('lists every broken rule of the new one', async () => {
    const user = await platform.signUp({ organization: null });
    const { status, body } = await change(user, testPassword, '1234');
    expect(status).toBe(422);
    expect((body.violations as { rule: string }[]).map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['min_length', 'letter']),
    );
  });

  it('refuses the name of the current organization with a year, also if others were joined since', async () => {
    const user = await platform.signUp({ organization: 'Qvorlix' });
    for (const { orgId } of [await platform.signUp(), await platform.signUp()]) {
      await platform.database.sql`
        insert into memberships (org_id, user_id, role, joined_at)
        values (${orgId}, ${user.userId}, 'viewer', ${new Date('2100-01-01')})`;
    }
    expect(await change(user, testPassword, 'Qvorlix2026!!!')).toMatchObject({
      status: 422,
      body: { violations: [{ rule: 'common' }] },
    });
  });

  it('is locked after five wrong current passwords, and so is the login', async () => {
    const user = await platform.signUp({ organization: null });
    for (let count = 0; count < 5; count += 1) expect((await change(user, 'wrong river 8')).status).toBe(403);
    const reply = await change(user, testPassword);
    expect(reply).toMatchObject({ status: 429, body: { type: '/problems/account-locked' } });
    expect(reply.headers.get('Retry-After')).toBe(String(reply.body.retry_after_seconds));
    expect((await login(platform, user.email)).status).toBe(429);
  });

  it('answers only five of sixty simultaneous guesses, and hides the right one among the others', async () => {
    const user = await platform.signUp({ organization: null });
    const replies = await simultaneously(60, (index) => change(user, index === 54 ? testPassword : 'wrong river 8'));
    const count = (wanted: number): number => replies.filter(({ status }) => status === wanted).length;
    expect([count(200), count(403), count(429)]).toEqual([0, 5, 55]);
    expect((await login(platform, user.email)).status).toBe(429);
  });

  it('to the same password does not reveal that the guess was right if the account was locked during the comparison', async () => {
    const user = await platform.signUp({ organization: null });
    let changed: Promise<JsonReply> | undefined;
    await platform.database.sql.begin(async (sql) => {
      // Stops the request where it clears the failures: after the comparison. Before it, it only reads them.
      await sql`lock table login_failures in exclusive mode`;
      const request = { isAnswered: false };
      changed = change(user, testPassword, testPassword).finally(() => (request.isAnswered = true));
      const waiting = async (): Promise<readonly unknown[]> => sql`
        select 1 from pg_locks
         where not granted and relation = 'login_failures'::regclass
           and database = (select oid from pg_database where datname = current_database())`;
      while (!request.isAnswered && (await waiting()).length === 0);
      const until = new Date(platform.clock.now().getTime() + 60_000);
      await sql`
        insert into login_failures (email, failed_at, last_failed_at, locked_until)
        select counter, array[now()], now(), ${until} from proven_networks where email = ${user.email}`;
    });
    const reply = await changed;
    expect(reply).toMatchObject({ status: 429, body: { type: '/problems/account-locked' } });
  });

  it('to the same password is refused, also beside a change that succeeds, and changes nothing', async () => {
    const user = await platform.signUp({ organization: null });
    const replies = await simultaneously(10, (index) =>
      change(user, testPassword, index === 5 ? newPassword : testPassword),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses[5]).toBe(200);
    // Those that come after the change are wrong, or come with a token of a session that it has ended.
    for (const status of statuses.toSpliced(5, 1)) expect([401, 403, 422, 429]).toContain(status);
    expect((await storedUser(platform, user.email)).token_version).toBe(1);
    expect((await login(platform, user.email)).status).not.toBe(200);
  });

  it('clears the count of failed logins', async () => {
    const user = await platform.signUp({ organization: null });
    for (let count = 0; count < 4; count += 1) await login(platform, user.email, 'wrong river 8');
    await change(user, testPassword);
    expect(await platform.database.sql`select 1 from login_failures where email = ${user.email}`).toEqual([]);
  });

  it('succeeds once of twenty simultaneous requests', async () => {
    const user = await platform.signUp({ organization: null });
    const replies = await simultaneously(20, (index) => change(user, testPassword, `nine loud harbours ${index}`));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await storedUser(platform, user.email)).token_version).toBe(1);
  });

  it('is refused without a token', async () => {
    const body = { current_password: testPassword, new_password: newPassword };
    expect((await platform.json('POST', '/api/v1/auth/change-password', { body })).status).toBe(401);
  });
});
