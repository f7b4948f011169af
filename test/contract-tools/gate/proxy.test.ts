import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createRecordingProxy } from '../../../src/contract-tools/gate/proxy.js';
import { sendRaw } from '../../support/raw-send.js';

const servers: (Server | HttpServer)[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((closed) => server.close(closed))));
});

async function urlOf(server: Server | HttpServer): Promise<string> {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy before `target`, and what it has reported. */
async function proxyOf(target: string): Promise<{ url: string; reported: string[] }> {
  const reported: string[] = [];
  const proxy = createRecordingProxy(new URL(target), {
    exchange: ({ method, url, status }) => reported.push(`${method} ${url} ${status}`),
    problem: (message) => reported.push(message),
  });
  return { url: await urlOf(proxy), reported };
}

/** A server that writes these bytes for each request. */
function targetThatAnswers(reply: string): Promise<string> {
  return urlOf(
    createServer((socket) => {
      socket.on('error', () => undefined); // the proxy closes connections with invalid replies
      socket.once('data', () => socket.end(reply));
    }),
  );
}

describe('the recording proxy', () => {
  const inner = 'GET /smuggled HTTP/1.1\r\nHost: target\r\n\r\n';
  const framings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'in chunks': { 'transfer-encoding': 'chunked' },
    'with a length that Connection names': { 'content-length': String(inner.length), connection: 'content-length' },
  };
  const requests = ['GET', 'DELETE', 'OPTIONS', 'POST'].flatMap((method) =>
    Object.entries(framings).map(([framing, headers]) => ({ method, framing, headers })),
  );

  it.each(requests)('passes on a body of $method $framing as a body', async ({ method, headers }) => {
    const seen: string[] = [];
    const target = createHttpServer((request, response) => {
      void text(request).then((body) => {
        seen.push(`${request.method ?? ''} ${request.url ?? ''} ${body}`);
        response.end('{}');
      });
    });
    const { url } = await proxyOf(await urlOf(target));
    expect((await sendRaw(`${url}/one`, { method, headers, body: inner })).status).toBe(200);
    expect(seen).toEqual([`${method} /one ${inner}`]);
  });

  const invalid: Readonly<Record<string, string>> = {
    'a status below 100': 'HTTP/1.1 000 Nothing\r\nContent-Length: 0\r\n\r\n',
    'a control character in the reason': 'HTTP/1.1 200 a\x01b\r\nContent-Length: 0\r\n\r\n',
    'an upgrade that was not requested': 'HTTP/1.1 101 Other\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
  };

  it.each(Object.entries(invalid))('answers 502 to %s, and serves the next request', async (_name, reply) => {
    const { url, reported } = await proxyOf(await targetThatAnswers(reply));
    for (const path of ['/one', '/two']) expect((await sendRaw(`${url}${path}`, {})).status).toBe(502);
    expect(reported).toHaveLength(2);
    expect(reported[0]).toContain('did not answer GET /one');
  });
});
