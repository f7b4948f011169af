import { afterEach, describe, expect, it } from 'vitest';
import { startTestPlatform, type JsonReply, type TestPlatform } from '../../../support/platform.js';
import { newEmail } from '../../identity/auth/requests.js';
import { auditOf } from '../../identity/auth/stored.js';

let platform: TestPlatform | null = null;
afterEach(async () => {
  await platform?.stop();
  platform = null;
});

async function start(trustedProxies: string): Promise<(forwardedFor: string) => Promise<JsonReply>> {
  const environment = { AUTH_LOGIN_IP_LIMIT: '2/hour', TRUSTED_PROXIES: trustedProxies };
  const started = (platform = await startTestPlatform({ environment }));
  return (forwardedFor) =>
    started.json('POST', '/api/v1/auth/login', {
      headers: { 'X-Forwarded-For': forwardedFor },
      body: { email: newEmail(), password: 'seven quiet rivers 7' },
    });
}

async function recordedAddress(reply: JsonReply): Promise<string | null | undefined> {
  if (platform === null) throw new Error('no server is running');
  return (await auditOf(platform, reply))[0]?.ip;
}

describe('without trusted proxies', () => {
  it('X-Forwarded-For changes neither the count nor the record', async () => {
    const login = await start('');
    const first = await login('192.0.2.1');
    expect(await recordedAddress(first)).toBe('127.0.0.1');
    expect((await login('192.0.2.2')).status).toBe(401);
    expect((await login('192.0.2.3')).status).toBe(429);
  });

  it('a proxy on another address than the trusted one is not believed', async () => {
    const login = await start('10.0.0.0/8');
    expect(await recordedAddress(await login('192.0.2.1'))).toBe('127.0.0.1');
  });
});

describe('behind a trusted proxy', () => {
  it('callers are counted and recorded by their own addresses', async () => {
    const login = await start('127.0.0.1');
    expect(await recordedAddress(await login('192.0.2.1'))).toBe('192.0.2.1');
    await login('192.0.2.1');
    expect((await login('192.0.2.1')).status).toBe(429);
    expect((await login('192.0.2.2')).status).toBe(401);
  });

  it('text of the caller before the address that the proxy added is ignored', async () => {
    const login = await start('127.0.0.0/8');
    await login('198.51.100.1, 192.0.2.1');
    await login('198.51.100.2, 192.0.2.1');
    const third = await login('198.51.100.3, 192.0.2.1');
    expect(third.status).toBe(429);
  });

  it('behind a chain of trusted proxies, the first untrusted address counts', async () => {
    const login = await start('127.0.0.1, 10.0.0.0/8');
    expect(await recordedAddress(await login('198.51.100.1, 192.0.2.7, 10.1.2.3'))).toBe('192.0.2.7');
  });

  it('an IPv6 caller is recorded', async () => {
    const login = await start('127.0.0.1');
    expect(await recordedAddress(await login('2001:db8::7'))).toBe('2001:db8::7');
  });

  it.each([
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::7]:80', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
    ['198.51.100.1, 192.0.2.7:4711, 10.1.2.3:443', '192.0.2.7'],
    ['198.51.100.1:1, [fd00::9]:443', '198.51.100.1'],
  ])('the port of a forwarded address is ignored: %s', async (forwardedFor, address) => {
    const login = await start('127.0.0.1, 10.0.0.0/8, fd00::/8');
    expect(await recordedAddress(await login(forwardedFor))).toBe(address);
  });

  it('callers with ports are counted by their own addresses, whatever the port', async () => {
    const login = await start('127.0.0.1');
    await login('192.0.2.1:1001');
    await login('192.0.2.1:1002');
    expect((await login('192.0.2.1:1003')).status).toBe(429);
    expect((await login('192.0.2.2:1001')).status).toBe(401);
  });

  it.each([
    'unknown',
    'nonsense',
    '192.0.2.1:port',
    '192.0.2.1:',
    '192.0.2.1:4711:1',
    '[192.0.2.1]:80',
    '[2001:db8::7',
    '[]:80',
    '"; drop table users',
    '999.1.1.1',
    '999.1.1.1:80',
  ])('a forwarded address that is none (%s) is taken for the proxy itself', async (forwardedFor) => {
    const login = await start('127.0.0.1');
    const reply = await login(forwardedFor);
    expect(reply.status).toBe(401);
    expect(await recordedAddress(reply)).toBe('127.0.0.1');
  });

  it('warns of the first forwarded address that is none, and not of a request without any', async () => {
    const login = await start('127.0.0.1');
    const warnings = (): string[] => (platform?.logLines ?? []).filter((line) => line.includes('X-Forwarded-For'));
    await login('192.0.2.1');
    await platform?.json('GET', '/health/live');
    expect(warnings()).toEqual([]);
    for (const forwardedFor of [`word ${'x'.repeat(100)}`, 'unknown']) await login(forwardedFor);
    expect(warnings().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, proxy: '127.0.0.1', element: `word ${'x'.repeat(59)}` },
    ]);
  });
});
