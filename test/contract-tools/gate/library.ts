import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';

/** What the server of this test does wrong, one thing at a time. */
export type Fault =
  | 'undocumented status'
  | 'undocumented operation'
  | 'undocumented property'
  | 'undocumented media type'
  | 'undocumented body'
  | 'wrong type'
  | 'null where not nullable'
  | 'below an exclusive minimum'
  | 'missing property'
  | 'missing header'
  | 'wrong header'
  | 'broken JSON'
  | 'reply that is never sent';

/** A server that is not of this repository. `library.yaml` is its contract. */
export function createLibrary(fault: Fault | null): Server {
  return createServer(libraryListener(fault));
}

/** The same without a port. */
export function libraryListener(fault: Fault | null): RequestListener {
  const book: Record<string, unknown> = { id: 7, title: 'Emma', subtitle: null, price: 1 };
  if (fault === 'undocumented property') book['secret'] = true;
  if (fault === 'wrong type') book['title'] = 7;
  if (fault === 'null where not nullable') book['title'] = null;
  if (fault === 'below an exclusive minimum') book['price'] = 0;
  if (fault === 'missing property') delete book['id'];
  return (request, reply) => {
    const [path = ''] = (request.url ?? '').split('?');
    const json = (status: number, body: unknown): void => {
      const type = fault === 'undocumented media type' ? 'application/vnd.book+json' : 'application/json';
      const text = fault === 'broken JSON' ? '{' : JSON.stringify(body);
      reply.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' }).end(gzipSync(text));
    };
    if (fault !== 'missing header') reply.setHeader('X-Total', fault === 'wrong header' ? 'many' : '1');
    if (request.method === 'HEAD') reply.writeHead(405).end();
    else if (path === '/v2/books' && request.method === 'GET')
      json(fault === 'undocumented status' ? 206 : 200, [book]);
    else if (path === '/v2/books' && request.method === 'POST') {
      request.resume().on('end', () => {
        json(
          fault === 'reply that is never sent' ? 422 : 201,
          fault === 'reply that is never sent' ? { error: 'x' } : book,
        );
      });
    } else if (path === '/v2/books/7' && request.method === 'DELETE') {
      if (fault === 'undocumented body') reply.writeHead(200, { 'content-type': 'text/plain' }).end('gone');
      else reply.writeHead(204).end();
    } else if (path === '/v2/cover.png')
      reply.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 80]));
    else if (path === '/v2/debug' && fault === 'undocumented operation') json(200, {});
    else json(404, { error: 'There is nothing here.' });
  };
}

/** Requests that show everything documented. */
export const requests = `
const url = process.env.GATE_URL;
const secrets = { authorization: 'Bearer hidden-token', cookie: 'session=hidden-cookie' };
for (const [method, path] of [
  ['GET', '/v2/books?key=hidden-key'], ['POST', '/v2/books'], ['DELETE', '/v2/books/7'], ['GET', '/v2/books/8'],
  ['GET', '/v2/cover.png'], ['GET', '/v2/debug'], ['HEAD', '/v2/books'], ['POST', '/v2/books?again=1'],
]) {
  const reply = await fetch(url + path, { method, headers: secrets, body: method === 'POST' ? '{}' : undefined });
  await reply.arrayBuffer();
}
`;
