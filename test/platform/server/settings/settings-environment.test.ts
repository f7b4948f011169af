import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SettingError } from '../../../../src/platform/server/settings/setting.js';
import { misspeltSettings } from '../../../../src/platform/server/settings/misspelt-settings.js';
import { settingNames, settingsEnvironment } from '../../../../src/platform/server/settings/settings-environment.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-settings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function file(content: string, name = 'settings.yaml'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('a settings file', () => {
  it('sets what the environment does not set', async () => {
    const config = await file('# ours\nPORT: 81\nLOG_LEVEL: warn\nMAIL_FROM: "A <a@example.com>"\n');
    expect(await settingsEnvironment({ PORT: '82', LOG_LEVEL: '' }, config)).toEqual({
      PORT: '82',
      LOG_LEVEL: 'warn',
      MAIL_FROM: 'A <a@example.com>',
    });
  });

  it('is found through PLUMBLINE_CONFIG', async () => {
    const PLUMBLINE_CONFIG = await file('PORT: 81\n');
    expect(await settingsEnvironment({ PLUMBLINE_CONFIG })).toMatchObject({ PORT: '81' });
  });

  it('keeps values as they are written, and joins lists', async () => {
    const config = await file(
      'AUTH_LOGIN_LIMIT: off\nMETRICS_TOKEN: 01234567890123456789\nCORS_ORIGINS: [https://a.example, https://b.example]\nHOST:\n',
    );
    expect(await settingsEnvironment({}, config)).toEqual({
      AUTH_LOGIN_LIMIT: 'off',
      METRICS_TOKEN: '01234567890123456789',
      CORS_ORIGINS: 'https://a.example,https://b.example',
      HOST: '',
    });
  });

  it('can be JSON, or hold comments only', async () => {
    expect(await settingsEnvironment({}, await file('{"PORT": 81, "CONSOLE": false}'))).toEqual({
      PORT: '81',
      CONSOLE: 'false',
    });
    expect(await settingsEnvironment({}, await file('# nothing yet\n'))).toEqual({});
  });

  it.each([
    ['PROT: 81\n', '"PROT", which is not a setting. plumbline serve --help lists the settings'],
    ['DATABASE_URL: x\n', '"DATABASE_URL", which is not a setting. Did you mean DATABASE_URI?'],
    ['- PORT\n', 'must hold lines such as PORT: 8080'],
    ['hunter2', 'must hold lines such as PORT: 8080'],
    ['PORT: { hunter2: 1 }\n', 'PORT must be a single value or a list'],
    ['HOST: a\nPORT: "hunter2\n', 'is not valid YAML: line 3: missing char'],
    ['PORT: 1\nPORT: 2\n', 'is not valid YAML: line 2: duplicate key'],
    [`PORT: ${'['.repeat(5000)}hunter2`, 'cannot be read: line 1: The text is nested more than 64 levels deep'],
  ])('that holds %j is refused in one line', async (content, expected) => {
    const failure = await settingsEnvironment({}, await file(content)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SettingError);
    const { message } = failure as SettingError;
    expect(message).toContain(expected);
    expect(message).not.toMatch(/hunter2|\n/);
  });

  it('that does not exist is named', async () => {
    const missing = join(folder, 'missing.yaml');
    await expect(settingsEnvironment({}, missing)).rejects.toThrow(`names ${missing}, which does not exist`);
  });
});

describe('a secret in a file', () => {
  it('is read without the line break at its end', async () => {
    const SECRETS_KEY_FILE = await file('c2VjcmV0\n', 'key');
    expect(await settingsEnvironment({ SECRETS_KEY_FILE })).toEqual({ SECRETS_KEY_FILE, SECRETS_KEY: 'c2VjcmV0' });
  });

  it('can be named in the settings file, and is replaced by either variable', async () => {
    const config = await file(`METRICS_TOKEN_FILE: ${await file('inner', 'inner')}\n`);
    expect(await settingsEnvironment({}, config)).toMatchObject({ METRICS_TOKEN: 'inner' });
    const outer = await file('outer', 'outer');
    expect(await settingsEnvironment({ METRICS_TOKEN_FILE: outer }, config)).toMatchObject({ METRICS_TOKEN: 'outer' });
    expect(await settingsEnvironment({ METRICS_TOKEN: 'plain' }, config)).toEqual({ METRICS_TOKEN: 'plain' });
  });

  it.each([...settingNames].filter((name) => name.endsWith('_FILE')))(
    'is refused together with its variable: %s',
    async (name) => {
      const plain = name.replace(/_FILE$/, '');
      const both = { [plain]: 'a', [name]: await file('b', 'secret') };
      await expect(settingsEnvironment(both)).rejects.toThrow(`Set ${plain} or ${name}, not both`);
    },
  );

  it('must exist and must not be empty', async () => {
    const missing = join(folder, 'missing');
    await expect(settingsEnvironment({ MAIL_URL_FILE: missing })).rejects.toThrow(
      `MAIL_URL_FILE names ${missing}, which does not exist`,
    );
    const empty = await file('\n', 'empty');
    await expect(settingsEnvironment({ MAIL_URL_FILE: empty })).rejects.toThrow(`${empty}, which is empty`);
  });
});

describe('a path that is not a regular file', () => {
  const places: Record<string, (path: string) => Promise<unknown>> = {
    PLUMBLINE_CONFIG: (path) => settingsEnvironment({ PLUMBLINE_CONFIG: path }),
    '--config': (path) => settingsEnvironment({}, path),
    'a secret': (path) => settingsEnvironment({ JWT_PRIVATE_KEYS_FILE: path }),
  };

  it.each(Object.keys(places))('stops the start with one line: %s', async (place) => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    await expect(places[place]?.(fifo)).rejects.toThrow(`names ${fifo}, which is not a regular file`);
    await expect(places[place]?.(folder)).rejects.toThrow(`names ${folder}, which is a directory`);
    await expect(places[place]?.('/dev/zero')).rejects.toThrow('names /dev/zero, which is not a regular file');
    const huge = await file('');
    await truncate(huge, 2 ** 33);
    await expect(places[place]?.(huge)).rejects.toThrow(`names ${huge}, which is larger than 1 MiB`);
  });

  it('may be a link to a link, as mounted secrets are', async () => {
    await mkdir(join(folder, '..2026'));
    await writeFile(join(folder, '..2026', 'token'), 'mounted\n');
    await symlink('..2026', join(folder, '..data'));
    await symlink(join('..data', 'token'), join(folder, 'token'));
    expect(await settingsEnvironment({ METRICS_TOKEN_FILE: join(folder, 'token') })).toMatchObject({
      METRICS_TOKEN: 'mounted',
    });
  });
});

describe('a variable', () => {
  it.each([
    ['DATABASE_URL', 'DATABASE_URI'],
    ['SMTP_URL', 'MAIL_URL'],
    ['POSTGRES_URL', 'DATABASE_URI'],
    ['MAILURL', 'MAIL_URL'],
    ['log_level', 'LOG_LEVEL'],
    ['AUTH_LOGIN_LIMITS', 'AUTH_LOGIN_LIMIT'],
    ['SECRETS_KEY_FIEL', 'SECRETS_KEY_FILE'],
    ['PLUMBLINE_PORT', 'PORT'],
  ])('%s is reported as a misspelt %s', (name, meant) => {
    expect(misspeltSettings({ [name]: 'x' }, settingNames)).toEqual([
      `${name} is not a setting of Plumbline. Did you mean ${meant}?`,
    ]);
  });

  it('with our prefix that nothing reads is reported', () => {
    expect(misspeltSettings({ PLUMBLINE_SPEED: '1' }, settingNames)).toEqual([
      'PLUMBLINE_SPEED is not a setting of Plumbline.',
    ]);
  });

  it('of another program is ignored', () => {
    const others = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'PORTS',
      'LOST',
      'npm_config_cache',
      'DATABASE_URI',
      'PLUMBLINE_CONFIG',
      'PLUMBLINE_SERVER',
      'PLUMBLINE_TOKEN',
    ];
    const environment = Object.fromEntries(others.map((name) => [name, 'x']));
    expect(misspeltSettings({ ...environment, DATABASE_URL: 'x' }, settingNames)).toEqual([]);
  });
});
