import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform } from '../../../support/platform.js';
import { forgot, newEmail, register, reset } from '../auth/requests.js';

const known = 'velvet otters 41 glide';
const padded = 'copper lanterns 27 hum';
const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex').toUpperCase();

let service: Server;
let platform: TestPlatform;
let asked: string[];
let answer: () => { readonly status: number; readonly body: string };

beforeAll(async () => {
  service = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''} ${String(request.headers['add-padding'])}`);
    const { status, body } = answer();
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const environment = { AUTH_LEAKED_PASSWORDS_URL: `http://127.0.0.1:${port}/` };
  platform = await startTestPlatform({ environment });
});
afterAll(async () => {
  await platform.stop();
  await new Promise((resolve) => service.close(resolve));
});
beforeEach(() => {
  asked = [];
  const lines = [`${'0'.repeat(35)}:7`, `${sha1(known).slice(5).toLowerCase()}:12`, `${sha1(padded).slice(5)}:0`];
  answer = () => ({ status: 200, body: lines.join('\r\n') });
});

const refused = { status: 422, body: { violations: [{ rule: 'common', message: expect.stringContaining('leak') }] } };

describe('a password that the service knows', () => {
  it('is refused by registration, reset and change, and only 5 digits of its hash leave the server', async () => {
    expect(await register(platform, { password: known, email: newEmail() })).toMatchObject(refused);
    const user = await platform.signUp();
    await forgot(platform, user.email);
    expect(await reset(platform, (await platform.lastMail(user.email)).token, known)).toMatchObject(refused);
    const body = { current_password: testPassword, new_password: known };
    const change = { token: user.accessToken, body };
    expect(await platform.json('POST', '/api/v1/auth/change-password', change)).toMatchObject(refused);
    const lookup = `GET /range/${sha1(known).slice(0, 5)} true`;
    expect(asked.filter((each) => each === lookup)).toHaveLength(3);
    expect(asked.every((each) => /^GET \/range\/[0-9A-F]{5} true$/.test(each))).toBe(true);
  });

  it('is not looked up if it breaks another rule', async () => {
    expect((await register(platform, { password: 'short1', email: newEmail() })).status).toBe(422);
    expect(asked).toEqual([]);
  });
});

describe('a password is accepted', () => {
  it('if the list has it as padding only, or not at all', async () => {
    expect((await register(platform, { password: padded, email: newEmail() })).status).toBe(201);
    expect((await register(platform, { email: newEmail() })).status).toBe(201);
  });

  it.each([
    ['an error', { status: 503, body: '' }],
    ['something else', { status: 200, body: '<html>nothing</html>' }],
    ['too much', { status: 200, body: 'x'.repeat(1_100_000) }],
  ])('if the service answers %s', async (_, reply) => {
    answer = () => reply;
    expect((await register(platform, { password: known, email: newEmail() })).status).toBe(201);
  });

  it('with a line in the log that has neither the password nor its hash', async () => {
    answer = () => ({ status: 500, body: '' });
    await register(platform, { password: known, email: newEmail() });
    const lines = platform.logLines.filter((line) => line.includes('leaked passwords cannot be looked up'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toMatch(new RegExp(`${known}|${sha1(known)}`));
  });
});
