/**
 * A program that uses the embedded PostgreSQL of the home in its first argument until its standard input ends: one of
 * several processes on one home, to be killed by the tests. Prints the address when the server is ready.
 */
import pino from 'pino';

import { startEmbeddedPostgres } from '../../src/database/embedded.js';

const [home] = process.argv.slice(2);
if (home === undefined) throw new Error('usage: embedded-user <home>');
const server = await startEmbeddedPostgres({ home, logger: pino({ level: 'silent' }), durable: false });
process.stdout.write(`${server.uri}\n`);
process.stdin.resume().once('end', () => {
  void server.stop().then(() => process.stdout.write('stopped\n'));
});
