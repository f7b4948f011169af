import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';
import { enqueueMail, sealMail } from '../../../../src/platform/messages/mail/outbox.store.js';
import { systemRandom } from '../../../../src/platform/random.js';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { forgot, newEmail, register, verify } from '../../identity/auth/requests.js';
import { startSmtpServer } from './smtp-server.js';

interface Waiting {
  readonly id: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly failed_at: Date | null;
  readonly payload_sealed: Buffer;
}

/** The key of every test platform. */
const secrets = createSecretBox(Buffer.alloc(32, 7));

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterEach(() => {
  platform.mailbox.refuse(null);
});
afterAll(() => platform.stop());

async function waiting(email: string): Promise<Waiting[]> {
  return platform.database.sql<Waiting[]>`
    select id, attempts, last_error, failed_at, payload_sealed from outgoing_mails where recipient = ${email}`;
}

describe('a mail in the outbox', () => {
  it('is sent to its recipient with both parts, and deleted', async () => {
    const email = newEmail();
    await register(platform, { email });
    const mail = await platform.lastMail(email);
    expect(mail.from).toBe('no-reply@localhost');
    expect(mail.text).toContain(`/verify?token=${mail.token}`);
    expect(mail.html).toContain(`/verify?token=${mail.token}`);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
    expect(await waiting(email)).toEqual([]);
  });

  it('is sent over the connection of the mail before it, or over a new one if the server has ended that', async () => {
    const send = async (): Promise<void> => {
      const email = newEmail();
      await register(platform, { email });
      await platform.lastMail(email);
    };
    await send();
    const before = platform.mailbox.connections();
    await send();
    expect(platform.mailbox.connections()).toBe(before);
    platform.mailbox.disconnect();
    await send();
    expect(platform.mailbox.connections()).toBe(before + 1);
  });

  it('is not sent when the change that caused it is rolled back', async () => {
    const email = newEmail();
    const entry = sealMail({ kind: 'verification', link: 'http://localhost/verify?token=t' }, secrets, systemRandom);
    const failed = platform.database.sql.begin(async (transaction) => {
      await enqueueMail(transaction, entry, email, platform.clock.now());
      await transaction`select 1 / 0`;
    });
    await expect(failed).rejects.toThrow('division by zero');
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toEqual([]);
    expect(await waiting(email)).toEqual([]);
  });

  it('is not sent before the change that caused it is committed', async () => {
    const email = newEmail();
    const entry = sealMail({ kind: 'verification', link: 'http://localhost/verify?token=t' }, secrets, systemRandom);
    await platform.database.sql.begin(async (transaction) => {
      await enqueueMail(transaction, entry, email, platform.clock.now());
      await platform.running.mails.drain();
      expect(platform.mailbox.to(email)).toEqual([]);
    });
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toHaveLength(1);
  });

  it('is encrypted: the token is in no column', async () => {
    const email = newEmail();
    platform.mailbox.refuse('451 try later');
    await register(platform, { email });
    await platform.running.mails.drain();
    const [row] = await waiting(email);
    const sealed = row?.payload_sealed ?? Buffer.of();
    const { link } = JSON.parse(secrets.open(sealed, `mail:${row?.id ?? ''}`)) as { link: string };
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(token).toHaveLength(43);
    const [columns] = await platform.database.sql<{ text: string }[]>`
      select outgoing_mails::text as text from outgoing_mails where recipient = ${email}`;
    expect(columns?.text).not.toContain(token);
    expect(sealed.includes(token)).toBe(false);
  });

  it('is not logged', async () => {
    const email = newEmail();
    await register(platform, { email });
    const { token } = await platform.lastMail(email);
    expect(platform.logLines.join('')).not.toContain(token);
  });
});

describe('a mail that is not accepted', () => {
  it.each(['451 try later', '421 too busy'])('is retried later: %s', async (refusal) => {
    const email = newEmail();
    platform.mailbox.refuse(refusal);
    await register(platform, { email });
    await platform.running.mails.drain();
    const [row] = await waiting(email);
    expect(row).toMatchObject({ attempts: 1, failed_at: null });
    expect(row?.last_error).toContain(refusal.slice(4));

    platform.mailbox.refuse(null);
    platform.clock.advance(10);
    const { token } = await platform.lastMail(email);
    expect((await verify(platform, token)).status).toBe(200);
    expect(platform.mailbox.to(email)).toHaveLength(1);
  });

  it('is retried with increasing delays', async () => {
    const email = newEmail();
    platform.mailbox.refuse('451 try later');
    await register(platform, { email });
    await platform.running.mails.drain();
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const [row] = await platform.database.sql<{ available_at: Date; attempts: number }[]>`
        select available_at, attempts from outgoing_mails where recipient = ${email}`;
      expect(row?.attempts).toBe(attempt);
      const seconds = (Number(row?.available_at) - Number(platform.clock.now())) / 1000;
      delays.push(seconds);
      platform.clock.advance(seconds + 1);
      await platform.running.mails.drain();
    }
    expect([...delays].sort((one, other) => one - other)).toEqual(delays);
    expect(delays[3]).toBeGreaterThan(4 * (delays[0] ?? Infinity));
  });

  it('fails after 30 attempts, is kept, and is logged', async () => {
    const email = newEmail();
    platform.mailbox.refuse('451 try later');
    await register(platform, { email });
    await platform.running.mails.drain();
    await platform.database.sql`update outgoing_mails set attempts = 29 where recipient = ${email}`;
    platform.clock.advance(3600);
    await platform.running.mails.drain();
    const [row] = await waiting(email);
    expect(row).toMatchObject({ attempts: 30, failed_at: expect.any(Date) as Date });
    expect(
      platform.logLines.some(
        (line) => line.includes('mail dropped after the last attempt') && line.includes(row?.id ?? '?'),
      ),
    ).toBe(true);
    platform.mailbox.refuse(null);
    platform.clock.advance(86_400);
    await platform.running.mails.drain();
    expect(platform.mailbox.to(email)).toEqual([]);
  });

  it('does not delay other mails', async () => {
    const [refused, other] = [newEmail(), newEmail()];
    platform.mailbox.refuse('451 try later');
    await register(platform, { email: refused });
    await platform.running.mails.drain();
    platform.mailbox.refuse(null);
    await register(platform, { email: other });
    expect((await platform.lastMail(other)).to).toBe(other);
  });
});

describe('a mail server that is down', () => {
  it('gets its mails when it is up again', async () => {
    const away = await startSmtpServer({});
    await away.stop();
    const server = await startTestPlatform({ environment: { MAIL_URL: away.url } });
    const email = newEmail();
    expect((await register(server, { email })).status).toBe(201);
    await server.running.mails.drain();
    const [row] = await server.database.sql`select attempts, last_error from outgoing_mails where recipient = ${email}`;
    expect(row).toMatchObject({ attempts: 1, last_error: expect.stringContaining('ECONNREFUSED') as string });

    const back = await startSmtpServer({ port: away.port });
    server.clock.advance(10);
    await server.running.mails.drain();
    expect(back.recipients).toEqual([email]);
    await server.stop();
    await back.stop();
  });
});

describe('two servers on one database', () => {
  it('send each mail once', async () => {
    const { databaseUri, mailbox, clock } = platform;
    const second = await startTestPlatform({ databaseUri, mailbox, clock });
    const emails = Array.from({ length: 25 }, newEmail);
    platform.mailbox.refuse('451 try later');
    for (const email of emails) await register(platform, { email });
    await Promise.all([platform.running.mails.drain(), second.running.mails.drain()]);
    platform.mailbox.refuse(null);
    platform.clock.advance(60);
    await Promise.all([platform.running.mails.drain(), second.running.mails.drain()]);
    expect(emails.map((email) => mailbox.to(email).length)).toEqual(emails.map(() => 1));
    await second.stop();
  });
});

describe('hostile names', () => {
  it('from before they were refused bring no header and no markup into a mail', async () => {
    const organization = 'Works\r\nBcc: victim@example.com\r\n\r\n<img src=x onerror=alert(1)>';
    const owner = await platform.signUp();
    await platform.database.sql`update organizations set name = ${organization} where id = ${owner.orgId}`;
    await platform.database.sql`
      update users set full_name = ${'Robin\r\nX-Injected: yes <script>'} where id = ${owner.userId}`;
    const email = newEmail();
    const path = `/api/v1/organizations/${owner.orgId}/invites`;
    await platform.json('POST', path, { token: owner.accessToken, body: { email, role: 'member' } });
    const mail = await platform.lastMail(email);
    const names = mail.headers.map(({ key }) => key);
    expect(names).not.toContain('bcc');
    expect(names).not.toContain('x-injected');
    expect(mail.subject).toBe('Invitation to Works Bcc: victim at example com <img src=x onerror=alert(1)>');
    expect(mail.html).not.toMatch(/<img|<script/);
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(platform.mailbox.to('victim@example.com')).toEqual([]);
  });

  it('in an e-mail are refused before there is a mail', async () => {
    for (const email of ['a@example.com\r\nBcc: b@example.com', 'a@example.com, b@example.com', '<a@example.com>']) {
      expect((await forgot(platform, email)).status).toBe(422);
      expect((await register(platform, { email })).status).toBe(422);
    }
  });
});
