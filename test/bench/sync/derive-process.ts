/** Derives the units of one repository and prints how long that took and how much memory: `ADDRESS REPOSITORY RULES`. */
import { parseConnection } from '../../../src/sync/sinks/connection-string.js';
import { openSink } from '../../../src/sync/sinks/open.js';
import { refreshRepository } from '../../../src/sync/work-units/derivation/derivation.js';
import { openDeriver } from '../../../src/sync/work-units/derivation/deriver.js';
import { benchDependencies } from './unit-records.js';

const [uri = '', repoId = '', rulesFile] = process.argv.slice(2);
const address = parseConnection(uri);
if ('problem' in address) throw new Error(address.problem);
const dependencies = benchDependencies();
const sink = await openSink(address, { now: Date.now, concurrency: 1, echo: undefined }, dependencies);
// Opens the file as a sync does.
await sink.ensureSchema();
const deriver = await openDeriver(sink, { orgId: 'bench', rulesFile }, dependencies);
if (deriver === undefined) throw new Error('No work units are derived there');
const began = performance.now();
const cpuBegan = process.cpuUsage();
const units = await refreshRepository(deriver, repoId);
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpuBegan);
await deriver.close();
await sink.close();
console.log(
  JSON.stringify({ units, seconds, cpu: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }),
);
