import type { Server } from 'node:http';
import { UsageError } from './usage-error.js';

/**
 * Starts a server.
 *
 * @param option the option that changes the address, for the message
 * @returns its address, with the port that it got where 0 was asked for
 * @throws UsageError when the address is taken or not one of this machine
 */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  option = '--listen',
): Promise<URL> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new UsageError(`Cannot listen on ${host}:${port}: ${error.message}. Choose another with ${option}.`));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${taken}`);
}

/** Resolves when the process is asked to end (SIGINT, SIGTERM). */
export async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        resolve();
      });
  });
}

/** Ends a server: what it is answering may take two more seconds. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, 2000);
  await closed;
  clearTimeout(timer);
}
