import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { startTestPlatform, testPassword } from '../../../support/platform.js';
import { newEmail, verify } from '../../identity/auth/requests.js';
import { startSmtpServer } from './smtp-server.js';

const script = fileURLToPath(new URL('serve.ts', import.meta.url));
let child: ChildProcess | null = null;
afterAll(() => child?.kill('SIGKILL'));

async function startProcess(
  environment: Readonly<Record<string, string>>,
): Promise<{ url: string; server: ChildProcess }> {
  const server = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = server;
  const [line] = (await once(server.stdout, 'data')) as [Buffer]; // the script prints its address and nothing else
  return { url: line.toString('utf8').trim(), server };
}

it('A mail that a server was delivering when it was killed is delivered by another one', async () => {
  const platform = await startTestPlatform();
  const silent = await startSmtpServer({ answers: false });
  const { url, server } = await startProcess({
    PORT: '0',
    DATABASE_URI: platform.databaseUri,
    MAIL_URL: silent.url,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    AUTH_BCRYPT_COST: '4',
  });
  const email = newEmail();
  // The other server must not be faster: it looks into the outbox as if no mail were due yet.
  platform.clock.advance(-3600);
  const registered = await fetch(`${url}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: testPassword }),
  });
  expect(registered.status).toBe(201);
  await expect.poll(() => silent.recipients, { timeout: 20_000 }).toEqual([email]);
  server.kill('SIGKILL');
  await once(server, 'exit');

  const outbox = await platform.database.sql`select attempts from outgoing_mails where recipient = ${email}`;
  expect(outbox).toEqual([{ attempts: 1 }]);
  platform.clock.advance(3600 + 180);
  const { token } = await platform.lastMail(email);
  expect((await verify(platform, token)).status).toBe(200);
  expect(platform.mailbox.to(email)).toHaveLength(1);
  expect(await platform.database.sql`select 1 from outgoing_mails where recipient = ${email}`).toEqual([]);
  await silent.stop();
  await platform.stop();
});
