import { rawExchange, sendRaw, type RawReply } from '../../support/recorder-raw.js';
import { recordExchange } from '../../support/recorder.js';

/** A POST of nothing to the login, but for what is given. */
export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

/** Sends a request that no client library would, and has the recorder check the reply. */
export async function raw(
  url: string,
  { method = 'POST', path = '/api/v1/auth/login', headers = [], body = '' }: RawRequest,
): Promise<RawReply> {
  const length = Buffer.byteLength(body);
  const lines = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${length}`, ...headers];
  const reply = await sendRaw(url, `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, body);
  recordExchange('platform', rawExchange(method, path, reply));
  return reply;
}

/** The body of a problem. */
export function problemOf({ body }: RawReply): Record<string, unknown> {
  return JSON.parse(body.toString('utf8'));
}
