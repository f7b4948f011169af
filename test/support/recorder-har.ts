import { record } from '../../src/contract-tools/documents.js';
import type { Exchange } from './recorder.js';

/** An exchange with what was asked, which a check of GraphQL needs to know. */
export interface HarExchange extends Exchange {
  readonly requestHeaders: Headers;
  readonly requestBody: string | null;
}

/**
 * Takes the exchanges out of an HTTP archive (HAR 1.2), such as `redocly respect --har-output` writes.
 *
 * @throws Error when the value is not an archive
 */
export function exchangesOfHar(har: unknown): HarExchange[] {
  const entries: unknown = record(record(har)['log'])['entries'];
  if (!Array.isArray(entries)) throw new Error('This is not an HTTP archive: log.entries is missing');
  return entries.map((entry: unknown) => {
    const request = record(record(entry)['request']);
    const response = record(record(entry)['response']);
    const content = record(response['content']);
    const text = typeof content['text'] === 'string' ? content['text'] : '';
    const sent = record(request['postData'])['text'];
    return {
      method: String(request['method']),
      url: String(request['url']),
      requestHeaders: headersOf(request['headers']),
      requestBody: typeof sent === 'string' ? sent : null,
      status: Number(response['status']),
      headers: headersOf(response['headers']),
      body: content['encoding'] === 'base64' ? Buffer.from(text, 'base64') : text,
    };
  });
}

function headersOf(list: unknown): Headers {
  const headers = new Headers();
  const entries: unknown[] = Array.isArray(list) ? list : [];
  for (const { name, value } of entries.map(record)) headers.append(String(name), String(value));
  return headers;
}
