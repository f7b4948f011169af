import { record } from './recorder-pointers.js';
import type { Exchange } from './recorder.js';

/**
 * Takes the exchanges out of an HTTP archive (HAR 1.2), such as `redocly respect --har-output` writes.
 *
 * @throws Error when the value is no archive
 */
export function exchangesOfHar(har: unknown): Exchange[] {
  const entries: unknown = record(record(har)['log'])['entries'];
  if (!Array.isArray(entries)) throw new Error('This is no HTTP archive: log.entries is missing');
  return entries.map((entry: unknown) => {
    const request = record(record(entry)['request']);
    const response = record(record(entry)['response']);
    const content = record(response['content']);
    const text = typeof content['text'] === 'string' ? content['text'] : '';
    return {
      method: String(request['method']),
      url: String(request['url']),
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
