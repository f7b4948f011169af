import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';
import { loadSecretsKey } from '../../../../src/platform/server/secrets/secrets-key.js';
import { SettingError } from '../../../../src/platform/server/settings/setting.js';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.js';
import { rotateSigningKey } from '../../../../src/platform/identity/tokens/signing-keys.store.js';
import { login, me } from '../../identity/auth/requests.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'plumbline-secrets-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('the key that encrypts secrets', () => {
  it('is the configured one, and then no file is created', async () => {
    const key = Buffer.alloc(32, 5);
    expect(await loadSecretsKey(home, key.toString('base64'))).toEqual(key);
    await expect(stat(join(home, 'secrets.key'))).rejects.toThrow('ENOENT');
  });

  it('is otherwise generated once and stored in a file that only its owner can read', async () => {
    const first = await loadSecretsKey(home, null);
    expect(first).toHaveLength(32);
    expect(await loadSecretsKey(home, null)).toEqual(first);
    expect((await stat(join(home, 'secrets.key'))).mode & 0o777).toBe(0o600);
  });

  it('is different on every installation', async () => {
    const other = await loadSecretsKey(join(home, 'other'), null);
    expect(await loadSecretsKey(home, null)).not.toEqual(other);
  });

  it('is one key for servers that start at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const folder = join(home, String(round));
      const keys = await Promise.all(Array.from({ length: 20 }, () => loadSecretsKey(folder, null)));
      expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
      expect(await readdir(folder)).toEqual(['secrets.key']);
    }
  });

  it('is not generated again when its file is damaged, because encrypted secrets would be lost', async () => {
    await writeFile(join(home, 'secrets.key'), 'damaged');
    await expect(loadSecretsKey(home, null)).rejects.toThrow(SettingError);
    await expect(loadSecretsKey(home, null)).rejects.not.toThrow('damaged');
    expect(await readFile(join(home, 'secrets.key'), 'utf8')).toBe('damaged');
  });
});

describe('a server', () => {
  let platform: TestPlatform | null = null;
  afterAll(() => platform?.stop());

  it('does not start with another key than the one that sealed the database, and says so in one line', async () => {
    platform = await startTestPlatform();
    const { databaseUri, mailbox } = platform;
    const key = Buffer.alloc(32, 9).toString('base64');
    const start = startTestPlatform({ databaseUri, mailbox, environment: { SECRETS_KEY: key } });
    const error: unknown = await start.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SettingError);
    const { message } = error as SettingError;
    expect(message).toMatch(/^SECRETS_KEY is not the key that sealed the secrets in this database\. [^\n]+$/);
    expect(message).not.toContain(key);
    expect(message).not.toContain(createSecretBox(Buffer.alloc(32, 9)).fingerprint);
  });

  it('starts with a new key when the key is lost, by the steps of OPERATION.md, and sessions live on', async () => {
    const before = await startTestPlatform();
    const user = await before.signUp();
    const { databaseUri, mailbox, clock, database } = before;
    const environment = { SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') };
    const start = (): Promise<TestPlatform> => startTestPlatform({ databaseUri, mailbox, clock, environment });
    await database.sql`delete from server_settings where name = 'secrets_key_fingerprint'`;
    await expect(start()).rejects.toThrow();
    await rotateSigningKey(database.sql, createSecretBox(Buffer.alloc(32, 9)), clock);
    clock.advance(16);
    const after = await start();
    expect((await me(after, user.accessToken)).status).toBe(200);
    expect((await login(after, user.email)).status).toBe(200);
    await after.stop();
    await before.stop();
  });

  it('keeps signing with the same key after a restart', async () => {
    const first = (platform ??= await startTestPlatform());
    const user = await first.signUp({ organization: null });
    const { databaseUri, mailbox } = first;
    const again = await startTestPlatform({ databaseUri, mailbox });
    expect((await me(again, user.accessToken)).status).toBe(200);
    await again.stop();
  });
});
