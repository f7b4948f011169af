import {
  checkBody,
  checkHead,
  checkLine,
  mediaTypeOf,
  streamMediaTypes,
  type Findings,
  type ReplyHead,
} from './check-reply.js';
import type { Contract } from './contract.js';
import type { Exchange } from './exchange.js';
import { matchOperation } from './match-operation.js';
import type { Observations } from './observations.js';

/** A reply was not as the contract documents it. The gate fails on it even when a test catches this. */
export class ContractViolation extends Error {
  override name = 'ContractViolation';
}

/** Checks exchanges against one contract and notes what they show. */
export interface Recorder {
  /** A `fetch` whose every reply is checked. */
  readonly fetch: typeof fetch;
  /**
   * Checks an exchange that was made by other means.
   *
   * @throws ContractViolation
   */
  record(exchange: Exchange): void;
}

/** Makes a recorder for any contract and any place to note what it sees. */
export function createRecorder(
  contract: Contract,
  observations: Observations,
  transport: typeof fetch = fetch,
): Recorder {
  const settle = (head: ReplyHead, { units, faults }: Findings): void => {
    for (const unit of faults.length === 0 ? units : []) observations.observe(contract.name, unit);
    if (faults.length === 0) return;
    const text = `${head.method} ${pathFor(contract, head)}: ${faults.join('; ')}`;
    observations.reportFault(contract.name, text);
    throw new ContractViolation(text);
  };
  return {
    fetch: async (input, init) => {
      const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
      const url = input instanceof Request ? input.url : String(input);
      const response = await transport(input, init);
      const head = { method: method.toUpperCase(), url, status: response.status, headers: response.headers };
      settle(head, checkHead(contract, head));
      if (streamMediaTypes.includes(mediaTypeOf(response.headers) ?? '') && response.body !== null) {
        return withCheckedLines(response, response.body, (line) => {
          settle(head, checkLine(contract, head, line));
        });
      }
      settle(head, checkBody(contract, head, new Uint8Array(await response.clone().arrayBuffer())));
      return response;
    },
    record: ({ method, url, status, headers, body }) => {
      const head = { method: method.toUpperCase(), url, status, headers: new Headers(headers) };
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      settle(head, checkHead(contract, head));
      if (!streamMediaTypes.includes(mediaTypeOf(head.headers) ?? '')) {
        settle(head, checkBody(contract, head, bytes));
        return;
      }
      const lines = Buffer.from(bytes).toString('utf8').split('\n');
      // The exchange is complete, and the last line break is optional (JSON Lines).
      if (lines.at(-1) === '') lines.pop();
      for (const line of lines) settle(head, checkLine(contract, head, line));
    },
  };
}

/** Passes a stream on as it comes; the first line that is not as documented ends it with an error. */
function withCheckedLines(
  response: Response,
  stream: ReadableStream<Uint8Array>,
  check: (line: string) => void,
): Response {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  const checked = new TransformStream<Uint8Array, Uint8Array>(
    {
      transform(chunk, controller) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) check(line);
        controller.enqueue(chunk);
      },
      flush() {
        if (rest !== '') check(`${rest} (cut off)`);
      },
    },
    // What the reader has not asked for stays with the server.
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(stream.pipeThrough(checked), { status, statusText, headers });
}

/** The path of the operation, else that of the request without the query. Values may be secret; long ones are abuse. */
function pathFor(contract: Contract, { method, url }: ReplyHead): string {
  return matchOperation(contract, method, url).operation?.path ?? url.replace(/\?.*$/s, '').slice(0, 200);
}
