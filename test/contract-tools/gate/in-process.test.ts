import Fastify from 'fastify';
import Koa from 'koa';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openGate, type Gate, type Listener } from '../../../src/contract-tools/gate/in-process.js';
import { runGate } from '../../../src/contract-tools/gate/run-gate.js';
import { closeServer, listen } from '../../../src/contract-tools/listen.js';
import { libraryListener, type Fault } from './library.js';

const contract = 'test/contract-tools/gate/library.yaml';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'in-process-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a server that shows exactly what is documented passes', async () => {
  const exceptions = join(folder, 'exceptions.yaml');
  writeFileSync(
    exceptions,
    '- { unit: api > POST /books > 4XX > application/json, reason: The server accepts all. }\n',
  );
  const gate = await openGate(contract, { exceptions });
  expect(gate.report().failures).toContain(missing('listBooks > 200 > application/json'));
  await useLibrary(gate, null);
  const { passed, failures, text } = gate.report();
  expect(failures).toEqual([]);
  expect(passed).toBe(true);
  expect(text).toContain('The contract gate is green.');
});

const faults: [Fault, string][] = [
  ['undocumented status', 'has no status 206'],
  ['undocumented operation', 'no status 200'],
  ['undocumented property', 'must NOT have additional properties'],
  ['undocumented media type', 'application/vnd.book+json is not documented'],
  ['undocumented body', 'has no status 200'],
  ['missing property', "must have required property 'id'"],
  ['missing header', 'the header X-Total is missing'],
  ['wrong header', 'the header X-Total is not as documented: must be integer'],
  ['broken JSON', 'the body is not JSON'],
];

test.each(faults)('reports, without a change of the reply: %s', async (fault, message) => {
  const gate = await openGate(contract);
  const replies = await useLibrary(gate, fault);
  expect(gate.report().failures.filter((each) => each.startsWith('not as documented'))).toEqual(
    expect.arrayContaining([expect.stringContaining(message)]),
  );
  expect(replies).toEqual(await useLibrary(null, fault));
});

test('a middleware of Koa observes text, streams and objects as they are sent', async () => {
  const gate = await openGate(notes());
  const app = new Koa();
  app.use((ctx, next) => {
    gate.observe(ctx.req, ctx.res);
    return next();
  });
  app.use((ctx) => {
    if (ctx.path === '/notes') ctx.body = [{ text: 'Grüße' }];
    else ctx.body = new Blob(['one ', 'two']).stream();
    if (ctx.path !== '/notes') ctx.type = 'text/plain';
  });
  await send(app.callback(), ['/notes', '/stream']);
  expect(gate.report().failures).toEqual([]);
});

test('a hook of Fastify observes requests that are injected without a port', async () => {
  const gate = await openGate(notes());
  const app = Fastify();
  app.addHook('onRequest', (request, reply, done) => {
    gate.observe(request.raw, reply.raw);
    done();
  });
  app.get('/notes', () => [{ text: 7 }]);
  app.get('/stream', (_, reply) => reply.type('text/plain').send('one'));
  await app.inject('/notes');
  await app.inject('/stream');
  expect(gate.report().failures).toEqual([
    missing('GET /notes > 200 > application/json'),
    'not as documented: api: GET /notes: GET /notes 200: the body is not as documented: /0/text must be string',
  ]);
});

test('the router of Fastify is a listener that can be wrapped', async () => {
  const gate = await openGate(notes());
  const app = Fastify();
  app.get('/notes', () => []);
  app.get('/stream', (_, reply) => reply.type('text/plain').send(new Blob(['one ', 'two']).stream()));
  await app.ready();
  const replies = await send(gate.wrap(app.routing), ['/notes', '/stream']);
  expect(replies).toEqual([
    [200, expect.anything(), '[]'],
    [200, expect.anything(), 'one two'],
  ]);
  expect(gate.report().failures).toEqual([]);
});

test('an exchange that was observed by other means can be noted', async () => {
  const gate = await openGate(notes());
  gate.record({ method: 'GET', url: '/stream', status: 200, headers: { 'content-type': 'text/plain' }, body: 'one' });
  expect(gate.report().failures).toEqual([missing('GET /notes > 200 > application/json')]);
});

test('processes share a folder, which the command judges', async () => {
  const [one, other] = [
    await openGate(notes(), { observations: folder }),
    await openGate(notes(), { observations: folder }),
  ];
  const app: Listener = (request, response) => {
    if (request.url === '/notes') response.setHeader('content-type', 'application/json').end('[]');
    else response.writeHead(200, ['content-type', 'text/plain']).end(Buffer.from('one'));
  };
  await send(one.wrap(app), ['/notes']);
  await send(other.wrap(app), ['/stream']);
  expect([one.report().passed, other.report().passed]).toEqual([true, true]);
  const lines: string[] = [];
  const code = await runGate(notes(), { listen: '0', observations: folder }, (line) => lines.push(line));
  expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('2 of 2 documented units seen')]);
});

test('a contract without operations is refused, as by the command', async () => {
  const path = join(folder, 'empty.json');
  writeFileSync(path, JSON.stringify({ openapi: '3.1.0', info: { title: 'Nothing', version: '1' }, paths: {} }));
  const refusal = `${path} documents no operation.`;
  await expect(openGate(path)).rejects.toThrow(refusal);
  await expect(runGate(path, { listen: '0' }, () => undefined)).rejects.toThrow(refusal);
});

test('a contract that cannot be read is refused', async () => {
  await expect(openGate('nowhere.yaml')).rejects.toThrow('nowhere.yaml');
});

function missing(unit: string): string {
  return `missing: api > ${unit}`;
}

/** A contract with a list and a text. */
function notes(): string {
  const reply = (mediaType: string, schema: object): object => ({
    get: { responses: { 200: { description: 'Sent', content: { [mediaType]: { schema } } } } },
  });
  const items = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } };
  const paths = {
    '/notes': reply('application/json', { type: 'array', items }),
    '/stream': reply('text/plain', { type: 'string' }),
  };
  const path = join(folder, 'notes.json');
  writeFileSync(path, JSON.stringify({ openapi: '3.1.0', info: { title: 'Notes', version: '1' }, paths }));
  return path;
}

/** Sends the requests that show everything the library documents. */
async function useLibrary(gate: Gate | null, fault: Fault | null): Promise<unknown[]> {
  const listener = libraryListener(fault);
  return send(gate === null ? listener : gate.wrap(listener), [
    '/v2/books',
    'POST /v2/books',
    'DELETE /v2/books/7',
    '/v2/books/8',
    '/v2/cover.png',
    '/v2/debug',
  ]);
}

async function send(listener: Listener, requests: readonly string[]): Promise<unknown[]> {
  const server = createServer((request, response) => void listener(request, response));
  const { origin } = await listen(server, { host: '127.0.0.1', port: 0 });
  const replies: unknown[] = [];
  try {
    for (const request of requests) {
      const [path = '', method = 'GET'] = request.split(' ').reverse();
      const reply = await fetch(origin + path, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
      const headers = [...reply.headers].filter(([name]) => name !== 'date');
      replies.push([reply.status, headers, await reply.text()]);
    }
  } finally {
    await closeServer(server);
  }
  return replies;
}
