/**
 * A sync in a separate process, for tests that kill it: it hangs before the statement whose number is
 * given, of those that match a pattern, and says so on stdout.
 *
 *   node --import tsx run-sync.ts <options as JSON> <environment as JSON> <pattern> <number>
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { outboundFetch } from '../../src/contract/outbound/outbound-fetch.js';
import type { SyncOptions } from '../../src/sync/options.js';
import { parseSyncRequest } from '../../src/sync/request.js';
import { runSync } from '../../src/sync/run.js';
import { importConnector } from '../support/chdb.js';

const [options = '{}', environment = '{}', pattern = '', number = '1'] = process.argv.slice(2);
const stopAt = new RegExp(pattern);
let left = Number(number);

const parsed = parseSyncRequest(JSON.parse(options) as SyncOptions, {
  ...(JSON.parse(environment) as object),
  DB_ECHO: 'true',
});
if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
await runSync(parsed.request, {
  now: Date.now,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: Math.random,
  fetch: outboundFetch('any'),
  newId: randomUUID,
  signal: new AbortController().signal,
  environment: process.env,
  importConnector,
  progress: {
    statement: (text) => {
      if (!stopAt.test(text) || (left -= 1) > 0) return;
      writeSync(1, 'stopped\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    },
  },
});
writeSync(1, 'finished\n');
