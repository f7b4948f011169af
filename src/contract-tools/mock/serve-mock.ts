import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Mock } from './create-mock.js';

/** Longer request bodies are refused. */
const longestBody = 16 * 1024 * 1024;

/** An HTTP server that answers as the mock does, and reports each answer in a line. */
export function serveMock(mock: Mock, report: (line: string) => void): Server {
  return createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming;
    readBody(incoming)
      .then((body) => {
        const {
          status,
          headers,
          body: text,
          reason,
        } = mock.answer({ method, url, headers: headersOf(incoming), body });
        report(`${method} ${url.replace(/\?.*$/s, '')} ${status}${reason === null ? '' : `: ${reason}`}`);
        outgoing.writeHead(status, [...headers].flat());
        outgoing.end(method === 'HEAD' ? undefined : text);
      })
      .catch((error: unknown) => {
        report(`${method} ${url}: ${error instanceof Error ? error.message : String(error)}`);
        outgoing.destroy();
      });
  });
}

/** The body; null where it is too long. The rest of it is read and dropped, so that the caller can read the reply. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
    else chunks.length = 0;
  }
  return length <= longestBody ? Buffer.concat(chunks) : null;
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
