import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '../../database/connection.js';
import { readRegularFile, UnreadableFileError } from '../../system/regular-file.js';
import { SettingError } from '../settings.js';
import type { SecretBox } from './secret-box.js';

const keyLength = 32;

/**
 * The key that seals secrets: `SECRETS_KEY`, or one that is generated once and stored in `home`.
 *
 * @param home the directory of generated state
 * @param configured the setting, base64
 */
export async function loadSecretsKey(home: string, configured: string | null): Promise<Buffer> {
  if (configured !== null) return Buffer.from(configured, 'base64');
  const path = join(home, 'secrets.key');
  await mkdir(home, { recursive: true });
  await createOnce(path);
  const text = await readRegularFile(path).catch((error: unknown) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new SettingError(`SECRETS_KEY is not set, and ${path} ${error.reason}`);
  });
  const key = Buffer.from(text.toString('utf8').trim(), 'base64');
  if (key.length !== keyLength) throw new SettingError(`SECRETS_KEY is not set, and ${path} does not hold a key`);
  return key;
}

/**
 * Checks that this server's key is the one that sealed the database's secrets.
 *
 * @throws SettingError for another key, which could open nothing
 */
export async function assertSameSecretsKey(sql: Sql, secrets: SecretBox): Promise<void> {
  await sql`
    insert into server_settings (name, value) values ('secrets_key_fingerprint', ${secrets.fingerprint})
    on conflict (name) do nothing`;
  const [row] = await sql<
    { value: string }[]
  >`select value from server_settings where name = 'secrets_key_fingerprint'`;
  if (row?.value !== secrets.fingerprint) {
    throw new SettingError(
      'SECRETS_KEY is not the key that sealed the secrets in this database. Give every server on it the same key.',
    );
  }
}

/** Servers that start at once must not create different keys or read a partial file: only one link succeeds. */
async function createOnce(path: string): Promise<void> {
  if (existsSync(path)) return;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(keyLength).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
}
