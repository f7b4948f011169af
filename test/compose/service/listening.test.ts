import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { addClient, removeClient } from '../../../src/compose/service/auth-store-edits.js';
import { parseListenAddress } from '../../../src/compose/service/listen-address.js';
import { prepareListening, type ListenOptions } from '../../../src/compose/service/listening.js';
import type { RunningServer } from '../../../src/contract/server.js';
import { captureLog } from '../../support/captured-log.js';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../../support/certificates.js';

const address = (text: string): ListenOptions['address'] => parseListenAddress(text, '/home/robin');
const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop(0);
});

/** Serves who calls: a client's name, `anyone` where clients have none, or 403. */
async function serve(options: ListenOptions, log = captureLog().log): Promise<RunningServer> {
  const listening = await prepareListening(options, log);
  const server = await listening.listen(async ({ socket }, response) => {
    const caller = await listening.callerOf(socket);
    response.writeHead(caller === null ? 403 : 200).end(caller?.name ?? 'anyone');
  });
  running.push(server);
  return server;
}

describe('listening without TLS', () => {
  it.each(['tcp://127.0.0.1:0', 'tcp://localhost:0'])('on %s reports its port', async (text) => {
    const { url } = await serve({ address: address(text) });
    expect(url).toMatch(/^tcp:\/\/[^:]+:[1-9]\d*$/);
    expect(await (await fetch(url.replace('tcp:', 'http:'))).text()).toBe('anyone');
  });

  it.each(['tcp://0.0.0.0:0', 'tcp://[::]:0', 'tcp://192.0.2.1:0', 'tcp://compose.example.com:0'])(
    'on %s, which other machines can reach, needs --insecure',
    async (text) => {
      await expect(serve({ address: address(text) })).rejects.toMatchObject({
        name: 'ListenOptionsError',
        message: expect.stringContaining('--insecure'),
      });
    },
  );

  it('beyond this machine with --insecure is allowed, and warned of', async () => {
    const { log, lines } = captureLog();
    await prepareListening({ address: address('tcp://0.0.0.0:0'), insecure: true }, log);
    expect(lines.join()).toContain('everyone who reaches this address controls the containers');
  });

  it.each(['unix:///run/x.sock', 'tcp://127.0.0.1:0'])('on %s accepts no certificates', async (text) => {
    const options = { address: address(text), cert: 'c', key: 'k', clientCa: 'ca', authStore: 's' };
    await expect(serve(options)).rejects.toThrow('--cert, --key, --client-ca, --auth-store: only a tls:// address');
  });

  it('on a port in use fails with a readable message', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(serve({ address: address(`tcp://127.0.0.1:${port}`) })).rejects.toMatchObject({
      name: 'ListenError',
      message: `Cannot listen on tcp://127.0.0.1:${port}: another program has this port; stop it or choose another (EADDRINUSE).`,
    });
    other.close();
  });

  it('in a missing folder fails with a readable message', async () => {
    await expect(serve({ address: address('unix:///nowhere/at/all.sock') })).rejects.toMatchObject({
      name: 'ListenError',
      message: expect.stringContaining('the directory does not exist'),
    });
  });
});

const missing = missingOpenssl();
describe.skipIf(missing !== null)(`mutual TLS${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let authority: Certificate;
  let own: Certificate;
  let robin: Certificate;
  let stranger: Certificate;
  let authStore: string;
  beforeAll(async () => {
    certificates = await createCertificates();
    authority = certificates.authority('Ours');
    own = certificates.issue(authority, 'server');
    robin = certificates.issue(authority, 'robin');
    stranger = certificates.issue(authority, 'stranger');
    authStore = join(certificates.folder, 'clients.json');
  });
  afterAll(() => certificates.remove());

  const allow = (name: string, { cert }: Certificate): Promise<unknown> =>
    addClient(authStore, { name, certificate: Buffer.from(cert) }, systemClock);
  const fresh = (): Promise<void> => writeFile(authStore, '[]', { mode: 0o600 });

  function options(more: Partial<ListenOptions> = {}): ListenOptions {
    const { certFile: cert, keyFile: key } = own;
    return { address: address('tls://127.0.0.1:0'), cert, key, clientCa: authority.certFile, authStore, ...more };
  }

  async function call({ url }: RunningServer, client?: Certificate, agent: Agent | false = false): Promise<string> {
    const credentials: RequestOptions = client === undefined ? {} : { cert: client.cert, key: client.key };
    const sent = request(url.replace('tls:', 'https:'), { ca: authority.cert, agent, ...credentials }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return `${String(response.statusCode)} ${await text(response)}`;
  }

  it('accepts a client of the store, and knows its name', async () => {
    await fresh();
    await allow('Robin', robin);
    const server = await serve(options());
    expect(server.url).toMatch(/^tls:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(await call(server, robin)).toBe('200 Robin');
  });

  it('ends the handshake without a certificate, and with one of another authority that is in the store', async () => {
    await fresh();
    const foreign = certificates.issue(certificates.authority('Theirs'), 'mallory');
    await allow('mallory', foreign);
    const server = await serve(options());
    await expect(call(server)).rejects.toThrow();
    await expect(call(server, foreign)).rejects.toThrow();
  });

  it('refuses a certificate of the authority that is not in the store', async () => {
    await fresh();
    await allow('Robin', robin);
    expect(await call(await serve(options()), stranger)).toBe('403 anyone');
  });

  it('accepts every certificate of the authority without a store', async () => {
    const server = await serve(options({ authStore: undefined }));
    expect(await call(server, stranger)).toBe('200 anyone');
    await expect(call(server)).rejects.toThrow();
  });

  it('requests no certificate without an authority', async () => {
    expect(await call(await serve(options({ authStore: undefined, clientCa: undefined })))).toBe('200 anyone');
  });

  it('follows changes of the store, also for open connections', async () => {
    await fresh();
    const server = await serve(options());
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await call(server, robin, agent)).toBe('403 anyone');
    await allow('Robin', robin);
    expect(await call(server, robin, agent)).toBe('200 Robin');
    await removeClient(authStore, 'Robin', systemClock);
    expect(await call(server, robin, agent)).toBe('403 anyone');
    agent.destroy();
  });

  it('identifies the client of a resumed session', async () => {
    await fresh();
    await allow('Robin', robin);
    const server = await serve(options());
    // Without keep-alive each request is a connection; the agent resumes the session of the one before.
    const agent = new Agent({ keepAlive: false });
    expect(await call(server, robin, agent)).toBe('200 Robin');
    const sent = request(server.url.replace('tls:', 'https:'), {
      ca: authority.cert,
      agent,
      cert: robin.cert,
      key: robin.key,
    });
    const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
    expect(response.socket instanceof TLSSocket && response.socket.isSessionReused()).toBe(true);
    expect(await text(response)).toBe('Robin');
  });

  it.each([
    ['two clients of one name', '[R, R]', 'duplicateName'],
    ['no JSON', '[R', 'malformedFile'],
  ])('does not start with a store with %s', async (_, content, failureCase) => {
    const entry = { name: 'Robin', fingerprint256: 'AA'.repeat(32), created_at: '2026-01-31T10:00:00Z' };
    await writeFile(authStore, content.replaceAll('R', JSON.stringify(entry)), { mode: 0o600 });
    await expect(prepareListening(options(), captureLog().log)).rejects.toMatchObject({
      error: 'AuthStoreError',
      case: failureCase,
    });
  });

  it('does not start with a store that others can read', async () => {
    const open = join(certificates.folder, 'open.json');
    await writeFile(open, '[]', { mode: 0o644 });
    await expect(prepareListening(options({ authStore: open }), captureLog().log)).rejects.toMatchObject({
      case: 'loosePermissions',
    });
  });

  it.each([
    ['without a key', { key: undefined }, /needs --cert and --key/],
    ['without a certificate', { cert: undefined }, /needs --cert and --key/],
    ['with a store and no authority', { clientCa: undefined }, /--auth-store needs --client-ca/],
    ['with a certificate that is not there', { cert: '/nowhere.pem' }, /--cert: '\/nowhere\.pem' does not exist/],
  ])('does not start %s', async (_, change, message) => {
    await fresh();
    await expect(prepareListening(options(change), captureLog().log)).rejects.toMatchObject({
      name: 'ListenOptionsError',
      message: expect.stringMatching(message),
    });
  });

  it('does not start with the key of another certificate, or an invalid authority', async () => {
    await fresh();
    const log = captureLog().log;
    await expect(prepareListening(options({ key: robin.keyFile }), log)).rejects.toThrow(/key values mismatch/);
    await expect(prepareListening(options({ clientCa: authStore }), log)).rejects.toThrow(
      /--client-ca: .* is not a PEM file/,
    );
  });
});
