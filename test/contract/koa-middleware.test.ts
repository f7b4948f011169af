/** Middleware that others have written for Koa, around the operations of a contract. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import cors from '@koa/cors';
import { context, ROOT_CONTEXT, type Context } from '@opentelemetry/api';
import { KoaInstrumentation } from '@opentelemetry/instrumentation-koa';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type Koa from 'koa';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import { afterEach, expect, test } from 'vitest';
import { addTool, startWorkshop, type Workshop } from './workshop.js';

let workshop: Workshop;
afterEach(() => workshop.close());

const start = async (...middleware: readonly Koa.Middleware[]): Promise<void> => {
  workshop = await startWorkshop({ middleware });
};
const origin = { Origin: 'https://app.example.com' };

test('@koa/cors answers preflight requests', async () => {
  await start(cors({ origin: origin.Origin }));
  const headers = { ...origin, 'Access-Control-Request-Method': 'POST' };
  const preflight = await workshop.fetchUnchecked('/tools', { method: 'OPTIONS', headers });
  expect([preflight.status, preflight.headers.get('Access-Control-Allow-Origin')]).toEqual([204, origin.Origin]);
});

test.each([
  ['/tools/1', 200],
  ['/tools/x', 422],
  ['/visits', 200],
  ['/nothing', 404],
])('@koa/cors and koa-helmet add their headers to the reply of %s', async (path, status) => {
  await start(cors({ origin: origin.Origin }), helmet());
  const reply = await workshop.fetch(path, { headers: origin });
  await reply.text();
  expect(reply.status).toBe(status);
  expect(reply.headers.get('Access-Control-Allow-Origin')).toBe(origin.Origin);
  expect(reply.headers.get('X-Content-Type-Options')).toBe('nosniff');
});

test.each(['/tools/1', '/visits'])('koa-compress compresses the reply of %s', async (path) => {
  await start(compress({ threshold: 0, br: false, filter: () => true }));
  const plain = await (await workshop.fetch(path)).text();
  const reply = await workshop.fetchUnchecked(path, { headers: { 'Accept-Encoding': 'gzip' } });
  expect(reply.headers.get('Content-Encoding')).toBe('gzip');
  expect(await reply.text()).toBe(plain); // fetch has decompressed it
});

test('Middleware sees the operation, its valid input, its caller and its reply', async () => {
  const seen: unknown[] = [];
  await start(async (ctx, next) => {
    ctx.state['tenant'] = 'north';
    await next();
    const { tenant, principal } = ctx.state;
    seen.push([ctx['routerName'], ctx['_matchedRoute'], ctx['params'], ctx.request.body, tenant, principal]);
    seen.push([ctx.status, JSON.parse(String(ctx.body)).name]);
  });
  await workshop.fetch('/tools', addTool({ name: 'Saw' }));
  await workshop.fetch('/tools/1');
  expect(seen).toEqual([
    ['addTool', '/tools', {}, expect.objectContaining({ name: 'Saw' }), 'north', { name: 'robin' }],
    [201, 'Saw'],
    ['readTool', '/tools/:tool_id', { tool_id: 1 }, undefined, 'north', null],
    [200, 'Saw'],
  ]);
});

test('A failure of middleware after the operation is logged', async () => {
  await start(async (_ctx, next) => {
    await next();
    throw new Error('The archive is full');
  });
  expect((await workshop.fetchUnchecked('/tools/1')).status).toBe(500);
  const fields = { err: { message: 'The archive is full' } };
  expect(workshop.log).toMatchObject([{ level: 'error', message: 'failure outside the pipeline', fields }]);
});

test('The instrumentation of OpenTelemetry names the route of an operation', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const instrumentation = new KoaInstrumentation();
  instrumentation.setTracerProvider(provider);
  createRequire(import.meta.url)('koa'); // which it patches
  context.setGlobalContextManager(contextManager());
  try {
    const tracer = provider.getTracer('test');
    await start((_ctx, next) =>
      tracer.startActiveSpan('request', (span) =>
        next().finally(() => {
          span.end();
        }),
      ),
    );
    await workshop.fetch('/tools/1');
    expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['koa.name'])).toContain('/tools/:tool_id');
  } finally {
    context.disable();
    instrumentation.disable();
  }
});

/** What keeps the current span over waits; OpenTelemetry's own is another package. */
function contextManager(): Parameters<typeof context.setGlobalContextManager>[0] {
  const storage = new AsyncLocalStorage<Context>();
  const manager: Parameters<typeof context.setGlobalContextManager>[0] = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (current, run, self, ...args) => storage.run(current, () => run.apply(self, args)),
    bind: (_current, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
