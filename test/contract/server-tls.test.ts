import { once } from 'node:events';
import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listen, type RunningServer, type TlsMaterial } from '../../src/contract/server.js';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../support/certificates.js';

const missing = missingOpenssl();
/** The beginning of a ClientHello: a record of 512 bytes, of which these are the first. */
const helloBegins = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]);

describe.skipIf(missing !== null)(`a server over TLS${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let ours: Certificate;
  let theirs: Certificate;
  let own: Certificate;
  const running: RunningServer[] = [];
  beforeAll(async () => {
    certificates = await createCertificates();
    ours = certificates.authority('Ours');
    theirs = certificates.authority('Theirs');
    own = certificates.issue(ours, 'server');
  });
  afterAll(() => certificates.remove());
  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop(0);
  });

  async function start(tls: Partial<TlsMaterial> = {}): Promise<RunningServer> {
    const server = await listen(
      (message, response) => {
        const { socket } = message;
        response.end(socket instanceof TLSSocket ? (socket.getPeerX509Certificate()?.subject ?? 'nobody') : 'plain');
      },
      { host: '127.0.0.1', port: 0 },
      { cert: own.cert, key: own.key, ...tls },
    );
    running.push(server);
    return server;
  }

  async function get(server: RunningServer, options: RequestOptions = {}): Promise<string> {
    const sent = request(server.url, { ca: ours.cert, agent: false, ...options }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return text(response);
  }

  const certificateOf = ({ cert, key }: Certificate): RequestOptions => ({ cert, key });
  const portOf = ({ server }: RunningServer): number => (server.address() as AddressInfo).port;

  test('is verified by a client that trusts its authority', async () => {
    const server = await start();
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(server)).toBe('nobody');
  });

  test('accepts a certificate of the authority, and knows its owner', async () => {
    const server = await start({ clientCa: ours.cert });
    expect(await get(server, certificateOf(certificates.issue(ours, 'robin')))).toBe('CN=robin');
  });

  test('ends the handshake with a client that presents no certificate', async () => {
    const server = await start({ clientCa: ours.cert });
    await expect(get(server)).rejects.toMatchObject({ code: expect.stringMatching(/CERTIFICATE_REQUIRED|ECONNRESET/) });
  });

  test('ends the handshake with a client whose certificate another authority issued', async () => {
    const server = await start({ clientCa: ours.cert });
    const foreign = certificates.issue(theirs, 'mallory');
    await expect(get(server, certificateOf(foreign))).rejects.toMatchObject({
      code: expect.stringMatching(/UNKNOWN_CA|ECONNRESET|EPIPE/),
    });
  });

  test('ends the handshake with a client whose certificate merely names the authority', async () => {
    const server = await start({ clientCa: ours.cert });
    const impostor = certificates.issue(certificates.authority('Ours'), 'robin');
    await expect(get(server, certificateOf(impostor))).rejects.toThrow();
  });

  test.each(['TLSv1', 'TLSv1.1'] as const)('does not speak %s', async (version) => {
    const server = await start();
    const options = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(get(server, options)).rejects.toThrow(/protocol/i);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('requests the certificate over %s, too', async (version) => {
    const server = await start({ clientCa: ours.cert });
    const only = { minVersion: version, maxVersion: version };
    await expect(get(server, only)).rejects.toThrow();
    expect(await get(server, { ...only, ...certificateOf(certificates.issue(ours, 'robin')) })).toBe('CN=robin');
  });

  test('survives data that are not TLS, and sends no plain text', async () => {
    const server = await start({ clientCa: ours.cert });
    const socket = connectPlain(portOf(server), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(socket).catch(() => '')).not.toContain('HTTP/1.1');
    expect(await get(server, certificateOf(certificates.issue(ours, 'robin')))).toBe('CN=robin');
  });

  test('answers data that are not HTTP inside TLS with 400', async () => {
    const socket = connect({ port: portOf(await start()), host: '127.0.0.1', ca: ours.cert });
    await once(socket, 'secureConnect');
    socket.write('HELLO\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('serves others while hundreds of clients stall in the handshake', async () => {
    const server = await start({ clientCa: ours.cert });
    const sockets = Array.from({ length: 300 }, (_, index) => {
      const socket = connectPlain(portOf(server), '127.0.0.1');
      socket.on('error', () => undefined); // reset when the server stops
      socket.write(helloBegins.subarray(0, index % (helloBegins.length + 1)));
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const robin = certificateOf(certificates.issue(ours, 'robin'));
    for (let count = 0; count < 5; count += 1) expect(await get(server, robin)).toBe('CN=robin');
    const closed = sockets.map((socket) => once(socket, 'close'));
    await running.pop()?.stop(1);
    await Promise.all(closed);
  });

  test('disconnects a client that renegotiates again and again', async () => {
    const server = await start();
    const socket = connect({ port: portOf(server), host: '127.0.0.1', ca: ours.cert, maxVersion: 'TLSv1.2' });
    socket.on('error', () => undefined); // that is how it ends
    await once(socket, 'secureConnect');
    const closed = once(socket, 'close').then(() => false);
    const renegotiated = (): Promise<boolean> =>
      new Promise((resolve) => {
        const began = socket.renegotiate({}, (error) => {
          resolve(error === null);
        });
        if (began === false) resolve(false);
      });
    let count = 0;
    while (count < 50 && (await Promise.race([closed, renegotiated()]))) count += 1;
    expect(count).toBeLessThan(10);
    await closed;
    expect(await get(server)).toBe('nobody');
  });

  test('stops while a client has connected and sent nothing', async () => {
    const server = await start();
    const socket = connectPlain(portOf(server), '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.on('error', () => undefined);
    await running.pop()?.stop(1);
    await closed;
  });
});
