import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAddress } from '../../sdk/src/compose/address.js';
import { nodeTransport, type TlsCredentials } from '../../sdk/src/compose/node.js';
import type { FetchInit } from '../../sdk/src/transport.js';
import { listen, type RunningServer } from '../../src/contract/server.js';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../support/certificates.js';

let folder: string;
let path: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-transport-'));
  path = join(folder, 'api.sock');
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

async function serve(answer: RequestListener, where: string | 0 = path): Promise<Server> {
  const server = createServer(answer);
  servers.push(server);
  await once(where === 0 ? server.listen(0, '127.0.0.1') : server.listen(where), 'listening');
  return server;
}

const init = (more: Partial<FetchInit> = {}): FetchInit => ({
  method: 'GET',
  headers: {},
  signal: new AbortController().signal,
  redirect: 'manual',
  ...more,
});
const overSocket = (): ReturnType<ReturnType<typeof nodeTransport>> => nodeTransport()(parseAddress(`unix://${path}`));

describe('the transport for Node', () => {
  it('sends method, path, query, headers and body over a Unix socket, and returns the reply', async () => {
    await serve((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        response.writeHead(201, {
          'X-Sent': `${request.method ?? ''} ${request.url ?? ''}`,
          'X-Host': request.headers.host,
        });
        response.end(`${String(request.headers['x-given'])}: ${body}`);
      });
    });
    const sent = init({ method: 'POST', headers: { 'x-given': 'yes' }, body: 'häy' });
    const response = await overSocket()('http://localhost/a%20b?c=d', sent);
    expect([response.status, response.headers.get('x-sent'), response.headers.get('x-host')]).toEqual([
      201,
      'POST /a%20b?c=d',
      'localhost',
    ]);
    expect(await response.text()).toBe('yes: häy');
  });

  it('connects to TCP ports, by IPv4 address and by name', async () => {
    const server = await serve((_, response) => response.end('tcp'), 0);
    const { port } = server.address() as AddressInfo;
    const send = nodeTransport()(parseAddress(`tcp://127.0.0.1:${port}`));
    expect(await (await send(`http://127.0.0.1:${port}/`, init())).text()).toBe('tcp');
  });

  it('reuses a connection', async () => {
    const sockets = new Set<Socket>();
    await serve((request, response) => {
      sockets.add(request.socket);
      response.end('ok');
    });
    const send = overSocket();
    for (let call = 0; call < 5; call++) await (await send('http://localhost/', init())).text();
    expect(sockets.size).toBe(1);
  });

  it('returns a reply without content', async () => {
    await serve((_, response) => response.writeHead(204).end());
    const response = await overSocket()('http://localhost/', init({ method: 'DELETE' }));
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it('yields a stream as it arrives', async () => {
    let reply: ServerResponse | undefined;
    await serve((_, response) => {
      reply = response;
      response.write('one');
    });
    const response = await overSocket()('http://localhost/', init());
    const reader = response.body?.getReader();
    const text = async (): Promise<string> => Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(await text()).toBe('one');
    reply?.write('two');
    expect(await text()).toBe('two');
    reply?.end();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it('applies backpressure while the body is not read', async () => {
    const chunk = Buffer.alloc(65_536);
    let written = 0;
    let full = (): void => undefined;
    const isFull = new Promise<void>((resolve) => (full = resolve));
    await serve((_, response) => {
      // Until the kernel's buffers and those of both ends are full: without back-pressure it would never be.
      const fill = (): void => {
        while (written++ < 4096) {
          if (!response.write(chunk)) return void setImmediate(full);
        }
        response.end();
      };
      response.on('drain', fill);
      fill();
    });
    const response = await overSocket()('http://localhost/', init());
    await isFull;
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(written).toBeLessThan(256);
    let bytes = 0;
    const reader = response.body?.getReader();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
      bytes += Buffer.byteLength(next.value);
    expect(bytes).toBe(4096 * 65_536);
  });

  it('closes the connection of a stream that is no longer read', async () => {
    const closed = new Promise<void>((resolve) => {
      void serve((_, response) => {
        response.on('close', resolve);
        response.write('one');
      }).then(async () => {
        const response = await overSocket()('http://localhost/', init());
        const reader = response.body?.getReader();
        await reader?.read();
        await reader?.cancel();
      });
    });
    await closed;
  });

  it('aborts a request, a stream that is read and one that is not, with the reason of the signal', async () => {
    const reason = new Error('enough');
    await serve((request, response) => {
      if (request.url === '/stream') response.write('one');
    });
    const early = AbortSignal.abort(reason);
    await expect(overSocket()('http://localhost/', init({ signal: early }))).rejects.toBe(reason);

    const waiting = new AbortController();
    const silent = overSocket()('http://localhost/', init({ signal: waiting.signal }));
    setImmediate(() => {
      waiting.abort(reason);
    });
    await expect(silent).rejects.toBe(reason);

    for (const isRead of [true, false]) {
      const streaming = new AbortController();
      const response = await overSocket()('http://localhost/stream', init({ signal: streaming.signal }));
      const reader = response.body?.getReader();
      if (isRead) await reader?.read();
      streaming.abort(reason);
      await new Promise(setImmediate);
      await expect(reader?.read().then(() => reader.read())).rejects.toThrow();
    }
  });

  it('reports no error of a connection that has completed its reply when the signal fires afterwards', async () => {
    const ended: Promise<unknown>[] = [];
    await serve((_request, response) => {
      ended.push(once(response, 'finish'));
      response.end('one');
    });
    const fetch = overSocket();
    for (let round = 0; round < 50; round++) {
      const leaving = new AbortController();
      const response = await fetch('http://localhost/', init({ signal: leaving.signal }));
      const reader = response.body?.getReader();
      await reader?.read();
      await ended.at(-1);
      const rest = reader?.read();
      for (let turn = 0; turn < round % 5; turn++) await Promise.resolve();
      leaving.abort(new Error('enough'));
      await rest?.catch(() => undefined);
      // An error without a listener would be an uncaught exception, which fails the test run.
      await new Promise(setImmediate);
    }
  });

  it('fails when the connection breaks before or during the reply', async () => {
    await serve((request, response) => {
      if (request.url === '/amid') response.write('one', () => response.destroy());
      else request.socket.destroy();
    });
    await expect(overSocket()('http://localhost/before', init())).rejects.toMatchObject({ code: 'ECONNRESET' });
    const response = await overSocket()('http://localhost/amid', init());
    await expect(response.text()).rejects.toThrow();
  });

  it('fails when no server listens', async () => {
    await expect(overSocket()('http://localhost/', init())).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

const missing = missingOpenssl();
describe.skipIf(missing !== null)(`the transport over TLS${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let authority: Certificate;
  let robin: Certificate;
  let server: RunningServer;
  beforeAll(async () => {
    certificates = await createCertificates();
    authority = certificates.authority('Ours');
    robin = certificates.issue(authority, 'robin');
    const { cert, key } = certificates.issue(authority, 'server');
    server = await listen(
      ({ socket }, response) => {
        response.end(socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.subject : 'plain');
      },
      { host: '127.0.0.1', port: 0 },
      { cert, key, clientCa: authority.cert },
    );
  });
  afterAll(async () => {
    await server.stop(0);
    await certificates.remove();
  });

  async function call(tls: TlsCredentials): Promise<string> {
    const send = nodeTransport(tls)(parseAddress(server.url.replace('https:', 'tls:')));
    return (await send(`${server.url}/`, init())).text();
  }

  it('presents the certificate of the client, and verifies that of the server', async () => {
    expect(await call({ ca: authority.cert, cert: robin.cert, key: Buffer.from(robin.key) })).toBe('CN=robin');
  });

  it('refuses a server of an authority that it does not trust', async () => {
    const tls = { ca: certificates.authority('Theirs').cert, cert: robin.cert, key: robin.key };
    await expect(call(tls)).rejects.toThrow(/certificate/);
    await expect(call({ cert: robin.cert, key: robin.key })).rejects.toThrow(/certificate/);
  });

  it('refuses a server of another name', async () => {
    const tls = { ca: authority.cert, cert: robin.cert, key: robin.key, servername: 'compose.example.com' };
    await expect(call(tls)).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });
});
