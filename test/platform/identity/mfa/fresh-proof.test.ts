import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overtake } from '../../../support/overtake.js';
import { createPasskeyDevice } from '../../../support/passkey-device.js';
import { startTestPlatform, type JsonReply, type TestPlatform, type TestUser } from '../../../support/platform.js';
import { totpCode } from '../../../support/totp.js';
import { auditOf } from '../auth/stored.js';
import { enroll, problem } from './requests.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { APP_BASE_URL: 'https://plumbline.example' } });
});
afterAll(() => platform.stop());

const prove = (token: string, body: object): Promise<JsonReply> =>
  platform.json('POST', '/api/v1/auth/step-up', { token, body });

type Change = (user: TestUser, token: string) => Promise<JsonReply>;

const org = ({ orgId }: TestUser, path: string): string => `/api/v1/organizations/${orgId}${path}`;
const createToken: Change = (user, token) =>
  platform.json('POST', org(user, '/service-tokens'), {
    ...{ token, body: { name: crypto.randomUUID(), scopes: ['analytics:read'], expires_in_days: 1 } },
  });
const nobody = '3b0f6c1e-52a4-4c0e-8d6f-6a1f9c2f7b01';

/** Each change that needs a fresh proof, and how it is answered with one. */
const changes: readonly (readonly [string, number, Change])[] = [
  ['creating a service token', 201, createToken],
  [
    ...(['rotating a service token', 404] as const),
    (user, token) =>
      platform.json('POST', org(user, `/service-tokens/${nobody}/rotate`), { token, body: { overlap_seconds: 0 } }),
  ],
  [
    ...(['handing over the organization', 404] as const),
    (user, token) => platform.json('POST', org(user, '/transfer'), { token, body: { user_id: nobody } }),
  ],
  [
    ...(['making a member an owner', 200] as const),
    (user, token) => platform.json('PATCH', org(user, `/members/${user.userId}`), { token, body: { role: 'owner' } }),
  ],
  [
    ...(['taking the role of an owner away', 409] as const),
    (user, token) => platform.json('PATCH', org(user, `/members/${user.userId}`), { token, body: { role: 'admin' } }),
  ],
  [
    ...(['inviting an owner', 201] as const),
    (user, token) =>
      platform.json('POST', org(user, '/invites'), {
        ...{ token, body: { email: `${crypto.randomUUID()}@example.com`, role: 'owner' } },
      }),
  ],
  [
    ...(['connecting an integration', 201] as const),
    (_user, token) =>
      platform.json('POST', '/api/v1/admin/integrations', {
        ...{ token, body: { provider: 'host_a', name: crypto.randomUUID(), token: 'secret' } },
      }),
  ],
  [
    ...(['disconnecting an integration', 404] as const),
    (_user, token) => platform.json('DELETE', `/api/v1/admin/integrations/${nobody}`, { token }),
  ],
  [
    ...(['verifying a domain for SSO', 404] as const),
    (user, token) => platform.json('POST', org(user, '/sso/domains/example.com/verify'), { token }),
  ],
  [
    ...(['mapping a provisioned group', 404] as const),
    (user, token) =>
      platform.json('PATCH', org(user, `/provisioned-groups/${nobody}`), {
        token,
        body: { role: 'admin', team_id: null },
      }),
  ],
  [
    ...(['deleting the organization', 202] as const),
    (user, token) => platform.json('POST', org(user, '/deletion'), { token, body: {} }),
  ],
  [
    ...(['deleting the account', 200] as const),
    (_user, token) => platform.json('POST', '/api/v1/auth/account-deletion', { token, body: {} }),
  ],
];

describe('a fresh proof', () => {
  it.each(changes)('is needed for %s, and the password is one', async (_what, status, change) => {
    const user = await platform.signUp();
    platform.clock.advance(601);
    expect(problem(await change(user, user.accessToken))).toBe('403 recent-login-required');
    expect(await prove(user.accessToken, { current_password: user.password })).toMatchObject({
      ...{ status: 200, body: { expires_in: 600 } },
    });
    expect((await change(user, user.accessToken)).status).toBe(status);
  });

  it.each(changes)('is needed for %s, and is the second factor if there is one', async (_what, status, change) => {
    const { user, nextCode } = await enroll(platform);
    platform.clock.advance(601);
    expect(problem(await change(user, user.accessToken))).toBe('403 recent-login-required');
    expect((await prove(user.accessToken, { code: nextCode() })).status).toBe(200);
    expect((await change(user, user.accessToken)).status).toBe(status);
  });

  it('is needed for the removal of another owner, and for no other removal', async () => {
    const user = await platform.signUp();
    const [owner, admin] = [
      await platform.signUp({ invitedBy: user, role: 'owner' }),
      await platform.signUp({ invitedBy: user, role: 'admin' }),
    ];
    platform.clock.advance(601);
    const remove = (member: TestUser, by: TestUser): Promise<JsonReply> =>
      platform.json('DELETE', org(user, `/members/${member.userId}`), { token: by.accessToken });
    expect(problem(await remove(owner, user))).toBe('403 recent-login-required');
    expect((await remove(admin, user)).status).toBe(200);
    expect((await remove(user, user)).status).toBe(200); // leaving
  });

  it('ends after 10 minutes, and stays with its session', async () => {
    const user = await platform.signUp();
    platform.clock.advance(601);
    await prove(user.accessToken, { current_password: user.password });
    const { body } = await platform.json('POST', '/api/v1/auth/refresh', {
      body: { refresh_token: user.refreshToken },
    });
    expect((await createToken(user, String(body.access_token))).status).toBe(201);
    platform.clock.advance(601);
    expect(problem(await createToken(user, String(body.access_token)))).toBe('403 recent-login-required');
  });

  it('in one session is none in another', async () => {
    const user = await platform.signUp();
    const login = { email: user.email, password: user.password };
    const { body: second } = await platform.json('POST', '/api/v1/auth/login', { body: login });
    platform.clock.advance(601);
    await prove(user.accessToken, { current_password: user.password });
    expect(problem(await createToken(user, String(second.access_token)))).toBe('403 recent-login-required');
  });

  it('is not needed by a service token', async () => {
    const user = await platform.signUp();
    const body = { name: 'connect', scopes: ['integrations:write'], expires_in_days: 1 };
    const issued = await platform.json('POST', org(user, '/service-tokens'), { token: user.accessToken, body });
    platform.clock.advance(601);
    const integration = { provider: 'host_a', name: 'Host', token: 'secret' };
    const path = '/api/v1/admin/integrations';
    const reply = await platform.json('POST', path, { token: String(issued.body.token), body: integration });
    expect(reply.status).toBe(201);
  });

  it('by password, sent with a deletion, is not enough for an account with a second factor', async () => {
    const { user } = await enroll(platform);
    platform.clock.advance(601);
    const body = { current_password: user.password };
    for (const path of ['/api/v1/auth/account-deletion', org(user, '/deletion')]) {
      const reply = await platform.json('POST', path, { token: user.accessToken, body });
      expect(problem(reply)).toBe('403 recent-login-required');
    }
  });

  it.each(['/api/v1/auth/account-deletion', '/api/v1/auth/account-export', 'deletion of the organization'])(
    'by password, sent with %s, is not enough after a second factor was set up while it waits',
    async (path) => {
      const user = await platform.signUp();
      platform.clock.advance(601);
      const url = path.startsWith('/') ? path : org(user, '/deletion');
      const request = { token: user.accessToken, body: { current_password: user.password } };
      const reply = await overtake(
        platform,
        user,
        () => platform.json('POST', url, request),
        async (sql) => sql`
          insert into totp_secrets (user_id, secret_sealed, started_at, enabled_at)
          values (${user.userId}, ''::bytea, now(), now())`,
      );
      expect(problem(reply)).toBe('403 recent-login-required');
    },
  );
});

describe('step-up', () => {
  it('refuses a wrong password, and locks as failed log-ins do', async () => {
    const user = await platform.signUp();
    const wrong = (): Promise<JsonReply> => prove(user.accessToken, { current_password: 'wrong password 1' });
    for (let count = 0; count < 5; count += 1) expect(problem(await wrong())).toBe('403 wrong-password');
    expect(problem(await wrong())).toBe('429 account-locked');
  });

  it('refuses the password of an account with a second factor', async () => {
    const { user } = await enroll(platform);
    const reply = await prove(user.accessToken, { current_password: user.password });
    expect(problem(reply)).toBe('403 second-factor-required');
  });

  it('refuses wrong codes, records them, and locks with those of log-ins', async () => {
    const { user, nextCode } = await enroll(platform);
    for (let count = 0; count < 5; count += 1) {
      const reply = await prove(user.accessToken, { code: '000000' });
      expect(problem(reply)).toBe('403 wrong-code');
      expect(await auditOf(platform, reply)).toMatchObject([{ action: 'LOGIN_FAILED', user_id: user.userId }]);
    }
    expect(problem(await prove(user.accessToken, { code: nextCode() }))).toBe('429 account-locked');
  });

  it('accepts a recovery code once, and mails about it', async () => {
    const { user, recoveryCodes } = await enroll(platform);
    const body = { recovery_code: recoveryCodes[0] };
    expect((await prove(user.accessToken, body)).status).toBe(200);
    expect((await platform.lastMail(user.email)).text).toContain('A recovery code of your Plumbline account was used');
    expect(problem(await prove(user.accessToken, body))).toBe('403 wrong-code');
  });

  it('refuses the code of an app that is only being set up', async () => {
    const user = await platform.signUp();
    const started = await platform.json('POST', '/api/v1/auth/me/mfa/totp', { token: user.accessToken });
    const code = totpCode(String(started.body.secret), platform.clock.now());
    expect(problem(await prove(user.accessToken, { code }))).toBe('403 wrong-code');
  });

  it('accepts a passkey of the account, and none of somebody else', async () => {
    const withDevice = async (user: TestUser): Promise<ReturnType<typeof createPasskeyDevice>> => {
      const device = createPasskeyDevice('https://plumbline.example');
      const path = '/api/v1/auth/me/mfa/passkeys';
      const { body } = await platform.json('POST', `${path}/start`, { token: user.accessToken });
      const created = { name: 'Phone', ...device.create(String(body.challenge)) };
      await platform.json('POST', path, { token: user.accessToken, body: created });
      return device;
    };
    const challenge = async (): Promise<string> =>
      String((await platform.json('POST', '/api/v1/auth/passkeys/start')).body.challenge);
    const [user, other] = [await platform.signUp(), await platform.signUp()];
    const [mine, theirs] = [await withDevice(user), await withDevice(other)];
    platform.clock.advance(601);
    const foreign = await prove(user.accessToken, { passkey: theirs.prove(await challenge()) });
    expect(problem(foreign)).toBe('403 wrong-code');
    expect((await prove(user.accessToken, { passkey: mine.prove(await challenge()) })).status).toBe(200);
    expect((await createToken(user, user.accessToken)).status).toBe(201);
  });
});
