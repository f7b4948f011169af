/** The first derivation of work units, of records that are stored already: units per second, and memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { printTable, unlessBrief } from '../measure.js';
import { openBenchDatabases } from './databases.js';
import { fillDatabase } from './unit-records.js';

/** With `npm run bench units COMMITS` that many are measured beside these. */
const COMMITS = unlessBrief([50_000, 100_000], [100]);

export async function benchUnits(): Promise<void> {
  const asked = process.argv.slice(2).map(Number).filter(Number.isInteger);
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-bench-units-'));
  const databases = await openBenchDatabases(folder);
  const rows: Row[] = [];
  try {
    const program = await builtProcess();
    for (const database of databases) {
      for (const commits of [...COMMITS, ...asked]) {
        for (const withRequests of [false, true]) {
          // The largest is there to show what memory does, and fills for minutes.
          if (asked.includes(commits) && !withRequests) continue;
          const uri = await database.create();
          const repoId = await fillDatabase(uri, commits, withRequests);
          const derived = await derive(program, uri, repoId);
          rows.push({ database: database.name, commits, requests: withRequests ? commits / 4 : 0, ...derived });
        }
      }
    }
  } finally {
    for (const database of databases) await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
  printTable('First derivation of work units (aim: 30,000 units per second, and memory that does not grow)', rows);
}

type Row = Readonly<Record<string, string | number>>;

/** The program that derives, in a separate process, so that the creation of the records is not measured. */
async function builtProcess(): Promise<string> {
  const outfile = 'dist/bench/derive-process.js';
  await build({
    entryPoints: [fileURLToPath(new URL('derive-process.ts', import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
  });
  // It is read from beside the program.
  await cp('src/sync/work-units/assistants/assistants.yaml', 'dist/bench/assistants.yaml');
  return outfile;
}

async function derive(program: string, uri: string, repoId: string): Promise<Row> {
  const child = spawn(process.execPath, [program, uri, repoId, 'src/sync/work-units/classify/rules.yaml'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`The derivation ended with status ${String(status)}`);
  const { units, seconds, cpu, peak } = JSON.parse(output) as Readonly<
    Record<'units' | 'seconds' | 'cpu' | 'peak', number>
  >;
  return {
    units,
    seconds: Math.round(seconds * 100) / 100,
    'own CPU (s)': Math.round(cpu * 100) / 100,
    'units/s': Math.round(units / seconds),
    'peak memory (MB)': Math.round(peak),
  };
}
