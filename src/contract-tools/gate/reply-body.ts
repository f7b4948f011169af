import type { OutgoingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Replies beyond this many bytes are passed on and not recorded. */
export const largestBody = 16 * 1024 * 1024;

/** The body as it was before `Content-Encoding`; null: it cannot be decompressed, or becomes too long. */
export function decompressed(body: Buffer, encoding: unknown): Buffer | null {
  if (body.length === 0) return body;
  const options = { maxOutputLength: largestBody };
  try {
    if (encoding === 'gzip') return gunzipSync(body, options);
    if (encoding === 'br') return brotliDecompressSync(body, options);
    if (encoding === 'deflate') return inflateSync(body, options);
    return body;
  } catch {
    return null;
  }
}

/** Headers as `fetch` has them. */
export function headersOf(incoming: OutgoingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming)) {
    for (const each of [value].flat()) if (each !== undefined) headers.append(name, String(each));
  }
  return headers;
}
