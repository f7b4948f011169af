/** Derives the units of one repository and prints how long that took and how much memory: `ADDRESS REPOSITORY RULES`. */
import { parseConnection } from '../../../src/sync/sinks/connection-string.js';
import { openSink } from '../../../src/sync/sinks/open.js';
import { refreshRepository } from '../../../src/sync/work-units/derivation/derivation.js';
import { openDerivationResources } from '../../../src/sync/work-units/derivation/resources.js';
import { benchDependencies } from './unit-records.js';

const [uri = '', repoId = '', rulesFile] = process.argv.slice(2);
const address = parseConnection(uri);
if ('problem' in address) throw new Error(address.problem);
const dependencies = benchDependencies();
const sink = await openSink(address, { now: Date.now, concurrency: 1, echo: undefined }, dependencies);
// Opens the file as a sync does.
await sink.ensureSchema();
const resources = await openDerivationResources(sink, { orgId: 'bench', rulesFile }, dependencies);
if (resources === undefined) throw new Error('No work units are derived there');
const began = performance.now();
const cpuBegan = process.cpuUsage();
const units = await refreshRepository(resources, repoId);
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpuBegan);
await resources.close();
await sink.close();
console.log(
  JSON.stringify({ units, seconds, cpu: (user + system) / 1e6, peak: process.resourceUsage().maxRSS / 1024 }),
);
