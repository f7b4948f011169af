import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { forgot, newEmail, register, verify } from '../../identity/auth/requests.js';

let home: string;
let platform: TestPlatform;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'plumbline-mailbox-'));
  platform = await startTestPlatform({
    environment: { MAIL_URL: '', PLUMBLINE_HOME: home, MAIL_FROM: 'Example Works <hello@example.com>' },
  });
});
afterAll(async () => {
  await platform.stop();
  await rm(home, { recursive: true, force: true });
});

const folder = (): string => join(home, 'mailbox');

/** The files of the mailbox whose mail is for `email`, oldest first. */
async function filesFor(email: string): Promise<{ name: string; message: string }[]> {
  await platform.running.mails.drain();
  const names = (await readdir(folder())).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, message: await readFile(join(folder(), name), 'utf8') })),
  );
  return files.filter(({ message }) => message.includes(email));
}

describe('without a mail server', () => {
  it('each mail becomes a complete .eml file', async () => {
    const email = newEmail();
    await register(platform, { email });
    const [file, ...others] = await filesFor(email);
    expect(others).toEqual([]);
    expect(file?.name).toMatch(/^\d{4}-\d\d-\d\dT[\d-]+Z-verification-[0-9a-f-]{36}\.eml$/);
    const mail = await PostalMime.parse(file?.message ?? '');
    expect(mail.from).toMatchObject({ name: 'Example Works', address: 'hello@example.com' });
    expect(mail.to).toMatchObject([{ address: email }]);
    expect(mail.subject).toBe('Verify your e-mail address');
    const link = /http:\/\/127\.0\.0\.1:\d+\/verify\?token=([\w-]{43})/;
    expect(mail.html).toMatch(link);
    const token = link.exec(mail.text ?? '')?.[1] ?? '';
    expect((await verify(platform, token)).status).toBe(200);
  });

  it('the lines of a file end with CRLF', async () => {
    const email = newEmail();
    await register(platform, { email });
    const [file] = await filesFor(email);
    expect(file?.message).not.toMatch(/[^\r]\n/);
  });

  it('the link of each mail is logged', async () => {
    const email = newEmail();
    await register(platform, { email });
    await filesFor(email);
    const line = platform.logLines.find((each) => each.includes(email) && each.includes('mail written'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      to: email,
      link: expect.stringMatching(/\/verify\?token=[\w-]{43}$/) as string,
    });
  });

  it('the link is not logged behind a public address, and the start warns that nobody gets mails', async () => {
    const environment = { MAIL_URL: '', PLUMBLINE_HOME: home, APP_BASE_URL: 'https://plumb.example.com' };
    const server = await startTestPlatform({ environment });
    const email = newEmail();
    await register(server, { email });
    await server.running.mails.drain();
    const lines = server.logLines.filter((each) => each.includes('mail written'));
    expect(lines.map((each) => Object.keys(JSON.parse(each) as object))).not.toEqual([]);
    expect(server.logLines.join()).not.toContain('token=');
    const warnings = (logged: readonly string[]): string[] => logged.filter((each) => each.includes('set MAIL_URL'));
    expect(warnings(server.logLines)).toHaveLength(1);
    expect(JSON.parse(warnings(server.logLines)[0] ?? '{}')).toMatchObject({ level: 40, folder: folder() });
    expect(warnings(platform.logLines)).toEqual([]);
    await server.stop();
  });

  it('each further mail is a separate file, and no unfinished one is left', async () => {
    const email = newEmail();
    await register(platform, { email });
    await forgot(platform, email);
    expect((await filesFor(email)).map(({ name }) => name.replace(/^.*Z-(\w+)-.*/, '$1'))).toEqual([
      'verification',
      'reset',
    ]);
    expect((await readdir(folder())).filter((name) => !name.endsWith('.eml'))).toEqual([]);
  });

  it('nobody else on the machine can read the mails', async () => {
    const email = newEmail();
    await register(platform, { email });
    const [file] = await filesFor(email);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder(), file?.name ?? ''))).mode & 0o777).toBe(0o600);
  });
});
