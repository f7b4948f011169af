import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type postgres from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import type { PlatformSettings } from '../settings.js';
import { SettingError } from '../settings/setting.js';
import { createSecretBox, type SecretBox } from './secret-box.js';
import { errorCode } from '@plumbline/contract/system/error-code';

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
  await createOnce(path, randomBytes(keyLength));
  const text = await readRegularFile(path).catch((error: unknown) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new SettingError(`SECRETS_KEY is not set, and ${path} ${error.reason}`);
  });
  const key = Buffer.from(text.toString('utf8').trim(), 'base64');
  if (key.length !== keyLength) throw new SettingError(`SECRETS_KEY is not set, and ${path} does not contain a key`);
  return key;
}

/** The box of the settings. */
export async function loadSecretBox({
  home,
  secretsKey,
  secretsKeyPrevious,
}: Pick<PlatformSettings, 'home' | 'secretsKey' | 'secretsKeyPrevious'>): Promise<SecretBox> {
  const previous = secretsKeyPrevious === null ? null : Buffer.from(secretsKeyPrevious, 'base64');
  return createSecretBox(await loadSecretsKey(home, secretsKey), previous);
}

/**
 * Checks that this server's key is the one that sealed the database's secrets, or its previous key is: then the new key is
 * being introduced, until `plumbline keys reseal` has run.
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
  if (row?.value !== secrets.fingerprint && row?.value !== secrets.previousFingerprint) throw anotherKey();
}

/** From now on, servers need the key of this box. */
export async function storeFingerprint(sql: Sql, secrets: SecretBox): Promise<void> {
  await sql`update server_settings set value = ${secrets.fingerprint} where name = 'secrets_key_fingerprint'`;
}

/**
 * The key that sealed the secrets in the database. Unlike `loadSecretsKey`, this does not create a key or write to the
 * database, which may be a standby.
 *
 * @throws SettingError when there is no key, or another one sealed the secrets
 */
export async function existingSecretsKey(sql: postgres.Sql, home: string, configured: string | null): Promise<Buffer> {
  const path = join(home, 'secrets.key');
  if (configured === null && !existsSync(path)) {
    throw new SettingError(`SECRETS_KEY is not set, and ${path} does not exist: use the settings of the server`);
  }
  const key = await loadSecretsKey(home, configured);
  const [row] = await sql<{ value: string }[]>`
    select value from server_settings where name = 'secrets_key_fingerprint'`;
  if (row !== undefined && row.value !== createSecretBox(key).fingerprint) throw anotherKey();
  return key;
}

/**
 * Installs the key of a backup as that of `home`.
 *
 * @throws SettingError when SECRETS_KEY or `home` has another key, which is not replaced
 */
export async function installSecretsKey(key: Buffer, home: string, configured: string | null): Promise<void> {
  if (configured !== null) {
    if (!key.equals(Buffer.from(configured, 'base64'))) {
      throw new SettingError('SECRETS_KEY is not the key of the backup. Set it to that key, or unset it');
    }
    return;
  }
  await mkdir(home, { recursive: true });
  const path = join(home, 'secrets.key');
  await createOnce(path, key);
  if (!key.equals(await loadSecretsKey(home, null))) {
    throw new SettingError(`${path} holds another key than the backup. Set PLUMBLINE_HOME to another folder`);
  }
}

function anotherKey(): SettingError {
  return new SettingError(
    'SECRETS_KEY is not the key that sealed the secrets in this database. Give every server on it the same key. For a new ' +
      'key, set the former one as SECRETS_KEY_PREVIOUS, and run plumbline keys reseal.',
  );
}

/**
 * Several servers that start concurrently must not create different keys or read a partial file: only one link
 * succeeds.
 */
async function createOnce(path: string, key: Buffer): Promise<void> {
  if (existsSync(path)) return;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}
