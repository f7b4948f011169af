/** A local server that stands for a code host, with faults on demand. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HostRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HostReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** `cut` closes the connection without a reply, `cut in the middle` after half of it. */
export type Fault = HostReply | 'cut' | 'cut in the middle';

export interface Host {
  readonly url: string;
  readonly requests: HostRequest[];
  /** What meets a request before it is answered; undefined lets it through. */
  fault: (request: HostRequest, number: number) => Fault | undefined | Promise<Fault | undefined>;
}

type Answer = (request: HostRequest, url: string) => HostReply | Promise<HostReply>;

/** Starts a host on a free port; it ends with the test. */
export async function startHost(answer: Answer): Promise<Host> {
  const { host, stop } = await openHost(answer);
  onTestFinished(stop);
  return host;
}

/** Starts a host on a free port. */
export async function openHost(answer: Answer): Promise<{ readonly host: Host; stop(): Promise<void> }> {
  const requests: HostRequest[] = [];
  const server = createServer((incoming, response) => {
    void receive(incoming)
      .then(async (request) => {
        requests.push(request);
        const fault = await host.fault(request, requests.length);
        if (fault === 'cut') {
          incoming.socket.destroy();
          return;
        }
        const reply = fault === undefined || fault === 'cut in the middle' ? await answer(request, host.url) : fault;
        send(response, reply, fault === 'cut in the middle');
      })
      // A fault of this server itself: 400 is what no client tries again.
      .catch((error: unknown) => {
        send(response, { status: 400, body: { message: String(error) } }, false);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host: Host = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fault: () => undefined,
  };
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { host, stop };
}

async function receive(incoming: IncomingMessage): Promise<HostRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const url = new URL(incoming.url ?? '/', 'http://host.test');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function send(response: ServerResponse, reply: HostReply, isCut: boolean): void {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    ...reply.headers,
  });
  if (!isCut) {
    response.end(text);
    return;
  }
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}
