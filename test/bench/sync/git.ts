/** `sync git` of a whole history against `git log --numstat`, on every kind of database that needs no separate server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initRepository, writeHistory } from '../../support/git-history.js';
import { median, printTable, unlessBrief } from '../measure.js';
import type { BenchDatabase } from './databases.js';
import { openBenchDatabases } from './databases.js';

const ROUNDS = unlessBrief(3, 1);
const COMMITS = unlessBrief(50_000, 100);

export async function benchSyncGit(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-bench-sync-'));
  const databases = await openBenchDatabases(folder);
  try {
    const history = join(folder, 'history');
    initRepository(history);
    await writeHistory(history, COMMITS);
    const rows: Row[] = [];
    for (const database of databases) {
      rows.push(await compare('this project', process.cwd(), COMMITS, database));
      for (const commits of unlessBrief([COMMITS / 4, COMMITS / 2, COMMITS], [COMMITS])) {
        rows.push(await compare(`${commits} commits`, history, commits, database));
      }
    }
    printTable(`sync git and git log --numstat (median of ${ROUNDS} rounds, taken in turns)`, rows);
  } finally {
    for (const database of databases) await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Row = Readonly<Record<string, string | number>>;

async function compare(history: string, path: string, commits: number, database: BenchDatabase): Promise<Row> {
  const gitSeconds: number[] = [];
  const syncs: Measured[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // In turns, and compared within a round: what else the machine does then counts for both.
    const git = await secondsOfGit(path, commits);
    const sync = await measureSync(path, commits, await database.create());
    gitSeconds.push(git);
    syncs.push(sync);
    ratios.push(sync.seconds / git);
  }
  return {
    history,
    database: database.name,
    'git log (s)': round(median(gitSeconds)),
    'sync git (s)': round(median(syncs.map(({ seconds }) => seconds))),
    ratio: round(median(ratios)),
    aim: commits === COMMITS && path !== process.cwd() ? '<= 1.5' : '-',
    'peak memory (MB)': Math.round(median(syncs.map(({ peak }) => peak))),
  };
}

async function secondsOfGit(path: string, commits: number): Promise<number> {
  const began = performance.now();
  const log = spawn('git', ['-C', path, 'log', '--numstat', `--max-count=${commits}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await succeeded('git log', log);
  return (performance.now() - began) / 1000;
}

interface Measured {
  /** From start to exit, with the work units. */
  readonly seconds: number;
  /** The most memory that the process had at a time, in MB; git and the database not counted. */
  readonly peak: number;
}

/** Runs before the command in the same process: writes, as its last word, the peak of its memory to descriptor 3. */
const REPORT_MEMORY =
  "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))";

/** The built command, as users run it, from start to exit. */
async function measureSync(path: string, commits: number, db: string): Promise<Measured> {
  const began = performance.now();
  const command = ['dist/src/cli/main.cjs', 'sync', 'git', '--provider', 'local', '--repo-path', path];
  const sync = spawn(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(REPORT_MEMORY)}`,
      ...command,
      `--max-commits-per-repo=${commits}`,
      '--db',
      db,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env: { ...process.env, NODE_ENV: 'production' } },
  );
  let kilobytes = '';
  sync.stdio[3]?.on('data', (text: Buffer) => (kilobytes += text.toString()));
  await succeeded('plumbline sync', sync);
  return { seconds: (performance.now() - began) / 1000, peak: Number(kilobytes) / 1024 };
}

async function succeeded(what: string, child: ReturnType<typeof spawn>): Promise<void> {
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`${what} ended with status ${String(status)}`);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
