import { closeServer, listen, untilStopped } from '../listen.js';
import { loadDocument } from '../load-document.js';
import { parsePort, UsageError } from '../usage-error.js';
import { createMock } from './create-mock.js';
import { serveMock } from './serve-mock.js';

/** What `plumbline mock` was asked for. */
export interface MockOptions {
  readonly host: string;
  readonly port: string;
}

/**
 * Serves a document from its examples until the process is interrupted.
 *
 * @param print where lines for people go
 * @returns the exit code
 * @throws UsageError, DocumentError
 */
export async function runMock(path: string, options: MockOptions, print: (line: string) => void): Promise<number> {
  const mock = createMock(loadDocument(path));
  if (mock.contract.operations.length === 0) throw new UsageError(`${path} documents no operation.`);
  const server = serveMock(mock, print);
  const address = await listen(server, { host: options.host, port: parsePort(options.port) }, '--port');
  print(
    `Serving ${mock.contract.operations.length} operations of ${path} at ${address.origin}${mock.contract.basePath}`,
  );
  await untilStopped();
  await closeServer(server);
  return 0;
}
