/**
 * `npm run bench [name ...] [size] [--brief] [--record <release>]`: measures side by side and prints ratios. `--brief` only
 * shows that a benchmark runs. `--record` adds the ratios to `RATIOS.md`.
 */
import { parseArgs } from 'node:util';
import { benchmarks } from './benchmarks.js';
import { printedRatios } from './measure.js';
import { recordRatios } from './record-ratios.js';

const { values, positionals } = parseArgs({
  options: { brief: { type: 'boolean', default: false }, record: { type: 'string' } },
  allowPositionals: true,
});
if (values.brief && values.record !== undefined)
  throw new Error('The figures of --brief mean nothing: do not record them.');
// Numbers are sizes, which the benchmarks read.
const asked = positionals.filter((argument) => !/^[\d.]+$/.test(argument));
const unknown = asked.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(benchmarks)) {
  if (asked.length === 0 || asked.includes(name)) await bench();
}
if (values.record !== undefined) await recordRatios(values.record, printedRatios);
