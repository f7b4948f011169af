import { spawn, type ChildProcess } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import { build } from 'esbuild';

/** Whether a benchmark only has to show that it runs: `--brief`. Its figures then mean nothing. */
const isBrief = process.argv.includes('--brief');

/** A number of rounds, seconds or rows, or the one that is enough to show that a benchmark runs. */
export function unlessBrief<Size>(usual: Size, brief: Size): Size {
  return isBrief ? brief : usual;
}

/** The number of the first round, below 0 if that many warm up. `--brief` measures nothing, so it has none that do. */
export const firstRound = (warmups: number): number => unlessBrief(-warmups, 0);

/** A server in a separate process. */
export interface ServerProcess {
  readonly port: number;
  stop(): void;
}

/** The built servers, by file: one that is started several times at once must not be written while another reads it. */
const built = new Map<string, Promise<string>>();

async function builtFile(file: string): Promise<string> {
  const outfile = `dist/bench/${basename(file, '.ts')}.js`;
  await build({ entryPoints: [file], outfile, bundle: true, packages: 'external', format: 'esm', platform: 'node' });
  return outfile;
}

/** Starts a TypeScript file that prints the port it listens on; it is built first, as the product is when it runs. */
export async function startServer(file: string, ...args: readonly string[]): Promise<ServerProcess> {
  const building = built.get(file) ?? builtFile(file);
  built.set(file, building);
  const outfile = await building;
  const child = spawn(process.execPath, [outfile, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return { port: await firstNumber(child), stop: () => child.kill() };
}

async function firstNumber(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('the server has no output');
  for await (const line of createInterface(child.stdout)) {
    if (/^\d+$/.test(line)) return Number(line);
  }
  throw new Error('the server ended without printing its port');
}

export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly seconds: number;
  readonly connections: number;
}

/** Requests per second under load. Throws when a reply was not 2xx: a server that fails fast is not fast. */
export async function requestsPerSecond({ seconds, ...load }: Load): Promise<number> {
  const result = await autocannon({ ...load, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} failures, ${result.errors} errors`);
  return result.requests.average;
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The ratios of the tables that were printed, as rows of `RATIOS.md` without the release. */
export const printedRatios: { readonly table: string; readonly what: string; readonly ratio: string }[] = [];

/** Prints a table: the figures, the ratio, and what is aimed at. */
export function printTable(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  console.log(`\n${title}`);
  console.table(rows);
  for (const { ratio, ...row } of rows) {
    const [what = ''] = Object.values(row);
    if (ratio !== undefined && ratio !== '-')
      printedRatios.push({ table: title, what: String(what), ratio: String(ratio) });
  }
}
