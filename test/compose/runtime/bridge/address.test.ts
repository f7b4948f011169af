import { describe, expect, it } from 'vitest';
import { addressText, engineAddress } from '../../../../src/compose/runtime/bridge/address.js';
import { sshCommand } from '../../../../src/compose/runtime/bridge/ssh-connection.js';

describe('an engine address', () => {
  it.each([
    ['unix:///run/engine.sock', { kind: 'socket', path: '/run/engine.sock' }],
    ['npipe:////./pipe/docker_engine', { kind: 'socket', path: '//./pipe/docker_engine' }],
    ['tcp://engine.example:2400', { kind: 'tcp', host: 'engine.example', port: 2400 }],
    ['tcp://127.0.0.1', { kind: 'tcp', host: '127.0.0.1', port: 2375 }],
    ['tcp://[::1]:2375', { kind: 'tcp', host: '::1', port: 2375 }],
    ['ssh://engine.example', { kind: 'ssh', host: 'engine.example' }],
    ['ssh://me@[::1]:2222/run/a%20b.sock', { kind: 'ssh', user: 'me', host: '::1', port: 2222, path: '/run/a b.sock' }],
    ['http://127.0.0.1:80', { kind: 'tcp', host: '127.0.0.1', port: 80 }],
  ])('%s', async (text, address) => {
    expect(await engineAddress(text, {})).toEqual(address);
  });

  it.each(['', 'engine.sock', 'unix://', 'ssh://', 'ssh://me:secret@host', 'ssh://host?x', 'tcp://', 'ftp://host:1'])(
    'refuses %j',
    async (text) => {
      await expect(engineAddress(text, {})).rejects.toMatchObject({ failure: { case: 'backendFailure' } });
    },
  );

  it.each([
    ...['ssh://%ZZ@host', 'ssh://user@host/%ZZ', 'ssh://%ff@host', 'ssh://host/%00', 'ssh://me%0a@host'],
    ...['ssh://host/a%7f', 'ssh://host/%C2%9b', 'ssh://ho%0ast'],
  ])('refuses %j with the forms that are valid', async (text) => {
    await expect(engineAddress(text, {})).rejects.toMatchObject({
      failure: {
        case: 'backendFailure',
        message: expect.stringMatching(/^The address of the engine is invalid: write unix:/) as string,
      },
    });
  });

  it('of ssh is printed as it was written, and becomes words that no shell and no option parser reads otherwise', async () => {
    const text = 'ssh://me@engine.example:2222/run/a.sock';
    expect(addressText(await engineAddress(text, {}))).toBe(text);
    expect(sshCommand({ kind: 'ssh', host: '-oProxyCommand=x', path: "/a'b; touch c" }).slice(1)).toEqual([
      ...['-o', 'ConnectTimeout=30', '-T', '--', '-oProxyCommand=x'],
      ...['docker', '--host', "'unix:///a'\\''b; touch c'", 'system', 'dial-stdio'],
    ]);
  });

  it('with TLS needs the certificate files, and errors about them name no path', async () => {
    const environment = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/nowhere/at/all' };
    const failed = engineAddress('tcp://engine.example', environment);
    await expect(failed).rejects.toMatchObject({
      failure: { message: expect.not.stringContaining('/nowhere') as string },
    });
  });
});
