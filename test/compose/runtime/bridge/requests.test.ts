import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createRawServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { EngineAddress } from '../../../../src/compose/runtime/bridge/address.js';
import {
  EngineReplyError,
  imageSegment,
  jsonOf,
  segment,
  sender,
  type EngineRequest,
} from '../../../../src/compose/runtime/bridge/requests.js';

describe('requests to an engine', () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** A client of a server that listens on a socket. */
  async function connected(listener: RequestListener): Promise<(request: EngineRequest) => Promise<unknown>> {
    const folder = await mkdtemp(path.join(tmpdir(), 'plumbline-requests-'));
    const server = createServer(listener);
    const socket = path.join(folder, 'engine.sock');
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    ends.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    });
    const send = sender({ kind: 'socket', path: socket });
    return async (request) => jsonOf(await send(request));
  }

  it('reject when they are aborted while the reply arrives', async () => {
    const abort = new AbortController();
    const send = await connected((_request, reply) => {
      reply.write('{"a":', () => {
        setTimeout(() => {
          abort.abort();
        }, 50);
      });
    });
    await expect(send({ method: 'GET', path: '/', signal: abort.signal })).rejects.toThrow('aborted');
  });

  it('reuse a connection, one after another', async () => {
    const connections = new Set<IncomingMessage['socket']>();
    const send = await connected((request, reply) => {
      connections.add(request.socket);
      reply.end('{}');
    });
    for (const path of ['/one', '/two', '/three']) await send({ method: 'GET', path });
    expect(connections.size).toBe(1);
  });

  it('repeat a read if the engine closed an idle connection', async () => {
    const connections = new Set<IncomingMessage['socket']>();
    const send = await connected((request, reply) => {
      const isSecond = connections.size === 1 && connections.has(request.socket);
      connections.add(request.socket);
      if (isSecond && request.url === '/two') request.socket.destroy();
      else reply.end(JSON.stringify({ url: request.url }));
    });
    await send({ method: 'GET', path: '/one' });
    expect(await send({ method: 'GET', path: '/two' })).toStrictEqual({ url: '/two' });
    expect(connections.size).toBe(2);
  });

  it('do not repeat a change whose reply is lost', async () => {
    const seen: (string | undefined)[] = [];
    const send = await connected((request, reply) => {
      seen.push(request.url);
      if (request.method === 'POST') request.socket.destroy();
      else reply.end('{}');
    });
    await send({ method: 'GET', path: '/one' });
    await expect(send({ method: 'POST', path: '/two' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(seen).toStrictEqual(['/one', '/two']);
  });

  it('encode names, repeat lists, and omit undefined values', async () => {
    const send = await connected((request, reply) => reply.end(JSON.stringify({ url: request.url })));
    const query = { t: ['a:1', 'b&c'], force: true, tag: undefined };
    expect(await send({ method: 'GET', path: `/containers/${segment('a/../b?x')}/json`, query })).toStrictEqual({
      url: '/containers/a%2F..%2Fb%3Fx/json?t=a%3A1&t=b%26c&force=true',
    });
    expect(imageSegment('localhost:5000/a b/c:1@sha256:0?')).toBe('localhost:5000/a%20b/c:1@sha256:0%3F');
  });

  it('fail with the status and the message of the reply', async () => {
    const send = await connected((_request, reply) => {
      reply.writeHead(409).end('{"message":"it is running"}');
    });
    const failure = await send({ method: 'DELETE', path: '/containers/a' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineReplyError);
    expect(failure).toMatchObject({ statusCode: 409, json: { message: 'it is running' } });
  });

  it('end when aborted, also while the reply is read', async () => {
    const stop = new AbortController();
    const send = await connected((_request, reply) => {
      reply.write('[');
      stop.abort();
    });
    await expect(send({ method: 'GET', path: '/events', signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('fail when the engine upgrades the connection without being asked, and leave no connection behind', async () => {
    const closed: Promise<unknown>[] = [];
    const address = await rawEngine((socket) => {
      closed.push(once(socket, 'close'));
      socket.write(upgrade);
    });
    await expect(sender(address)({ method: 'GET', path: '/_ping' })).rejects.toThrow('without being asked');
    await Promise.all(closed);
  });

  it('outlive the reset of an upgraded connection that nobody reads', async () => {
    const sockets: Socket[] = [];
    const address = await rawEngine((socket) => {
      sockets.push(socket);
      socket.write(upgrade);
    });
    const stream = await sender(address)({ method: 'POST', path: '/attach', upgrade: true });
    const ended = new Promise((resolve) => stream.once('close', resolve));
    sockets[0]?.resetAndDestroy();
    await ended;
    expect(stream.errored).toMatchObject({ code: 'ECONNRESET' });
  });

  const upgrade = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';

  /** An engine that answers the first bytes of each connection. */
  async function rawEngine(answer: (socket: Socket) => void): Promise<EngineAddress> {
    const server = createRawServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(async () => {
      await new Promise((resolve) => server.close(resolve));
    });
    return { kind: 'tcp', host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  }
});
