import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { engineClient } from '../../../../src/compose/runtime/bridge/client.js';
import { containerLogs } from '../../../../src/compose/runtime/bridge/logs.js';
import { containerOf } from '../../../../src/compose/runtime/engine/inspect.js';
import { LONGEST_LOG_LINE } from '../../../../src/compose/runtime/engine/log-line.js';
import { all } from '../conformance.js';

/** As Docker frames output: the stream, three zeros, the length. */
function frame(text: string): Buffer {
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

describe('the log of a container that never ends its line', () => {
  const piece = 'x'.repeat(16 * 1024);
  const pieces = (3 * LONGEST_LOG_LINE) / piece.length;

  it.each([
    { tty: false, chunk: frame(`2026-01-02T03:04:05.000000006Z ${piece}`) },
    { tty: true, chunk: Buffer.from(piece) },
  ])('is given in parts (tty: $tty)', async ({ tty, chunk }) => {
    const engine = createServer((_request, reply) => {
      Readable.from(Array<Buffer>(pieces).fill(chunk), { objectMode: false }).pipe(reply);
    });
    onTestFinished(() => void engine.close());
    await new Promise<void>((listening) => engine.listen(0, '127.0.0.1', listening));
    const { port } = engine.address() as AddressInfo;
    const client = engineClient({ kind: 'tcp', host: '127.0.0.1', port }, [], {});
    const container = containerOf({ Id: 'c1', Config: { Tty: tty } });
    const lines = await all(await containerLogs(client, container, {}));
    const lengths = lines.map(({ line }) => line.length);
    expect(Math.max(...lengths)).toBeLessThan(LONGEST_LOG_LINE + 64 * 1024);
    expect(lengths.reduce((sum, length) => sum + length)).toBe(pieces * piece.length);
  });
});
