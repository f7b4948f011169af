/** A server in a separate process, for tests that kill it: `node --import tsx serve.ts`, set by its environment. */
import { pino } from 'pino';
import { startPlatform } from '../../../../src/platform/platform.js';
import { readSettings } from '../../../../src/platform/server/settings.js';

const { url } = await startPlatform(readSettings(process.env), { log: pino({ level: 'silent' }) });
console.log(url);
