import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { createSmtpTransport } from '../../../../src/platform/messages/mail/transport.js';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { createTestDatabase } from '../../../support/postgres.js';
import { newEmail, register } from '../../identity/auth/requests.js';
import { startSmtpServer, type ReplyTo, type Step, type TestSmtpServer } from './smtp-server.js';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A mail server that counts what is tried, and a Platform that uses it. */
async function start(replyTo: ReplyTo): Promise<{
  readonly server: TestSmtpServer;
  readonly platform: TestPlatform;
  readonly tries: readonly string[];
}> {
  const tries: string[] = [];
  const server = await startSmtpServer({
    replyTo: (step, address) => {
      if (step === 'RCPT TO') tries.push(address);
      return replyTo(step, address);
    },
  });
  cleanups.push(server.stop);
  const platform = await startTestPlatform({ environment: { MAIL_URL: server.url } });
  cleanups.push(() => platform.stop());
  return { server, platform, tries };
}

async function stored(platform: TestPlatform): Promise<unknown> {
  return platform.database.sql`select attempts, failed_at is not null as failed, last_error from outgoing_mails`;
}

async function attempts(platform: TestPlatform, outcome: string): Promise<number> {
  const metrics = String((await platform.json('GET', '/metrics')).body);
  const [, count] =
    new RegExp(`^plumbline_mail_attempts_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics) ?? [];
  return Number(count);
}

const refusing = (step: Step, reply: string): ReplyTo => {
  return (at) => Promise.resolve(at === step ? reply : null);
};

describe('A mail that the mail server refuses for good', () => {
  test.each<[Step, string]>([
    ['RCPT TO', '550 5.1.1 no such user'],
    ['RCPT TO', '553 5.1.3 invalid mailbox'],
    ['DATA', '554 5.7.1 this is spam'],
  ])('at %s with %s is not sent again, and is kept, logged and counted', async (step, reply) => {
    const { platform, tries } = await start(refusing(step, reply));
    const email = newEmail();
    await register(platform, { email });
    await platform.running.mails.drain();
    platform.clock.advance(86_400);
    await platform.running.mails.drain();
    expect(tries).toEqual([email]);
    expect(await stored(platform)).toEqual([
      { attempts: 1, failed: true, last_error: expect.stringContaining(reply.slice(4)) as string },
    ]);
    expect([await attempts(platform, 'refused'), await attempts(platform, 'deferred')]).toEqual([1, 0]);
    const messages = platform.logLines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toContain('mail refused by the mail server for good; it is not sent again');
  });
});

describe('A permanent reply that an operator has to correct', () => {
  test.each<[Step, string]>([
    ['MAIL FROM', '550 5.7.1 sender not allowed'],
    ['RCPT TO', '530 5.7.0 authentication required'],
  ])('at %s with %s is tried again', async (step, reply) => {
    let isCorrected = false;
    const { platform, server } = await start((at) => Promise.resolve(at === step && !isCorrected ? reply : null));
    const email = newEmail();
    await register(platform, { email });
    await platform.running.mails.drain();
    expect(await stored(platform)).toMatchObject([{ attempts: 1, failed: false }]);
    isCorrected = true;
    platform.clock.advance(60);
    await platform.running.mails.drain();
    expect(server.recipients).toEqual([email]);
    expect(await attempts(platform, 'sent')).toBe(1);
  });
});

test('A domain whose mails are not answered does not delay the mails to others', async () => {
  let release = (): void => undefined;
  const released = new Promise<null>((resolve) => {
    release = () => {
      resolve(null);
    };
  });
  const { platform, server } = await start((step, address) =>
    step === 'RCPT TO' && address.endsWith('@slow.example') ? released : Promise.resolve(null),
  );
  const slow = Array.from({ length: 8 }, (_, index) => `caller-${index}@slow.example`);
  for (const email of slow) await register(platform, { email });
  const quick = [newEmail(), newEmail(), newEmail()];
  for (const email of quick) await register(platform, { email });
  await expect.poll(() => [...server.recipients].sort()).toEqual([...quick].sort());
  release();
  await platform.running.mails.drain();
  expect([...server.recipients].sort()).toEqual([...quick, ...slow].sort());
});

test('A mail server that sends one byte after the other is left when the attempt ends', async () => {
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined).resume();
    const drip = setInterval(() => socket.write('2'), 100);
    closed.push(
      once(socket, 'close').then(() => {
        clearInterval(drip);
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => void server.close());
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  const transport = createSmtpTransport(`smtp://127.0.0.1:${port}`, 'a@example.com');
  cleanups.push(() => {
    transport.close();
  });
  const due = {
    id: 'of-the-test',
    recipient: 'b@example.com',
    createdAt: new Date(0),
    attempts: 1,
    mail: { kind: 'reset', link: 'http://localhost/reset' },
  } as const;
  await expect(transport.deliver(due, AbortSignal.timeout(1000))).rejects.toThrow();
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
});

describe('A mail that the mail server has not answered when the Platform stops', () => {
  /** A mail server that has a mail, and does not answer to it yet; and a Platform that begins to stop. */
  const stopping = async (deadlineSeconds: number) => {
    let answer: (reply: null) => void = () => undefined;
    const answered = new Promise<null>((resolve) => (answer = resolve));
    let isFirst = true;
    const server = await startSmtpServer({
      replyTo: (step) => {
        if (step !== 'DATA' || !isFirst) return Promise.resolve(null);
        isFirst = false;
        return answered;
      },
    });
    cleanups.push(server.stop);
    const database = await createTestDatabase();
    cleanups.push(database.drop);
    const environment = { MAIL_URL: server.url, SHUTDOWN_DRAIN: '0', SHUTDOWN_DEADLINE: String(deadlineSeconds) };
    const start = async () => {
      const platform = await startTestPlatform({ databaseUri: database.uri, environment });
      cleanups.push(() => platform.stop());
      return platform;
    };
    const platform = await start();
    const email = newEmail();
    await register(platform, { email });
    await expect.poll(() => server.recipients).toEqual([email]);
    const release = (): void => {
      answer(null);
    };
    return { server, start, email, answer: release, stopped: platform.running.stop() };
  };

  test('is waited for, and never sent again', async () => {
    const { server, start, email, answer, stopped } = await stopping(60);
    answer();
    await stopped;
    const next = await start();
    expect(await stored(next)).toEqual([]);
    await next.running.mails.drain();
    expect(server.recipients).toEqual([email]);
  });

  test('is sent again by the next server, if there is no answer in time', async () => {
    const { server, start, email, stopped } = await stopping(1);
    await stopped;
    const next = await start();
    expect(await stored(next)).toEqual([{ attempts: 1, failed: false, last_error: 'Message sending aborted' }]);
    next.clock.advance(60);
    await next.running.mails.drain();
    expect(server.recipients).toEqual([email, email]);
  });
});
