import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { newEmail, simultaneously } from './requests.js';

const newPassword = 'nine loud harbours 9';
const home = '203.0.113.7';
/** Of one attacker; each is another network for the limits. */
const networks = Array.from({ length: 40 }, (_, index) => `2001:db8:0:${(index + 1).toString(16)}::1`);

let platform: TestPlatform;
beforeAll(async () => {
  // An empty variable is one that is not set: the defaults hold.
  const names = ['LOGIN', 'LOGIN_IP', 'FORGOT', 'MAIL_IP', 'MAIL_ADDRESS'];
  const environment = Object.fromEntries(names.map((name) => [`AUTH_${name}_LIMIT`, '']));
  platform = await startTestPlatform({ environment: { ...environment, TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => platform.stop());
beforeEach(async () => {
  await platform.database.sql`truncate rate_limits`;
  await platform.database.sql`truncate proven_networks`;
});

function post(from: string, path: string, body: object): Promise<JsonReply> {
  return platform.json('POST', `/api/v1/auth/${path}`, { headers: { 'X-Forwarded-For': from }, body });
}

function login(from: string, email: string, password: string): Promise<JsonReply> {
  return post(from, 'login', { email, password });
}

/** Tries passwords of an account, and gives the types of the replies. */
async function attack(from: readonly string[], email: string, tries: number): Promise<string[]> {
  const types: string[] = [];
  for (let count = 0; count < tries; count += 1) {
    const { body } = await login(from[count % from.length] ?? '', email, `guessed river ${count}`);
    types.push(String(body.type));
  }
  return types;
}

/** How many passwords were compared with that of the account. */
function compared(types: readonly string[]): number {
  return types.filter((type) => type === '/problems/invalid-credentials').length;
}

describe.each([
  ['one address', networks.slice(0, 1)],
  ['40 networks', networks],
])('an attacker with %s', (_case, from) => {
  it('has five passwords of one account compared in 15 minutes', async () => {
    const { email } = await platform.signUp({ organization: null });
    expect(compared(await attack(from, email, 60))).toBe(5);
    platform.clock.advance(15 * 60 + 1);
    expect(compared(await attack(from, email, 60))).toBe(5);
  });

  it('cannot keep the holder of the mailbox out while the attack continues', async () => {
    const { email } = await platform.signUp({ organization: null });
    await platform.database.sql`truncate proven_networks`;
    await attack(from, email, 20);
    expect((await login(home, email, testPassword)).status).toBe(429);
    for (const network of from) await post(network, 'forgot-password', { email });
    await post(home, 'forgot-password', { email }); // may be refused: the mails of the attacker serve as well
    const { token } = await platform.lastMail(email);
    expect((await post(home, 'reset-password', { token, new_password: newPassword })).status).toBe(200);
    for (let round = 0; round < 3; round += 1) {
      expect((await attack(from, email, 20)).at(-1)).toBe('/problems/account-locked');
      expect((await login(home, email, newPassword)).status).toBe(200);
    }
  });

  it('locks the accounts that it tries, and nobody else', async () => {
    const victims = [await platform.signUp({ organization: null }), await platform.signUp({ organization: null })];
    const other = await platform.signUp({ organization: null });
    for (const { email } of victims) expect(compared(await attack(from, email, 10))).toBe(5);
    expect((await login(home, other.email, testPassword)).status).toBe(200);
  });
});

describe('an attacker who tries one password of many accounts', () => {
  it('has 100 of them compared in 15 minutes from one address', async () => {
    const replies: JsonReply[] = [];
    for (let round = 0; round < 11; round += 1) {
      const some = await simultaneously(10, () => login(networks[0] ?? '', newEmail(), 'guessed river 1'));
      replies.push(...some);
    }
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(100);
    expect(replies.filter(({ body }) => body.type === '/problems/rate-limited')).toHaveLength(10);
  });
});

describe('a network from which a link of a mail was used', () => {
  it('has a separate count of five wrong passwords, for an hour', async () => {
    const { email } = await platform.signUp({ organization: null });
    await post(home, 'forgot-password', { email });
    const { token } = await platform.lastMail(email);
    await post(home, 'reset-password', { token, new_password: newPassword });
    await attack(networks, email, 10);
    expect(compared(await attack([home], email, 10))).toBe(5);
    await platform.database.sql`truncate rate_limits`;
    expect((await login(home, email, newPassword)).body.type).toBe('/problems/account-locked');
    platform.clock.advance(60 * 60);
    await attack(networks, email, 10);
    expect((await login(home, email, newPassword)).body.type).toBe('/problems/account-locked');
  });

  it('is not that of another account', async () => {
    const [user, other] = [
      await platform.signUp({ organization: null }),
      await platform.signUp({ organization: null }),
    ];
    await platform.database.sql`truncate proven_networks`;
    await post(home, 'forgot-password', { email: user.email });
    const { token } = await platform.lastMail(user.email);
    await post(home, 'reset-password', { token, new_password: newPassword });
    await attack(networks, other.email, 10);
    expect((await login(home, other.email, testPassword)).status).toBe(429);
  });
});

describe('the limit of logins per e-mail', () => {
  it('counts failures, so a program may log in as often as it likes', async () => {
    const { email } = await platform.signUp({ organization: null });
    for (let count = 0; count < 15; count += 1) {
      const reply = await login(home, email, testPassword);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('RateLimit')).toMatch(/"login";r=10;/);
    }
    for (let count = 0; count < 10; count += 1) {
      if (count % 4 === 3) await login(home, email, testPassword); // forgets the failures that lead to a lock
      expect((await login(home, email, 'guessed river 1')).status).toBe(401);
    }
    expect((await login(home, email, testPassword)).body.type).toBe('/problems/rate-limited');
  });
});
