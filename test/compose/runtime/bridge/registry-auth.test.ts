import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registryAuth, registryAuthHeader } from '../../../../src/compose/runtime/bridge/registry-auth.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plt-auth-'));
});
afterEach(() => rm(directory, { recursive: true }));

const encoded = (text: string): string => Buffer.from(text).toString('base64');

async function authOf(reference: string, config: unknown): Promise<unknown> {
  await writeFile(join(directory, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
  return registryAuth(reference, { DOCKER_CONFIG: directory, PATH: `${directory}:${process.env.PATH ?? ''}` });
}

describe('the credentials of a registry', () => {
  it('are the stored ones, also with colons in the password', async () => {
    const auths = { 'registry.example': { auth: encoded('me:pass:word') }, 'other.example': { auth: encoded('x:y') } };
    expect(await authOf('registry.example/team/app:1', { auths })).toEqual({
      username: 'me',
      password: 'pass:word',
      serveraddress: 'registry.example',
    });
    expect(await authOf('third.example/app:1', { auths })).toBeUndefined();
  });

  it('of Docker Hub are found under its legacy address', async () => {
    const auths = { 'https://index.docker.io/v1/': { auth: encoded('me:word') } };
    expect(await authOf('docker.io/library/app:1', { auths })).toMatchObject({ username: 'me', password: 'word' });
  });

  it('come from a credential helper if one is named, else from the file', async () => {
    const script = [
      '#!/bin/sh',
      'read -r server',
      'test "$server" = registry.example || exit 1',
      'echo \'{"Username":"<token>","Secret":"from the helper"}\'',
    ].join('\n');
    await writeFile(join(directory, 'docker-credential-test'), script);
    await chmod(join(directory, 'docker-credential-test'), 0o755);
    const config = { credsStore: 'test', auths: { 'other.example': { auth: encoded('me:word') } } };
    expect(await authOf('registry.example/app:1', config)).toEqual({
      identitytoken: 'from the helper',
      serveraddress: 'registry.example',
    });
    expect(await authOf('other.example/app:1', config)).toMatchObject({ username: 'me' });
  });

  it('do not exist if the configuration is missing or unreadable', async () => {
    expect(await registryAuth('registry.example/app:1', { DOCKER_CONFIG: join(directory, 'none') })).toBeUndefined();
    expect(await authOf('registry.example/app:1', 'not json')).toBeUndefined();
    expect(await authOf('registry.example/app:1', { credsStore: '../../bin/sh' })).toBeUndefined();
  });

  it('are sent in the encoding that engines read: for URLs, with padding', () => {
    for (const password of ['', 'a', 'ab', 'abc', '\u00ff\u00fe>>>???']) {
      const auth = { username: 'me', password, serveraddress: 'registry.example' };
      const header = registryAuthHeader(auth);
      expect(header).toMatch(/^(?:[\w-]{4})*(?:[\w-]{3}=|[\w-]{2}==)?$/);
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(auth);
    }
  });
});
