import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local server in the place of a code host, which keeps what it is asked. */
export interface CodeHostDouble {
  readonly url: string;
  readonly requests: { readonly path: string | undefined; readonly authorization: string | undefined }[];
  /** What it answers from now on. */
  answer(listener: RequestListener): void;
  stop(): Promise<void>;
}

export async function startCodeHostDouble(): Promise<CodeHostDouble> {
  const requests: CodeHostDouble['requests'] = [];
  let listener: RequestListener = json(200, { login: 'someone', username: 'someone' });
  const server = createServer((request: IncomingMessage, response) => {
    requests.push({ path: request.url, authorization: request.headers.authorization });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer: (next) => {
      listener = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Answers with a JSON body. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
