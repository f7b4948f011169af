/** A server that receives webhooks, checks each delivery against the contract, and notes the event for the gate. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { observe, reportFault } from './recorder.js';
import { payloadValidators, webhooksSurface } from './webhook-contract.js';

/** A delivery as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly type: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface WebhookReceiver {
  readonly url: string;
  /** The secret of the webhook; signatures are verified from then on. */
  secret: string | null;
  readonly received: readonly Received[];
  /** How the next deliveries are answered; default 204. */
  answer: (response: ServerResponse, received: Received) => void;
  stop(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const validators = payloadValidators();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const delivery = read(request, Buffer.concat(chunks).toString('utf8'));
      received.push(delivery);
      const validate = validators.get(delivery.type);
      if (validate?.(JSON.parse(delivery.body)) === true) observe(webhooksSurface, [delivery.type]);
      else reportFault(webhooksSurface, `${delivery.type}: ${JSON.stringify(validate?.errors ?? 'unknown event')}`);
      // Tests use movable clocks, so the time is not verified here.
      const now = new Date(Number(delivery.headers['webhook-timestamp']) * 1000);
      const expected =
        receiver.secret === null ? null : new Webhook(receiver.secret).sign(delivery.id, now, delivery.body);
      const signatures = delivery.headers['webhook-signature']?.split(' ') ?? [];
      if (expected !== null && !signatures.includes(expected)) response.writeHead(401).end();
      else receiver.answer(response, delivery);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    secret: null,
    received,
    answer: (response) => response.writeHead(204).end(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function read(request: IncomingMessage, body: string): Received {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const { type, id, data } = JSON.parse(body) as Pick<Received, 'type' | 'id' | 'data'>; // validated afterwards
  return { path: request.url ?? '', headers, body, type, id, data };
}
