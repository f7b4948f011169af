import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request whose reply is left as it is sent: `fetch` would decompress it. */
export async function sendRaw(
  url: string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const { body = '', ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = request(url, rest, (response) => {
      buffer(response).then((content) => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: content });
      }, reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
