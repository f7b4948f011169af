import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What the server of this test does wrong, one thing at a time. */
export type Fault =
  | 'fails at a character beyond ASCII'
  | 'accepts a price of 0'
  | 'accepts unknown properties'
  | 'accepts names that are too long'
  | 'accepts nested items without a name'
  | 'accepts a limit beyond the maximum'
  | 'accepts broken JSON'
  | 'accepts another media type'
  | 'accepts requests without credentials'
  | 'accepts an undocumented method'
  | 'sends an undocumented status'
  | 'refuses with an undocumented status'
  | 'sends a body that breaks its schema'
  | 'sends no required header'
  | 'closes the connection';

/** A server that is not of this repository. `shop.yaml` is its contract, apart from `/status`. */
export function createShop(fault: Fault | null, seen: string[] = []): Server {
  return createServer((request, reply) => {
    void readBody(request).then((text) => {
      seen.push(`${request.method} ${request.url} ${text}`);
      answer(request, reply, text, fault);
    });
  });
}

function answer(request: IncomingMessage, reply: ServerResponse, text: string, fault: Fault | null): void {
  const url = new URL(request.url ?? '/', 'http://shop');
  const send = (status: number, body?: unknown, headers: Record<string, string> = {}): void => {
    reply.writeHead(status, body === undefined ? headers : { 'content-type': 'application/json', ...headers });
    reply.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const refuse = (status: number): void => {
    send(status, { error: 'refused' });
  };
  const hasKey = request.headers['x-key'] === 'secret-key' || fault === 'accepts requests without credentials';
  const id = /^\/shop\/items\/([^/]+)$/.exec(url.pathname)?.[1];
  if (url.pathname === '/shop/items' && request.method === 'GET') {
    if (!isListable(url.searchParams, request.headers['x-trace'], fault)) {
      refuse(fault === 'refuses with an undocumented status' ? 422 : 400);
    } else send(200, [], fault === 'sends no required header' ? {} : { 'x-total': '0' });
  } else if (url.pathname === '/shop/items' && request.method === 'POST') {
    const item = itemIn(request, text, fault);
    if (!hasKey) refuse(401);
    else if (item === null) refuse(422);
    else if (fault === 'fails at a character beyond ASCII' && /[^\0-~]/.test(String(Reflect.get(item, 'name'))))
      refuse(500);
    else send(201, stored(item));
  } else if (
    url.pathname === '/shop/items' &&
    request.method === 'PATCH' &&
    fault === 'accepts an undocumented method'
  ) {
    send(200, {});
  } else if (url.pathname === '/shop/items') send(405, undefined, { allow: 'GET, POST' });
  else if (id === undefined) refuse(404);
  else if (request.method === 'GET') {
    if (!/^[1-9]$/.test(id)) refuse(404);
    else if (id === '7' && fault === 'closes the connection') reply.destroy();
    else if (fault === 'sends an undocumented status') send(206, {});
    else send(200, { id: Number(id), name: fault === 'sends a body that breaks its schema' ? '' : 'Chair', price: 1 });
  } else if (request.method === 'DELETE') {
    if (!hasKey) refuse(401);
    else if (!/^[1-9]$/.test(id)) refuse(404);
    else send(204);
  } else send(405, undefined, { allow: 'GET, DELETE' });
}

/** An item with an id, and so those in it. */
function stored(item: object): object {
  const like: unknown = Reflect.get(item, 'like');
  return { ...item, id: 7, ...(typeof like === 'object' && like !== null ? { like: stored(like) } : {}) };
}

function isListable(query: URLSearchParams, trace: string | string[] | undefined, fault: Fault | null): boolean {
  const limit = query.get('limit') ?? '1';
  const most = fault === 'accepts a limit beyond the maximum' ? 101 : 100;
  const colours = query.get('colours');
  return (
    /^\d{1,3}$/.test(limit) &&
    Number(limit) >= 1 &&
    Number(limit) <= most &&
    (colours === null || colours === '' || colours.split(',').every((each) => ['red', 'blue'].includes(each))) &&
    (trace === undefined || /^[a-f0-9]{8}$/.test(String(trace)))
  );
}

function itemIn(request: IncomingMessage, text: string, fault: Fault | null): object | null {
  if (request.headers['content-type'] !== 'application/json' && fault !== 'accepts another media type') return null;
  try {
    const item: unknown = JSON.parse(text);
    return isItem(item, fault) ? item : null;
  } catch {
    return fault === 'accepts broken JSON' ? { name: 'Chair', price: 1 } : null;
  }
}

function isItem(value: unknown, fault: Fault | null, depth = 0): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { id, name, price, code, added, secret, parts, like, ...others }: Record<string, unknown> = { ...value };
  const longest = fault === 'accepts names that are too long' ? 41 : 40;
  const mayBeNameless = fault === 'accepts nested items without a name' && depth > 0 && name === undefined;
  const isNamed = typeof name === 'string' && name !== '' && Array.from(name).length <= longest;
  const lowest = fault === 'accepts a price of 0' ? -1e-300 : 0;
  return (
    (id === undefined || Number.isInteger(id)) &&
    (isNamed || mayBeNameless) &&
    typeof price === 'number' &&
    price > lowest &&
    (code === undefined || (typeof code === 'string' && /^[A-Z]{2}-\d{3}$/.test(code))) &&
    (added === undefined || (typeof added === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(added))) &&
    (secret === undefined || typeof secret === 'string') &&
    (parts === undefined || isParts(parts)) &&
    (like === undefined || like === null || isItem(like, fault, depth + 1)) &&
    (Object.keys(others).length === 0 || fault === 'accepts unknown properties')
  );
}

function isParts(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= 3 &&
    value.every((each) => typeof each === 'string') &&
    new Set(value).size === value.length
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
