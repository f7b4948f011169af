import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { AnyHandler } from '../../src/contract/pipeline.js';
import { startWorkshop, type Workshop } from './workshop.js';

let workshop: Workshop;
/** Starts a workshop whose visits come from `visits`. */
const start = async (visits: () => AsyncIterable<unknown>): Promise<void> => {
  const watchVisits: AnyHandler = () => ({ status: 200, body: visits() });
  workshop = await startWorkshop({ handlers: { watchVisits } });
};
afterEach(() => workshop.close());

async function* streamOf(...items: readonly object[]): AsyncGenerator<object> {
  for (const item of items) yield await Promise.resolve(item);
}

/** Something that a test waits for. */
function signal(): { readonly happened: Promise<void>; happen: () => void } {
  let happen = (): void => undefined;
  const happened = new Promise<void>((resolve) => (happen = resolve));
  return { happened, happen };
}

/** Opens the stream without reading from it. */
async function open(method = 'GET'): Promise<IncomingMessage> {
  const sent = httpRequest(`${workshop.url}/visits`, { method }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

test('Each item is one line', async () => {
  await start(() => streamOf({ visitor: 'Robin' }, { visitor: 'Two\nlines' }));
  const response = await workshop.fetch('/visits');
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  expect(await response.text()).toBe('{"visitor":"Robin"}\n{"visitor":"Two\\nlines"}\n');
});

test('The headers are sent before the first item', async () => {
  const first = signal();
  await start(async function* () {
    await first.happened;
    yield { visitor: 'Robin' };
  });
  const response = await workshop.fetch('/visits');
  expect(response.status).toBe(200);
  first.happen();
  expect(await response.text()).toContain('Robin');
});

test('Items are produced only as the caller reads', async () => {
  let produced = 0;
  await start(async function* () {
    for (; produced < 100_000; produced++) yield await Promise.resolve({ visitor: 'x'.repeat(10_000) });
  });
  const response = await open();
  // It stops when the buffers on the way are full: they hold some megabytes, the stream has a thousand.
  for (let before = -1; before !== produced;) {
    before = produced;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(produced).toBeLessThan(5000);
  response.destroy();
});

test('When the caller disconnects the iterable is closed, and nothing is logged', async () => {
  const ended = signal();
  await start(async function* () {
    try {
      for (;;) yield await Promise.resolve({ visitor: 'x'.repeat(10_000) });
    } finally {
      ended.happen();
    }
  });
  (await open()).destroy();
  await ended.happened;
  expect(workshop.log).toEqual([]);
});

test('When the caller disconnects, the signal of the handler ends a wait', async () => {
  const aborted = signal();
  const watchVisits: AnyHandler = (request) => {
    const { context } = request as { context: { signal: AbortSignal } }; // as every generated request type has it
    const waiting = async function* (): AsyncGenerator<object> {
      yield { visitor: 'Robin' };
      await once(context.signal, 'abort');
      aborted.happen();
    };
    return { status: 200, body: waiting() };
  };
  workshop = await startWorkshop({ handlers: { watchVisits } });
  const response = await open();
  await once(response, 'data');
  response.destroy();
  await aborted.happened;
});

test('A caller that disconnects before a stream is opened causes no failure', async () => {
  const [asked, settled] = [signal(), signal()];
  const watchVisits: AnyHandler = async (request) => {
    const { context } = request as { context: { signal: AbortSignal } }; // as every generated request type has it
    asked.happen();
    await once(context.signal, 'abort');
    setImmediate(settled.happen);
    throw context.signal.reason as Error; // As every runtime rejects a call that was aborted.
  };
  workshop = await startWorkshop({ handlers: { watchVisits } });
  const sent = httpRequest(`${workshop.url}/visits`).end();
  sent.on('error', () => undefined);
  await asked.happened;
  sent.destroy();
  await settled.happened;
  expect(workshop.log.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('Any number of listeners may use the signal of one request', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const watchVisits: AnyHandler = (request) => {
    const { context } = request as { context: { signal: AbortSignal } }; // as every generated request type has it
    for (let calls = 0; calls < 20; calls++) context.signal.addEventListener('abort', () => undefined);
    return { status: 200, body: streamOf() };
  };
  workshop = await startWorkshop({ handlers: { watchVisits } });
  await (await workshop.fetch('/visits')).text();
  expect(warnings).toEqual([]);
});

test('A stream that fails is cut off, so that it does not look complete, and logged', async () => {
  await start(async function* () {
    yield { visitor: 'Robin' };
    await Promise.resolve();
    throw new Error('The door is stuck');
  });
  const response = await workshop.fetch('/visits');
  await expect(response.text()).rejects.toThrow();
  expect(workshop.log).toMatchObject([{ level: 'error', message: 'a stream failed' }]);
});

test('An undocumented line ends the stream before it is sent', async () => {
  await start(() => streamOf({ visitor: 'Robin' }, { visitor: 'Kim', password_hash: 'hunter2' }));
  const response = await workshop.fetchUnchecked('/visits');
  const received: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const chunk of response.body ?? []) received.push(Buffer.from(chunk).toString());
  };
  await expect(reading()).rejects.toThrow();
  expect(received.join('')).not.toContain('Kim');
});

test('HEAD on a stream aborts the signal of its handler, which may already have opened the source', async () => {
  const aborted = signal();
  const watchVisits: AnyHandler = (request) => {
    const { context } = request as { context: { signal: AbortSignal } }; // as every generated request type has it
    context.signal.addEventListener('abort', aborted.happen);
    return { status: 200, body: streamOf({ visitor: 'Robin' }) };
  };
  workshop = await startWorkshop({ handlers: { watchVisits } });
  expect((await open('HEAD')).statusCode).toBe(200);
  await aborted.happened;
  expect(workshop.log.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('HEAD opens no stream: the iterable is closed at once', async () => {
  const ended = signal();
  await start(() => {
    const iterator: AsyncIterableIterator<unknown> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => Promise.resolve({ done: true, value: undefined }),
      return: () => {
        ended.happen();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    return iterator;
  });
  const response = await open('HEAD');
  expect(response.headers['content-type']).toBe('application/x-ndjson');
  await ended.happened;
});
