/** Start times: the server on an existing database, and the help text. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median, printTable, unlessBrief } from '../measure.js';
import { startPlatformProcess } from './process.js';

const run = promisify(execFile);
const rounds = unlessBrief(7, 1);

export async function benchStart(): Promise<void> {
  const first = await startPlatformProcess();
  await first.stop();
  const starts: number[] = [];
  const helps: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const again = await startPlatformProcess(first.home);
    starts.push(again.startedInMs);
    await again.stop();
    helps.push(await millisecondsOf(['dist/src/cli/main.cjs', '--help']));
    bare.push(await millisecondsOf(['--eval', '0']));
  }
  await first.remove();
  printTable(`Start times in ms (median of ${rounds})`, [
    { what: 'server, first start (creates its database)', plumbline: Math.round(first.startedInMs), aim: '-' },
    { what: 'server, existing database', plumbline: Math.round(median(starts)), aim: '< 1000' },
    { what: 'plumbline --help', plumbline: Math.round(median(helps)), aim: '< 150' },
    { what: 'node alone', plumbline: Math.round(median(bare)), aim: '-' },
  ]);
}

async function millisecondsOf(args: readonly string[]): Promise<number> {
  const started = performance.now();
  await run(process.execPath, [...args]);
  return performance.now() - started;
}
