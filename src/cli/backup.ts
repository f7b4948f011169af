import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { backup, backUpTo, type BackupReport } from '../database/backup/backup.js';
import { restore, type RestoreReport } from '../database/backup/restore.js';
import { parseDatabaseAddress } from '../database/address.js';
import { openSingleConnection } from '../database/single-connection.js';
import { createSecretBox } from '../platform/server/secrets/secret-box.js';
import { existingSecretsKey, installSecretsKey, loadSecretsKey } from '../platform/server/secrets/secrets-key.js';
import { readSettings, type PlatformSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import type { Environment } from '../platform/server/settings/settings-environment.js';
import { systemClock } from '../platform/clock.js';
import { withDatabase } from './database.js';
import { createLog } from './log.js';

const log = createLog('warn', 2);

/** Stands for standard output or standard input in place of a file. */
const STANDARD_STREAM = '-';

/** Runs `plumbline backup`. */
export async function backUp(
  environment: Environment,
  file: string,
  { hasKey }: { readonly hasKey: boolean },
): Promise<void> {
  const isPiped = file === STANDARD_STREAM;
  if (isPiped && process.stdout.isTTY) {
    throw new SettingError('A backup is not text: send it to a file or a program, not to the terminal');
  }
  if (isPiped) process.stdout.on('error', () => undefined);
  const say = isPiped ? console.error : console.log;
  const settings = readSettings(environment);
  await withDatabase(settings, log, async (uri) => {
    const { tables, bytes } = await writeBackup(settings, uri, isPiped ? null : resolve(file), hasKey);
    const key = hasKey
      ? 'It contains the key of the secrets.'
      : 'It does not contain the key of the secrets: keep it elsewhere.';
    say(`Backed up ${tables} tables${isPiped ? '' : ` to ${file}`} (${megabytes(bytes)}). ${key}`);
  });
  if (settings.jwtPrivateKeys !== null) say('JWT_PRIVATE_KEYS is not part of it: keep it elsewhere.');
  if (isElsewhere(settings)) {
    say('The analytics of ANALYTICS_URI are not part of it: back them up with the tools of that database.');
  }
}

/** Runs `plumbline restore`. */
export async function restoreBackup(environment: Environment, file: string): Promise<void> {
  const settings = readSettings(environment);
  const isPiped = file === STANDARD_STREAM;
  if (!isPiped) await requireFile(file);
  await withDatabase(settings, log, async (uri) => {
    const { createdAt, tables } = await readBackup(settings, uri, isPiped ? process.stdin : file);
    console.log(`Restored ${tables} tables as of ${createdAt}.`);
  });
}

/** Runs `plumbline move`: copies the database of the settings, with all of its data, to an empty one at `target`. */
export async function moveDatabase(environment: Environment, target: string): Promise<void> {
  const settings = readSettings(environment);
  parseDatabaseAddress(target); // fails before any work
  await withDatabase(settings, log, async (uri) => {
    await requireUnused(uri);
    const folder = await mkdtemp(join(settings.home, 'move-'));
    try {
      const file = join(folder, 'backup');
      await writeBackup(settings, uri, file, true);
      const { tables } = await readBackup(settings, target, file);
      console.log(`Copied ${tables} tables. Set DATABASE_URI to the new address, and start the server.`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

/** @param file null: standard output */
async function writeBackup(
  settings: PlatformSettings,
  uri: string,
  file: string | null,
  hasKey: boolean,
): Promise<BackupReport> {
  const sql = openSingleConnection(parseDatabaseAddress(uri), 'plumbline backup', log);
  try {
    const [row] = await sql<{ exists: boolean }[]>`select to_regclass('server_settings') is not null as exists`;
    if (row?.exists !== true) throw new Error('The database is empty: there is nothing to back up');
    const key = await existingSecretsKey(sql, settings.home, settings.secretsKey);
    const extra = hasKey
      ? { secretsKey: key.toString('base64') }
      : { secretsKeyFingerprint: createSecretBox(key).fingerprint };
    const options = { logger: log, now: systemClock.now(), extra };
    return await (file === null ? backUpTo(uri, writeToOutput, options) : backup(uri, file, options));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** `backUp` adds a listener for errors, without which one would also end the process. */
function writeToOutput(chunk: Buffer): Promise<void> {
  return new Promise((done, failed) => {
    process.stdout.write(chunk, (error) => {
      if (error == null) done();
      else failed(error);
    });
  });
}

function readBackup(settings: PlatformSettings, uri: string, source: string | Readable): Promise<RestoreReport> {
  return restore(uri, source, {
    logger: log,
    accept: async ({ secretsKey, secretsKeyFingerprint }) => {
      if (secretsKey !== undefined) {
        await installSecretsKey(Buffer.from(secretsKey, 'base64'), settings.home, settings.secretsKey);
      } else {
        await requireSecretsKey(secretsKeyFingerprint, settings);
      }
    },
  });
}

/** Checks that the key of a backup without it is there, before anything is restored. */
async function requireSecretsKey(
  fingerprint: string | undefined,
  { home, secretsKey }: Pick<PlatformSettings, 'home' | 'secretsKey'>,
): Promise<void> {
  if (secretsKey === null && !existsSync(join(home, 'secrets.key'))) {
    throw new SettingError('The backup does not contain the key of the secrets: set SECRETS_KEY');
  }
  if (createSecretBox(await loadSecretsKey(home, secretsKey)).fingerprint !== fingerprint) {
    throw new SettingError('SECRETS_KEY is not the key that sealed the secrets of the backup');
  }
}

/** Data that a server writes after the copy would be missing in the new database. */
async function requireUnused(uri: string): Promise<void> {
  const sql = openSingleConnection(parseDatabaseAddress(uri), 'plumbline move', log);
  try {
    const users = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and application_name like 'plumbline%' and pid <> pg_backend_pid() limit 1`;
    if (users.length > 0) throw new SettingError('A server or a sync uses the database: stop it first');
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function requireFile(file: string): Promise<void> {
  if ((await stat(file).catch(() => null)) === null) throw new SettingError(`There is no file ${file}`);
}

function isElsewhere({ analyticsUri, databaseUri }: PlatformSettings): boolean {
  return analyticsUri !== null && analyticsUri !== databaseUri;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
