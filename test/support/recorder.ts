import { fileURLToPath } from 'node:url';
import {
  checkBody,
  checkHead,
  checkLine,
  mediaTypeOf,
  streamMediaTypes,
  type Findings,
  type ReplyHead,
} from './recorder-check.js';
import { loadContract, type Contract } from './recorder-contract.js';
import { openObservations, type Observations, type Unit } from './recorder-observations.js';

/** The repository's root. */
const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Where the observations of a run lie, relative to the root. */
export const observationsFolder = 'coverage/contract';

/** A reply was not as the contract documents it. The gate fails on it even when a test catches this. */
export class ContractViolation extends Error {
  override name = 'ContractViolation';
}

/** One request and its complete reply. */
export interface Exchange {
  readonly method: string;
  /** Absolute, or a path with or without a query. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers | Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
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

/**
 * A `fetch` for tests that talk to a server of `api`. Its promise is rejected with a `ContractViolation`, and so is the
 * reading of a stream, when a reply is not as documented. Pages that stand beside the API are no business of its.
 *
 * @param api the contract's name, for example `platform`
 * @param transport carries the requests, for example over a unix socket
 */
export function recordingFetch(api: string, transport: typeof fetch = fetch): typeof fetch {
  return recorderOf(api, transport).fetch;
}

/**
 * Checks one exchange that was made over a raw socket, by another client, or stands in a HAR file.
 *
 * @throws ContractViolation
 */
export function recordExchange(api: string, exchange: Exchange): void {
  recorderOf(api, fetch).record(exchange);
}

/** Notes that something documented was seen; the way in for surfaces that are not described by OpenAPI. */
export function observe(surface: string, unit: Unit): void {
  defaultObservations.observe(surface, unit);
}

/** Notes that something was not as documented: the gate will fail. */
export function reportFault(surface: string, fault: string): void {
  defaultObservations.reportFault(surface, fault);
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
    const text = `${head.method} ${pathOf(head.url)}: ${faults.join('; ')}`;
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
      const cutOff = lines.pop();
      if (cutOff !== undefined && cutOff !== '') lines.push(`${cutOff} (cut off)`);
      for (const line of lines) settle(head, checkLine(contract, head, line));
    },
  };
}

const defaultObservations = openObservations(`${root}/${observationsFolder}`);
const contracts = new Map<string, Contract>();

function recorderOf(api: string, transport: typeof fetch): Recorder {
  const contract = contracts.get(api) ?? loadContract(api, root);
  contracts.set(api, contract);
  return createRecorder(contract, defaultObservations, transport);
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

/** Without the query, which may hold a token; long ones are abuse. */
function pathOf(url: string): string {
  return url.replace(/\?.*$/s, '').slice(0, 200);
}
