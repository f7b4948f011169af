import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { assertListenable } from '@plumbline/contract/server';
import { localUrl } from '../local-url.js';
import type { PlatformSettings } from '../settings.js';
import { findingsOf, reasonOf, type Finding } from './finding.js';

const warnedFreeBytes = 2 ** 30;
const failedFreeBytes = 100 * 2 ** 20;
const mailTimeoutMs = 10_000;

/** Checks that PLUMBLINE_HOME is writable and has free space. */
export async function checkHome({ home }: PlatformSettings): Promise<Finding[]> {
  const writable = findingsOf('home');
  const probe = join(home, `.doctor-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(home, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    return [
      writable.failed(
        `${home} cannot be written to: ${reasonOf(error)}.`,
        'Set PLUMBLINE_HOME to a folder of the user that runs the server.',
      ),
    ];
  }
  const space = findingsOf('disk space');
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const message = `${(free / 2 ** 30).toFixed(1)} GiB are free in ${home}.`;
  const remedy = 'Free some space, or move PLUMBLINE_HOME to a larger disk.';
  return [
    writable.ok(`${home} can be written to.`),
    free < failedFreeBytes
      ? space.failed(message, remedy)
      : free < warnedFreeBytes
        ? space.warning(message, remedy)
        : space.ok(message),
  ];
}

/** Checks the file with the secrets key. The database check verifies that it is the right key. */
export async function checkKeyFile({
  home,
  secretsKey,
}: PlatformSettings): Promise<{ finding: Finding; key: Buffer | null }> {
  const { ok, warning, failed } = findingsOf('secrets key file');
  if (secretsKey !== null) {
    return { finding: ok('SECRETS_KEY is set.'), key: Buffer.from(secretsKey, 'base64') };
  }
  const file = join(home, 'secrets.key');
  const read = await readRegularFile(file).catch((error: unknown) => {
    if (error instanceof UnreadableFileError) return error;
    throw error;
  });
  if (read instanceof UnreadableFileError && read.code !== 'ENOENT') {
    return { finding: failed(`${read.message}.`, 'Restore it from the backup.'), key: null };
  }
  if (read instanceof UnreadableFileError) {
    const message = `SECRETS_KEY is not set and ${file} does not exist: the first start generates it.`;
    return {
      finding: warning(message, `Include ${file} in backups; several servers need the same SECRETS_KEY.`),
      key: null,
    };
  }
  const key = Buffer.from(read.toString('utf8').trim(), 'base64');
  if (key.length !== 32) return { finding: failed(`${file} holds no key.`, 'Restore it from the backup.'), key: null };
  const { mode } = await stat(file);
  const isPrivate = process.platform === 'win32' || (mode & 0o077) === 0;
  const finding = isPrivate
    ? ok(`${file} holds the key. Include it in backups.`)
    : failed(`Other users of this machine can read ${file}.`, `chmod 600 ${file}`);
  return { finding, key };
}

/** Checks that the port is free, or that a Plumbline server uses it. */
export async function checkPort(settings: PlatformSettings): Promise<Finding> {
  const { ok, failed } = findingsOf('port');
  const { host, port } = settings;
  try {
    await assertListenable(host, port);
    return ok(port === 0 ? 'A free port will be chosen.' : `${host}:${port} is free.`);
  } catch (error) {
    if (await isServer(`${localUrl(settings)}/health/live`)) return ok(`A server answers at ${host}:${port} already.`);
    return failed(`${reasonOf(error)}.`, 'End the program that uses the port, or set HOST and PORT to a free address.');
  }
}

/**
 * Whether a Plumbline server answers there. `fetch` is not used: it never settles if the peer closes the connection
 * immediately.
 */
function isServer(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 2000 }, ({ statusCode, headers }) => {
      resolve(statusCode === 200 && headers['x-request-id'] !== undefined);
      request.destroy();
    });
    request.once('timeout', () => request.destroy());
    request.once('close', () => {
      resolve(false);
    });
    request.on('error', () => undefined); // `close` follows
  });
}

/** Connects to the mail server and logs in. Sends nothing. */
export async function checkMail({ mailUrl, appBaseUrl, home }: PlatformSettings): Promise<Finding> {
  const { ok, warning, failed } = findingsOf('mail');
  if (mailUrl === null) {
    const message = `MAIL_URL is not set: mails become files in ${join(home, 'mailbox')}.`;
    return appBaseUrl === null ? ok(message) : warning(message, 'Set MAIL_URL so that people get their mails.');
  }
  const transport = createTransport(mailUrl);
  Object.assign(transport.options, {
    connectionTimeout: mailTimeoutMs,
    greetingTimeout: mailTimeoutMs,
    socketTimeout: mailTimeoutMs,
  });
  try {
    await transport.verify();
    return ok(`The mail server ${new URL(mailUrl).host} accepts the login.`);
  } catch (error) {
    return failed(
      `The mail server ${new URL(mailUrl).host} cannot be used: ${reasonOf(error)}.`,
      'Correct MAIL_URL, or let this machine reach it.',
    );
  } finally {
    transport.close();
  }
}
