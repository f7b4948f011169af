import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseEngine, selectBackend } from '../../../../src/compose/runtime/select.js';
import { createCertificates, missingOpenssl } from '../../../support/certificates.js';
import { folderWith } from '../../model/project-folder.js';
import { onSocket } from '../../engines/on-engine.js';

const LOCAL = 'unix:///nowhere/local.sock';

/** A Docker configuration with some contexts, by name, and one of them current. */
async function configured(
  contexts: Readonly<Record<string, object>>,
  currentContext?: string,
): Promise<NodeJS.ProcessEnv> {
  const directory = await folderWith({ 'config.json': JSON.stringify({ currentContext }) });
  for (const [Name, docker] of Object.entries(contexts)) {
    const folder = join(directory, 'contexts/meta', keyOf(Name));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'meta.json'), JSON.stringify({ Name, Endpoints: { docker } }));
  }
  return { DOCKER_CONFIG: directory, PATH: '', HOME: directory };
}

const keyOf = (name: string): string => createHash('sha256').update(name).digest('hex');
const at = (Host: string): object => ({ Host, SkipTLSVerify: false });

describe('the engine', () => {
  const contexts = { flag: at('unix:///f.sock'), variable: at('tcp://v:1'), current: at('unix:///c.sock') };

  it.each([
    [{ context: 'flag' }, { DOCKER_HOST: LOCAL }, 'unix:///f.sock', /^context 'flag' \(--context\)$/],
    [{}, { DOCKER_HOST: LOCAL, DOCKER_CONTEXT: 'variable' }, LOCAL, /^DOCKER_HOST$/],
    [{}, { DOCKER_CONTEXT: 'variable' }, 'tcp://v:1', /^context 'variable' \(DOCKER_CONTEXT\)$/],
    [{}, {}, 'unix:///c.sock', /^context 'current' \(.*config\.json\)$/],
    [{ context: 'default' }, { DOCKER_HOST: LOCAL }, LOCAL, /^DOCKER_HOST$/],
  ])('of %j and %j is %s', async (choice, variables, place, source) => {
    const environment = { ...(await configured(contexts, 'current')), ...variables };
    const chosen = await chooseEngine({ ...choice, environment, sockets: [] });
    expect(chosen).toMatchObject({ conformer: 'bridge', place, source: expect.stringMatching(source) as string });
  });

  it('is named with how TLS checks it, and warns if nothing is checked', async () => {
    const far = 'tcp://far.example:2376';
    const environment = await configured({ unverified: { Host: far, SkipTLSVerify: true }, plain: at(far) });
    expect(await chooseEngine({ context: 'unverified', environment, sockets: [] })).toMatchObject({
      place: `${far} (TLS, not verified)`,
      warning: `The certificate of the engine of context 'unverified' (--context) is not verified (SkipTLSVerify): another machine can pose as the engine.`,
    });
    const plain = await chooseEngine({ context: 'plain', environment, sockets: [] });
    expect(plain).toMatchObject({ place: far });
    expect(plain).not.toHaveProperty('warning');
    const verified = { DOCKER_HOST: far, DOCKER_TLS_VERIFY: '1', HOME: environment.HOME, PATH: '' };
    const checked = await chooseEngine({ environment: verified, sockets: [] });
    expect(checked).toMatchObject({ place: `${far} (TLS)` });
    expect(checked).not.toHaveProperty('warning');
  });

  it('fails with the name of a context that is missing, has no address or has a password', async () => {
    const environment = await configured({ empty: {}, far: at('ssh://me:secret@far.example') });
    const failure = (context: string): Promise<unknown> =>
      chooseEngine({ context, environment, sockets: [] }).catch((error: unknown) => String(error));
    expect(await failure('gone')).toMatch(/The Docker context 'gone' \(from --context\) is not in .*docker context ls/);
    expect(await failure('empty')).toContain("The Docker context 'empty' (from --context) has no engine address.");
    expect(await failure('far')).toMatch(/'far' .*cannot be used: ssh:\/\/ addresses take no password/);
  });

  it('fails if the engine of the context does not answer, even if another engine listens', async () => {
    const environment = await configured({ away: at('tcp://127.0.0.1:1') }, 'away');
    const socket = join(environment.HOME ?? '', 'engine.sock');
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    await expect(selectBackend({ environment, sockets: [socket] })).rejects.toThrow(
      /The engine of context 'away' \(.*\), tcp:\/\/127\.0\.0\.1:1, does not respond\..*--context default/,
    );
    expect((await chooseEngine({ context: 'default', environment, sockets: [socket] })).place).toBe(`unix://${socket}`);
  });

  it.each([
    ['is not valid JSON', '{ "currentContext": "away"'],
    ['is larger than', ' '.repeat(2 ** 20 + 1)],
  ])('fails if config.json %s, even if another engine listens', async (reason, text) => {
    const DOCKER_CONFIG = await folderWith({ 'config.json': text });
    const socket = join(DOCKER_CONFIG, 'engine.sock');
    const server = createServer().listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const environment = { DOCKER_CONFIG, PATH: '' };
    const failure = await chooseEngine({ environment, sockets: [socket] }).catch((error: unknown) => String(error));
    expect(failure).toContain(`'${join(DOCKER_CONFIG, 'config.json')}' ${reason}`);
    expect(failure).toContain('DOCKER_HOST or --context');
    expect((await chooseEngine({ context: 'default', environment, sockets: [socket] })).place).toBe(`unix://${socket}`);
  });

  it('does not depend on an empty config.json, nor on the working directory if DOCKER_CONFIG is empty', async () => {
    const HOME = await folderWith({ '.docker/config.json': '\n' });
    const environment = { HOME, DOCKER_CONFIG: '', PATH: '' };
    await expect(chooseEngine({ environment, sockets: [] })).rejects.toThrow('No container engine was found');
    await writeFile(join(HOME, '.docker/config.json'), JSON.stringify({ currentContext: 'gone' }));
    await expect(chooseEngine({ environment, sockets: [] })).rejects.toThrow("The Docker context 'gone'");
  });

  it('of another backend does not depend on a context', async () => {
    const choice = { backend: 'native', context: 'any', environment: { PATH: '' } };
    await expect(chooseEngine(choice)).rejects.toThrow('--context names an engine of the bridge backend');
  });
});

await onSocket('bridge/docker', (engine, socket) => {
  const missing = missingOpenssl();

  it.skipIf(missing !== null)(
    `over TLS is reached with the certificates of its context (${missing ?? 'openssl'})`,
    async () => {
      const certificates = await createCertificates();
      onTestFinished(() => certificates.remove());
      const authority = certificates.authority('engines');
      const server = certificates.issue(authority, 'engine');
      const client = certificates.issue(authority, 'client');
      const stranger = certificates.issue(certificates.authority('strangers'), 'stranger');
      const port = await proxy(socket, { ca: authority.cert, cert: server.cert, key: server.key, requestCert: true });
      const host = `tcp://127.0.0.1:${port}`;
      const environment = await configured({
        good: at(host),
        bad: at(host),
        distrusted: at(host),
        unverified: { Host: host, SkipTLSVerify: true },
      });
      const files = {
        good: [authority.certFile, client],
        bad: [authority.certFile, stranger],
        distrusted: [stranger.certFile, client],
        unverified: [undefined, client],
      } as const;
      for (const [name, [ca, { certFile, keyFile }]] of Object.entries(files)) {
        const folder = join(environment.DOCKER_CONFIG ?? '', 'contexts/tls', keyOf(name), 'docker');
        await mkdir(folder, { recursive: true });
        if (ca !== undefined) await writeFile(join(folder, 'ca.pem'), await readFile(ca));
        await writeFile(join(folder, 'cert.pem'), await readFile(certFile));
        await writeFile(join(folder, 'key.pem'), await readFile(keyFile));
      }
      const version = async (context: string): Promise<string> =>
        (await (await selectBackend({ context, environment })).system.version()).version;
      const expected = (await engine.backend.system.version()).version;
      expect(await version('good')).toBe(expected);
      expect(await version('unverified')).toBe(expected);
      await expect(version('bad')).rejects.toMatchObject({ failure: { case: 'backendFailure' } });
      await expect(version('distrusted')).rejects.toMatchObject({ failure: { case: 'backendFailure' } });
    },
  );
});

/** Ends TLS in front of the engine's socket. */
async function proxy(socket: string, options: TlsOptions): Promise<number> {
  const server = createTlsServer(options, (outside) => {
    const inside = connect(socket);
    for (const [one, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // Not a path: it listens on a port.
}
