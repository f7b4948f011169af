import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Timing } from '../../sdk/src/index.js';

type Step = (response: ServerResponse, request: IncomingMessage) => void;

export interface ScriptedServer {
  readonly url: string;
  /** The requests so far, with their bodies. */
  readonly requests: readonly { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
}

/**
 * An HTTP server that answers what the contract runtime never would: broken connections, proxies' errors, silence.
 * It takes one step of the script per request; the last step answers all further ones.
 */
export async function startScript(...steps: Step[]): Promise<ScriptedServer> {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const step = steps[Math.min(requests.length, steps.length) - 1];
      step?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** Answers with JSON. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  const mediaType = status >= 400 ? 'application/problem+json' : 'application/json';
  return (response) => {
    response.writeHead(status, { 'content-type': mediaType, 'x-request-id': 'req-1', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Answers with a problem of the catalogue's shape. */
export function problem(status: number, slug: string, headers: Record<string, string> = {}): Step {
  const body = { type: `/problems/${slug}`, title: slug, status, message: 'As scripted.', request_id: 'req-1' };
  return reply(status, body, headers);
}

/** Cuts the connection without an answer. */
export const hangUp: Step = (response) => void response.socket?.destroy();

/** Never answers. */
export const silence: Step = () => undefined;

/** A clock that stands at 2026-03-02T09:00:00Z, chance that always says 0, and a sleep that only takes note. */
export function recordedTiming(): Timing & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => Date.parse('2026-03-02T09:00:00Z'),
    random: () => 0,
    sleep: (ms) => {
      slept.push(ms);
      return Promise.resolve();
    },
  };
}
