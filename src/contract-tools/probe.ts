import { connect } from 'node:net';
import { UsageError } from './usage-error.js';

/**
 * Checks that a server accepts connections; otherwise every operation of it would be reported as never seen.
 *
 * @param remedy what to do apart from starting the server
 * @throws UsageError when it cannot be reached
 */
export async function probe(target: URL, remedy: string): Promise<void> {
  const port = Number(target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : target.port);
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: target.hostname.replace(/^\[|\]$/g, ''), port, timeout: 10_000 });
    const fail = (reason: string): void => {
      socket.destroy();
      reject(new UsageError(`${target.origin} cannot be reached: ${reason}. Start the server, or ${remedy}.`));
    };
    socket.once('error', (error) => {
      fail(error.message === '' ? ('code' in error ? String(error.code) : 'connection failed') : error.message);
    });
    socket.once('timeout', () => {
      fail('no answer within 10 s');
    });
    socket.once('connect', () => {
      socket.end();
      resolve();
    });
  });
}
