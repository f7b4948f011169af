import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, testPassword, type TestPlatform } from '../../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ environment: { MAIL_URL: '', APP_BASE_URL: 'http://localhost:8080' } });
  const body = { email: 'robin@example.com', password: testPassword };
  await platform.json('POST', '/api/v1/auth/register', { body });
  await platform.running.mails.drain();
});
afterAll(() => platform.stop());

async function statusOf(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const reply = await fetch(`${platform.url}${path}`, { headers });
  await reply.text();
  return reply.status;
}

describe('Without a mail server, the mailbox page', () => {
  test('lists the mails, and shows the text of each with its link', async () => {
    const list = await fetch(`${platform.url}/mailbox`);
    expect([list.status, list.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await list.text();
    expect(html).toContain('robin@example.com');
    const [, address = ''] = /href="(\/mailbox\/[\w-]+\.eml)"/.exec(html) ?? [];
    const mail = await (await fetch(`${platform.url}${address}`)).text();
    const time = /<time datetime="[\d-]+T[\d:.]+Z">[A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d\s[AP]M UTC<\/time>/;
    for (const page of [html, mail]) expect(page).toMatch(time);
    expect(mail).toMatch(/<a href="http:\/\/localhost:8080\/verify\?token=[\w-]+" rel="noopener">/);
  });

  test('allows no script, no frame and no other source', async () => {
    const { headers } = await fetch(`${platform.url}/mailbox`);
    const policy = headers.get('Content-Security-Policy');
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-/,
    );
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  test.each([
    ['was forwarded by a proxy', { 'X-Forwarded-For': '192.0.2.1' }],
    ['was forwarded by a proxy that says so in the standard way', { Forwarded: 'for=192.0.2.1' }],
    ['was forwarded by a proxy that names the protocol alone', { 'X-Forwarded-Proto': 'https' }],
    ['was forwarded by a proxy with a nonstandard header', { 'X-Real-IP': '192.0.2.1' }],
  ])('does not exist for a request that %s', async (_what, headers) => {
    expect(await statusOf('/mailbox', headers)).toBe(404);
  });

  test.each(['..%2Fsecrets.key', 'nothing.eml', '.hidden.eml.part', '%00.eml'])('has no mail %s', async (name) => {
    expect(await statusOf(`/mailbox/${name}`, {})).toBe(404);
  });

  test('is announced to the console on this machine only', async () => {
    const own = await (await fetch(`${platform.url}/console/`)).text();
    const proxied = await (
      await fetch(`${platform.url}/console/`, { headers: { 'X-Forwarded-For': '192.0.2.1' } })
    ).text();
    expect(own).toContain('content="/mailbox"');
    expect(proxied).not.toContain('/mailbox');
  });
});

test('Under a public address there is no mailbox page, because a proxy may send no header', async () => {
  const environment = { MAIL_URL: '', APP_BASE_URL: 'https://app.example.com' };
  const published = await startTestPlatform({ environment });
  try {
    expect((await fetch(`${published.url}/mailbox`)).status).toBe(404);
    expect(await (await fetch(`${published.url}/console/`)).text()).not.toContain('/mailbox');
  } finally {
    await published.stop();
  }
});

test('With a mail server there is no mailbox page', async () => {
  const sending = await startTestPlatform();
  try {
    expect((await fetch(`${sending.url}/mailbox`)).status).toBe(404);
    expect(await (await fetch(`${sending.url}/console/`)).text()).not.toContain('/mailbox');
  } finally {
    await sending.stop();
  }
});
