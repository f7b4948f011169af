import { describe, expect, it } from 'vitest';
import { engineAddress } from '../../../../src/compose/runtime/bridge/address.js';

describe('an engine address', () => {
  it.each([
    ['unix:///run/engine.sock', { kind: 'socket', path: '/run/engine.sock' }],
    ['npipe:////./pipe/docker_engine', { kind: 'socket', path: '//./pipe/docker_engine' }],
    ['tcp://engine.example:2400', { kind: 'tcp', host: 'engine.example', port: 2400 }],
    ['tcp://127.0.0.1', { kind: 'tcp', host: '127.0.0.1', port: 2375 }],
    ['tcp://[::1]:2375', { kind: 'tcp', host: '::1', port: 2375 }],
    ['http://127.0.0.1:80', { kind: 'tcp', host: '127.0.0.1', port: 80 }],
  ])('%s', async (text, address) => {
    expect(await engineAddress(text, {})).toEqual(address);
  });

  it.each(['', 'engine.sock', 'unix://', 'ssh://host', 'tcp://', 'ftp://host:1'])('refuses %j', async (text) => {
    await expect(engineAddress(text, {})).rejects.toMatchObject({ failure: { case: 'backendFailure' } });
  });

  it('with TLS needs the certificate files, and errors about them name no path', async () => {
    const environment = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/nowhere/at/all' };
    const failed = engineAddress('tcp://engine.example', environment);
    await expect(failed).rejects.toMatchObject({
      failure: { message: expect.not.stringContaining('/nowhere') as string },
    });
  });
});
