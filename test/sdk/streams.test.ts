import { describe, expect, it } from 'vitest';
import { createApiClient } from '../../sdk/src/client.js';
import { ndjson } from '../../sdk/src/formats.js';
import {
  ConnectionError,
  UnexpectedReplyError,
  unwrap,
  type CallOptions,
  type Failure,
  type Success,
} from '../../sdk/src/index.js';
import type { Operation } from '../../sdk/src/operation.js';
import { hangUp, problem, recordedTiming, startScript, type ScriptedServer } from './scripted-server.js';

const logs: Operation = { method: 'get', path: '/logs', statuses: [200], format: ndjson };

describe('a stream of lines', () => {
  it('is read as it arrives, in any chunks', async () => {
    const whole = Buffer.from('{"line":"grüße"}\n\n{"line":"b"}\n{"line":"c"}');
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      for (const byte of whole) response.write(Buffer.of(byte)); // characters are cut as well
      response.end();
    });
    expect(await all(await open(server))).toEqual([{ line: 'grüße' }, { line: 'b' }, { line: 'c' }]);
  });

  it('yields a line before the next one arrives', async () => {
    let next = (): void => undefined;
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"n":1}\n');
      next = () => response.end('{"n":2}\n');
    });
    const lines = (await open(server))[Symbol.asyncIterator]();
    expect(await lines.next()).toEqual({ done: false, value: { n: 1 } });
    next();
    expect(await lines.next()).toEqual({ done: false, value: { n: 2 } });
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });

  it('outlives the timeout, which ends with the headers', async () => {
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"n":1}\n');
      setTimeout(() => response.end('{"n":2}\n'), 400);
    });
    expect(await all(await open(server, { timeoutMs: 300 }))).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('ends the request when the loop is left early', async () => {
    let closed: Promise<void> | undefined;
    const server = await startScript((response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"n":1}\n');
    });
    for await (const line of await open(server)) if (line !== null) break;
    await closed;
  });

  it('throws the reason of the abort', async () => {
    const controller = new AbortController();
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"n":1}\n');
    });
    const lines = (await open(server, { signal: controller.signal }))[Symbol.asyncIterator]();
    await lines.next();
    controller.abort('enough');
    await expect(lines.next()).rejects.toBe('enough');
  });

  it('throws a ConnectionError when it is cut off', async () => {
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"n":1}\n', () => response.socket?.destroy());
    });
    const reading = open(server).then(all);
    await expect(reading).rejects.toBeInstanceOf(ConnectionError);
  });

  it('throws an UnexpectedReplyError for a line that is not JSON', async () => {
    const server = await startScript((response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end('{"n":1}\nnonsense\n');
    });
    await expect(open(server).then(all)).rejects.toBeInstanceOf(UnexpectedReplyError);
  });

  it('is a problem if refused, after the usual retries', async () => {
    const server = await startScript(hangUp, problem(409, 'invalid-state'));
    expect(await call(server)).toMatchObject({ ok: false, status: 409 });
  });
});

type LogsResult = Success<200, AsyncIterable<unknown>> | Failure;

function call({ url }: ScriptedServer, options: CallOptions = {}): Promise<LogsResult> {
  const client = createApiClient('test', '1.0.0', { baseUrl: url, timing: recordedTiming() }, null);
  return client.call<LogsResult>(logs, options);
}

async function open(server: ScriptedServer, options?: CallOptions): Promise<AsyncIterable<unknown>> {
  return unwrap(await call(server, options));
}

async function all(lines: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const line of lines) found.push(line);
  return found;
}
