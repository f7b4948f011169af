import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { newEmail } from '../../identity/auth/requests.js';

/** Every limited operation: its policies as they are by default, and requests that are counted under them. */
interface Limited {
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: (email: string) => object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the policy that a test uses up. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly policy: string;
  /** `RateLimit-Policy` as it is by default. */
  readonly policies: string;
  /** What tells one caller's count from another's. */
  readonly per: 'ip' | 'ip and e-mail' | 'e-mail';
}

const hour = 3600;
const quarter = 900;
const limited: readonly Limited[] = [
  {
    operation: 'register',
    method: 'POST',
    path: '/api/v1/auth/register',
    // Refused for its address: a password that is refused does not count.
    body: () => ({ email: registered, password: testPassword }),
    limit: 3,
    windowSeconds: hour,
    policy: 'register',
    policies: '"register-attempt";q=60;w=3600, "register";q=3;w=3600',
    per: 'ip',
  },
  {
    operation: 'verifyEmail',
    method: 'GET',
    path: '/api/v1/auth/verify?token=unknown',
    limit: 10,
    windowSeconds: hour,
    policy: 'verify',
    policies: '"verify";q=10;w=3600',
    per: 'ip',
  },
  {
    operation: 'disownAccount',
    method: 'POST',
    path: '/api/v1/auth/disown',
    body: () => ({ token: 'unknown' }),
    limit: 10,
    windowSeconds: hour,
    policy: 'disown',
    policies: '"disown";q=10;w=3600',
    per: 'ip',
  },
  ...['verify', 'cancel'].map((step): Limited => ({
    operation: `${step}EmailChange`,
    method: 'POST',
    path: `/api/v1/auth/change-email/${step}`,
    body: () => ({ token: 'unknown' }),
    limit: 10,
    windowSeconds: hour,
    policy: 'verify',
    policies: '"verify";q=10;w=3600',
    per: 'ip',
  })),
  {
    operation: 'secureAccount',
    method: 'POST',
    path: '/api/v1/auth/secure-account',
    body: () => ({ token: 'unknown' }),
    limit: 10,
    windowSeconds: hour,
    policy: 'secure-account',
    policies: '"secure-account";q=10;w=3600',
    per: 'ip',
  },
  {
    operation: 'resendVerification',
    method: 'POST',
    path: '/api/v1/auth/resend-verification',
    body: (email) => ({ email }),
    limit: 3,
    windowSeconds: hour,
    policy: 'resend',
    policies: '"mail-ip";q=20;w=3600, "resend";q=3;w=3600',
    per: 'ip and e-mail',
  },
  {
    operation: 'forgotPassword',
    method: 'POST',
    path: '/api/v1/auth/forgot-password',
    body: (email) => ({ email }),
    limit: 3,
    windowSeconds: hour,
    policy: 'forgot',
    policies: '"mail-ip";q=20;w=3600, "forgot";q=3;w=3600',
    per: 'ip and e-mail',
  },
  {
    operation: 'login',
    method: 'POST',
    path: '/api/v1/auth/login',
    // Not refused for a lockout, which does not count: that is forgotten after each attempt.
    body: (email) => ({ email, password: 'not the password 1' }),
    limit: 10,
    windowSeconds: quarter,
    policy: 'login',
    policies: '"login-attempt";q=300;w=900, "login-ip";q=100;w=900, "login";q=10;w=900',
    per: 'e-mail',
  },
  {
    operation: 'refreshTokens',
    method: 'POST',
    path: '/api/v1/auth/refresh',
    body: () => ({ refresh_token: 'unknown' }),
    limit: 30,
    windowSeconds: quarter,
    policy: 'refresh',
    policies: '"refresh";q=30;w=900',
    per: 'ip',
  },
  {
    operation: 'startBrowserSession',
    method: 'POST',
    path: '/api/v1/auth/browser-session',
    body: () => ({ refresh_token: 'unknown' }),
    limit: 300,
    windowSeconds: quarter,
    policy: 'browser-session',
    policies: '"browser-session";q=300;w=900',
    per: 'ip',
  },
  {
    operation: 'refreshBrowserSession',
    method: 'POST',
    path: '/api/v1/auth/browser-session/refresh',
    headers: { 'X-Plumbline-Browser': '1' },
    limit: 300,
    windowSeconds: quarter,
    policy: 'browser-session',
    policies: '"browser-session";q=300;w=900',
    per: 'ip',
  },
  {
    operation: 'validateToken',
    method: 'POST',
    path: '/api/v1/auth/validate',
    body: () => ({ token: 'unknown' }),
    limit: 60,
    windowSeconds: quarter,
    policy: 'validate',
    policies: '"validate";q=60;w=900',
    per: 'ip',
  },
];

let platform: TestPlatform;
beforeAll(async () => {
  const unset = [
    'REGISTER',
    'REGISTER_ATTEMPT',
    'VERIFY',
    'RESEND',
    'FORGOT',
    'LOGIN_ATTEMPT',
    'LOGIN_IP',
    'LOGIN',
    'REFRESH',
    'BROWSER_SESSION',
    'VALIDATE',
    'MAIL_IP',
  ];
  const ofCallers = ['CHANGE_PASSWORD', 'INVITE'];
  platform = await startTestPlatform({
    // An empty variable is one that is not set: the defaults hold.
    environment: {
      ...Object.fromEntries([...unset, ...ofCallers].map((name) => [`AUTH_${name}_LIMIT`, ''])),
      TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  await platform.signUp({ email: registered, organization: null });
});
afterAll(() => platform.stop());
beforeEach(() => platform.database.sql`truncate rate_limits`);

/** An address that has an account. */
const registered = 'registered@example.com';

async function send({ method, path, body, ...more }: Limited, from: string, email: string): Promise<JsonReply> {
  await platform.database.sql`truncate login_failures`;
  const headers = { ...more.headers, 'X-Forwarded-For': from };
  return platform.json(method, path, { headers, ...(body === undefined ? {} : { body: body(email) }) });
}

async function useUp(each: Limited, from: string, email: string): Promise<void> {
  for (let count = 0; count < each.limit; count += 1) {
    expect((await send(each, from, email)).status).not.toBe(429);
  }
}

describe.each(limited)('the limit of $operation', (each) => {
  it('is reported on every reply, and counts down', async () => {
    const email = newEmail();
    const first = await send(each, '192.0.2.1', email);
    const second = await send(each, '192.0.2.1', email);
    expect(first.headers.get('RateLimit-Policy')).toBe(each.policies);
    const left = ({ headers }: JsonReply): string | undefined =>
      new RegExp(`"${each.policy}";r=(\\d+);t=(\\d+)`).exec(headers.get('RateLimit') ?? '')?.[1];
    expect([left(first), left(second)]).toEqual([String(each.limit - 1), String(each.limit - 2)]);
  });

  it('refuses requests beyond it, with the time to wait', async () => {
    const email = newEmail();
    await useUp(each, '192.0.2.1', email);
    const reply = await send(each, '192.0.2.1', email);
    expect(reply).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
    const seconds = reply.body.retry_after_seconds as number;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(each.windowSeconds);
    expect(reply.body.message).toContain(`${seconds} seconds`);
    expect(reply.headers.get('Retry-After')).toBe(String(seconds));
    expect(reply.headers.get('RateLimit')).toContain(`"${each.policy}";r=0;t=`);
  });

  it('starts again when its window ends', async () => {
    const email = newEmail();
    await useUp(each, '192.0.2.1', email);
    // The end of the window is stored, by the clock of the machine. The test sets it instead of waiting.
    await platform.database.sql`update rate_limits set expire = expire - ${each.windowSeconds * 1000 + 1000}`;
    expect((await send(each, '192.0.2.1', email)).status).not.toBe(429);
  });

  if (each.per !== 'e-mail') {
    it('is one per IP address', async () => {
      const email = newEmail();
      await useUp(each, '192.0.2.1', email);
      expect((await send(each, '192.0.2.1', email)).status).toBe(429);
      expect((await send(each, '192.0.2.2', email)).status).not.toBe(429);
    });

    it('is one per /64 of IPv6', async () => {
      const email = newEmail();
      await useUp(each, '2001:db8:1:2::1', email);
      expect((await send(each, '2001:db8:1:2:ffff::9', email)).status).toBe(429);
      expect((await send(each, '2001:db8:1:3::1', email)).status).not.toBe(429);
    });
  }

  if (each.per === 'ip and e-mail') {
    it('is also one per e-mail, in any case', async () => {
      const email = newEmail();
      await useUp(each, '192.0.2.1', email);
      expect((await send(each, '192.0.2.1', email.toUpperCase())).status).toBe(429);
      expect((await send(each, '192.0.2.1', newEmail())).status).not.toBe(429);
    });
  }
});

describe('the limits of a login', () => {
  const login = async (from: string, email: string, password = 'not the password 1'): Promise<JsonReply> => {
    await platform.database.sql`truncate login_failures`; // a lockout does not count
    const headers = { 'X-Forwarded-For': from };
    return platform.json('POST', '/api/v1/auth/login', { headers, body: { email, password } });
  };

  it('count failures of an e-mail from everywhere', async () => {
    const email = newEmail();
    for (let count = 0; count < 10; count += 1) {
      const from = `192.0.2.${count + 1}`;
      expect((await login(from, count % 2 === 0 ? email : email.toUpperCase())).status).toBe(401);
    }
    expect((await login('192.0.2.99', email)).body.type).toBe('/problems/rate-limited');
    expect((await login('192.0.2.99', newEmail())).status).toBe(401);
  });

  it('count failures of an IP address over all e-mails', async () => {
    expect((await login('192.0.2.1', newEmail(), '')).status).toBe(422);
    for (let count = 0; count < 100; count += 1) expect((await login('192.0.2.1', newEmail())).status).toBe(401);
    const email = newEmail();
    const reply = await login('192.0.2.1', email);
    expect(reply.body.type).toBe('/problems/rate-limited');
    expect(reply.headers.get('RateLimit')).toMatch(/"login-ip";r=0;t=\d+$/);
    // What is refused for its address does not use up the account.
    expect((await login('192.0.2.2', email)).headers.get('RateLimit')).toMatch(/"login";r=9;t=\d+$/);
  });
});

describe('the limit of mails', () => {
  const ask = (operation: string, from: string): Promise<JsonReply> =>
    platform.json('POST', `/api/v1/auth/${operation}`, {
      headers: { 'X-Forwarded-For': from },
      body: { email: newEmail() },
    });

  it('counts an IP address over all e-mails and both kinds of mail', async () => {
    for (let count = 0; count < 10; count += 1) {
      expect((await ask('forgot-password', '192.0.2.1')).status).toBe(200);
      expect((await ask('resend-verification', '192.0.2.1')).status).toBe(200);
    }
    for (const operation of ['forgot-password', 'resend-verification']) {
      const reply = await ask(operation, '192.0.2.1');
      expect(reply).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
      expect(reply.headers.get('RateLimit')).toMatch(/^"mail-ip";r=0;t=\d+$/);
      expect((await ask(operation, '192.0.2.2')).status).toBe(200);
    }
    const [asked] = await platform.database
      .sql`select count(*)::int as count from token_requests where ip = '192.0.2.1'`;
    expect(Number(asked?.['count'])).toBeLessThanOrEqual(20);
  });
});

describe('the limits of a caller', () => {
  interface OfCaller {
    readonly operation: string;
    readonly path: (orgId: string) => string;
    readonly limit: number;
    readonly policy: string;
    readonly window: number;
    /** `RateLimit-Policy` of what is not counted by user. */
    readonly another?: string;
  }
  const ofCaller: readonly OfCaller[] = [
    {
      operation: 'changePassword',
      path: () => '/api/v1/auth/change-password',
      limit: 10,
      policy: 'change-password',
      window: quarter,
    },
    ...(['deletion', 'export'] as const).map((end): OfCaller => ({
      operation: { deletion: 'deleteAccount', export: 'exportAccount' }[end],
      path: () => `/api/v1/auth/account-${end}`,
      limit: 10,
      policy: 'change-password',
      window: quarter,
    })),
    {
      operation: 'deleteOrganization',
      path: (orgId) => `/api/v1/organizations/${orgId}/deletion`,
      limit: 10,
      policy: 'change-password',
      window: quarter,
    },
    {
      operation: 'createInvite',
      path: (orgId) => `/api/v1/organizations/${orgId}/invites`,
      limit: 50,
      policy: 'invite',
      window: hour,
      another: ', "invite-address";q=100000;w=3600',
    },
  ];

  it.each(ofCaller)(
    'count $operation by user, from everywhere',
    async ({ path, limit, policy, window, another = '' }) => {
      const [user, other] = [await platform.signUp(), await platform.signUp()];
      await platform.database.sql`truncate rate_limits`;
      const call = (caller: typeof user, from: string): Promise<JsonReply> =>
        platform.json('POST', path(caller.orgId), {
          token: caller.accessToken,
          body: { current_password: '' }, // refused after it is counted
          headers: { 'X-Forwarded-For': from },
        });
      for (let count = 0; count < limit; count += 1) {
        const reply = await call(user, `192.0.2.${count + 1}`);
        expect(reply.status).toBe(422);
        expect(reply.headers.get('RateLimit-Policy')).toBe(`"${policy}";q=${limit};w=${window}${another}`);
        expect(reply.headers.get('RateLimit')).toContain(`"${policy}";r=${limit - count - 1}`);
      }
      const refused = await call(user, '192.0.2.99');
      expect(refused).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
      expect(refused.headers.get('Retry-After')).toBe(String(refused.body.retry_after_seconds));
      expect((await call(other, '192.0.2.1')).status).toBe(422);
    },
  );

  it('are one for all operations that ask for the current password', async () => {
    const { accessToken: token } = await platform.signUp();
    const ask = (operation: string): Promise<JsonReply> =>
      platform.json('POST', `/api/v1/auth/${operation}`, { token, body: { current_password: '' } });
    const operations = ['change-password', 'account-deletion', 'account-export', 'change-email'];
    for (let count = 0; count < 10; count += 1) expect((await ask(operations[count % 4] ?? '')).status).toBe(422);
    for (const operation of operations) {
      expect(await ask(operation)).toMatchObject({ status: 429, body: { type: '/problems/rate-limited' } });
    }
  });

  it.each(ofCaller)('are not reported to callers without a token: $operation', async ({ path }) => {
    const reply = await platform.json('POST', path(randomUUID()), { body: {} });
    expect(reply.status).toBe(401);
    expect(reply.headers.has('RateLimit')).toBe(false);
  });
});

describe('a request that is refused for other reasons', () => {
  it('counts, so invalid requests do not bypass the limit', async () => {
    const nonsense = (): Promise<Response> =>
      platform.fetch(`${platform.url}/api/v1/auth/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{',
      });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await nonsense()).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  it.each(limited)('has the limits on its reply: $operation', async (each) => {
    const reply = await platform.json(each.method, `${each.path.replace(/\?.*/, '')}?unknown=${randomUUID()}`, {
      // Too long for the one operation that has neither a body nor parameters in its URL.
      headers: { ...each.headers, Cookie: `plumbline_session=${'a'.repeat(4097)}` },
      ...(each.body === undefined ? {} : { body: { unknown: true } }),
    });
    expect(reply.status).toBe(422);
    expect(reply.headers.get('RateLimit-Policy')).toBe(each.policies);
  });

  it.each(limited.filter(({ body }) => body !== undefined))(
    'has the limits on its reply to a broken body: $operation',
    async (each) => {
      const reply = await platform.fetch(`${platform.url}${each.path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{',
      });
      expect(reply.status).toBe(400);
      const counted = each.operation === 'login' ? 0 : 1; // of logins, the policy counts wrong passwords
      expect(reply.headers.get('RateLimit')).toContain(`"${each.policy}";r=${each.limit - counted}`);
    },
  );
});

describe('an operation without a limit, as document 000 lists them,', () => {
  it.each<[string, 'GET' | 'POST', string, object?]>([
    ['resetPassword', 'POST', 'reset-password', { token: 'unknown', new_password: testPassword }],
    ['onboard', 'POST', 'onboard', { action: 'join_org', invite_code: 'unknown' }],
    ['getOnboardingState', 'GET', 'onboarding/state'],
    ['skipIntegration', 'POST', 'onboarding/skip-integration'],
    ['acceptInvite', 'POST', 'accept-invite', { token: 'unknown' }],
    ['getMe', 'GET', 'me'],
    ['logout', 'POST', 'logout', { refresh_token: 'unknown' }],
  ])('answers all of 150 requests and reports no limits: %s', async (_operation, method, path, body) => {
    const { accessToken } = await platform.signUp();
    const token = path === 'logout' ? undefined : accessToken;
    for (let count = 0; count < 150; count += 1) {
      const { status, headers } = await platform.json(method, `/api/v1/auth/${path}`, { token, body });
      expect(status).toBeLessThan(429);
      expect(headers.has('RateLimit')).toBe(false);
      expect(headers.has('RateLimit-Policy')).toBe(false);
    }
  });
});

describe('limits of successful requests', () => {
  it('are reported on the replies to a registration, its verification, a login and a refresh', async () => {
    const user = await platform.signUp({ organization: null });
    const body = { email: user.email, password: user.password };
    const login = await platform.json('POST', '/api/v1/auth/login', { body });
    expect(login.headers.get('RateLimit')).toMatch(
      /^"login-attempt";r=\d+;t=\d+, "login-ip";r=100;t=\d+, "login";r=10;t=\d+$/,
    );
    const refresh = await platform.json('POST', '/api/v1/auth/refresh', { body: { refresh_token: user.refreshToken } });
    expect(refresh.headers.get('RateLimit')).toMatch(/^"refresh";r=29;t=\d+$/);
  });

  it('are reported on the reply to a lockout', async () => {
    const email = newEmail();
    const login = (): Promise<JsonReply> =>
      platform.json('POST', '/api/v1/auth/login', { body: { email, password: testPassword } });
    for (let count = 0; count < 5; count += 1) await login();
    const reply = await login();
    expect(reply.body.type).toBe('/problems/account-locked');
    // What a lockout refuses counts for the IP address, not for the e-mail.
    expect(reply.headers.get('RateLimit')).toMatch(/"login-ip";r=94;t=\d+, "login";r=5;t=\d+$/);
  });
});
