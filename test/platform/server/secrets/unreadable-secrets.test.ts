/** What happens where one sealed value cannot be opened: an answer that says what to do, and a log line that names the value. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestPlatform, TestUser } from '../../../support/platform.js';
import { forgot, refresh } from '../../identity/auth/requests.js';
import { enroll, logIn, verify } from '../../identity/mfa/requests.js';
import { problem } from '../../identity/providers/requests.js';
import { beginSso, completeSso, connect, putSso, ssoRequest, startSsoStage } from '../../identity/sso/requests.js';

let stage: Awaited<ReturnType<typeof startSsoStage>>;
let platform: TestPlatform;
let owner: TestUser;
beforeAll(async () => {
  stage = await startSsoStage(1, { AUTH_REFRESH_REUSE_GRACE: '60' });
  ({ platform, owner } = stage);
});
afterAll(() => stage.stop());

const unreadable = Buffer.from('another key has sealed this');

/** The lines that were logged about a value since some were there. */
const linesAbout = (value: string, since: number): readonly string[] =>
  platform.logLines.slice(since).filter((line) => line.includes(value));

describe('an unreadable secret', () => {
  it('of an authenticator app makes codes wrong, and is logged once for each', async () => {
    const { user, recoveryCodes, nextCode } = await enroll(platform);
    await platform.database.sql`
      update totp_secrets set secret_sealed = ${unreadable} where user_id = ${user.userId}`;
    const { body } = await logIn(platform, user);
    const before = platform.logLines.length;
    const reply = await verify(platform, { mfa_token: body.mfa_token, code: nextCode() });
    expect(problem(reply)).toBe('403 wrong-code');
    expect(linesAbout(`totp:${user.userId}`, before)).toHaveLength(1);
    expect(platform.logLines.join('')).not.toContain(unreadable.toString());
    // Such codes do not count as guesses, so they do not lock the recovery codes.
    for (let i = 0; i < 5; i++) {
      expect(problem(await verify(platform, { mfa_token: body.mfa_token, code: nextCode() }))).toBe('403 wrong-code');
    }
    expect((await verify(platform, { mfa_token: body.mfa_token, recovery_code: recoveryCodes[0] })).status).toBe(200);
  });

  it('of SSO is a failure of the provider, and must be entered again to change the connection', async () => {
    const domain = await connect(stage, owner);
    const { sql } = platform.database;
    const begun = await beginSso(stage, owner.orgId);
    await sql`update sso_connections set client_secret_sealed = ${unreadable} where org_id = ${owner.orgId}`;
    const [row] = await sql<{ id: string }[]>`select id from sso_connections where org_id = ${owner.orgId}`;
    const path = `/api/v1/auth/sso/${owner.orgId}`;
    const before = platform.logLines.length;
    expect(problem(await platform.json('POST', `${path}/start`, { body: {} }))).toBe('502 identity-provider-failed');
    expect(linesAbout(`sso:${row?.id}`, before)).toHaveLength(1);
    const back = await stage.issuer.authorize(begun.url.href);
    expect(problem(await completeSso(stage, owner.orgId, back.search.slice(1), begun.cookie))).toBe(
      '502 identity-provider-failed',
    );
    const { client_secret: _secret, ...kept } = Object(ssoRequest(stage.issuer, { domains: [domain] }));
    expect(await putSso(stage, owner, kept)).toMatchObject({
      status: 422,
      body: { violations: [{ path: '/body/client_secret', message: expect.stringContaining('cannot be read') }] },
    });
    expect((await putSso(stage, owner, ssoRequest(stage.issuer, { domains: [domain] }))).status).toBe(200);
    expect((await beginSso(stage, owner.orgId)).cookie).not.toBe('');
  });

  it('of an integration is a failure to connect, which says to connect it again', async () => {
    const token = owner.accessToken;
    const body = { provider: 'host_a', name: 'Host', token: 'secret' };
    const { body: integration } = await platform.json('POST', '/api/v1/admin/integrations', { token, body });
    const id = String(integration.id);
    await platform.database.sql`update integrations set secret_sealed = ${unreadable} where id = ${id}`;
    const before = platform.logLines.length;
    const tested = await platform.json('POST', `/api/v1/admin/integrations/${id}/test`, { token });
    expect(tested).toMatchObject({
      status: 200,
      body: { success: false, error: expect.stringContaining('Connect the integration again') },
    });
    expect(linesAbout(`integration:${id}`, before)).toHaveLength(1);
    const list = `/api/v1/admin/repositories?provider=host_a&integration_id=${id}`;
    expect(problem(await platform.json('GET', list, { token }))).toBe('502 code-host-failed');
  });

  it('of a refreshed session makes its former token invalid, and leaves the session', async () => {
    const user = await platform.signUp();
    const { body } = await refresh(platform, user.refreshToken);
    await platform.database.sql`
      update refresh_tokens set successor_sealed = ${unreadable}
      where user_id = ${user.userId} and successor_sealed is not null`;
    expect(problem(await refresh(platform, user.refreshToken))).toBe('401 invalid-refresh-token');
    expect((await refresh(platform, String(body.refresh_token))).status).toBe(200);
  });

  it('of a mail does not stop other mails, and is retried', async () => {
    const [one, other] = [await platform.signUp(), await platform.signUp()];
    const { sql } = platform.database;
    await sql`
      insert into outgoing_mails (kind, recipient, payload_sealed, created_at, available_at)
      values ('reset', ${one.email}, ${unreadable}, now() - interval '1 hour', now() - interval '1 hour')`;
    await forgot(platform, other.email);
    expect((await platform.lastMail(other.email)).subject).toContain('password');
    const [stored] =
      await sql`select attempts, last_error, failed_at from outgoing_mails where recipient = ${one.email}`;
    expect(stored).toEqual({ attempts: 1, last_error: 'The mail cannot be decrypted.', failed_at: null });
  });
});
