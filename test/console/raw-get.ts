import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A GET whose body is left as it is sent: `fetch` would decompress it. */
export async function sendRaw(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers }, (response) => {
      buffer(response).then((body) => {
        resolve({ headers: response.headers, body });
      }, reject);
    });
    request.once('error', reject);
  });
}
