/**
 * The compose tool compared with its neighbours, each in a separate process on the same engine, in one run:
 *
 * PLUMBLINE_TEST_DOCKER_HOST           a Docker Engine (`.ci/engines`),
 * PLUMBLINE_TEST_DOCKER_CURRENT_HOST   a current one (`.ci/docker-engine`), and
 * PLUMBLINE_TEST_DOCKER_COMPOSE        Docker Compose's standalone program for both (`.ci/docker-compose`)
 * PLUMBLINE_TEST_PODMAN                podman (`.ci/engines`), and
 * PLUMBLINE_TEST_PODMAN_COMPOSE        podman-compose for it (PyPI)
 *
 * PLUMBLINE_BENCH_NODE                 the Node.js that runs Plumbline (default: the one that runs this)
 *
 * What is missing is left out, and said. `npm run bench compose 2` takes two rounds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { testEngine, type TestEngine } from '../../support/engines.js';
import { median, printTable, unlessBrief } from '../measure.js';
import { LIMIT_SECONDS, milliseconds, Unfinished, type Contender } from './contender.js';
import { writeProjects } from './projects.js';

const ROUNDS = Number(process.argv.slice(2).find((argument) => /^\d+$/.test(argument)) ?? unlessBrief(7, 1));

const NODE = process.env['PLUMBLINE_BENCH_NODE'] ?? process.execPath;

interface Measure {
  readonly what: string;
  readonly aim: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Podman Compose has no such command, or another meaning of it. */
  readonly onDockerOnly?: true;
  /** At most, if it takes long. */
  readonly rounds?: number;
}

/** What Plumbline may need beyond Node.js alone, in milliseconds. */
const BEYOND_NODE = 40;
const NEAR_NODE = `<= node + ${BEYOND_NODE}`;

/** In this order, each as the one before has left the project. */
const MEASURES: readonly Measure[] = [
  { what: 'up -d of 10 services', aim: '<= 1.0', file: 'ten.yaml', args: ['up', '-d'] },
  { what: 'up -d again, nothing to do', aim: NEAR_NODE, file: 'ten.yaml', args: ['up', '-d'], onDockerOnly: true },
  { what: 'ps of 10 services', aim: NEAR_NODE, file: 'ten.yaml', args: ['ps'] },
  { what: 'down of 10 services', aim: '<= 1.0', file: 'ten.yaml', args: ['down'] },
  { what: 'up -d of 50 services', aim: '<= 1.0', file: 'fifty.yaml', args: ['up', '-d'], rounds: 3 },
  { what: 'down of 50 services', aim: '<= 1.0', file: 'fifty.yaml', args: ['down'], rounds: 3 },
  { what: 'config of 500 services', aim: '-', file: 'many.yaml', args: ['config'] },
];

export async function benchCompose(): Promise<void> {
  await besides('bridge/docker', 'Docker Compose', 'PLUMBLINE_TEST_DOCKER_COMPOSE');
  await besides('bridge/docker-current', 'Docker Compose', 'PLUMBLINE_TEST_DOCKER_COMPOSE');
  await besides('native/podman', 'podman-compose', 'PLUMBLINE_TEST_PODMAN_COMPOSE');
}

async function besides(name: TestEngine['name'], other: string, variable: string): Promise<void> {
  const engine = await testEngine(name);
  const program = process.env[variable];
  if ('reason' in engine || program === undefined) {
    console.log(`\ncompose on ${name}: left out, ${'reason' in engine ? engine.reason : `${variable} is not set`}`);
    return;
  }
  const isDocker = name !== 'native/podman';
  const folder = await mkdtemp(path.join(tmpdir(), 'plumbline-bench-'));
  try {
    await writeProjects(folder, engine);
    const ours: Contender = { folder, engine, command: [NODE, 'dist/src/cli/main.cjs', 'compose'] };
    const theirs: Contender = { folder, engine, command: [program] };
    const measures = MEASURES.filter(({ onDockerOnly }) => isDocker || onDockerOnly !== true);
    const figures = await sideBySide(measures, [ours, theirs]);
    const alone = await nodeAlone(ours);
    // Podman Compose does not find the containers of others.
    const log = isDocker ? await logThroughput([ours, theirs]) : undefined;
    const load = loadavg()[0]?.toFixed(1) ?? '';
    printTable(`Compose on ${name}, in ms (median of ${ROUNDS}; load ${load})`, [
      { what: 'node alone', plumbline: shown(alone), [other]: '-', ratio: '-', aim: '-' },
      ...measures.map(({ what, aim }, index) =>
        row(what, aimShown(aim, figures[index], alone), figures[index] ?? [], other),
      ),
      ...(log === undefined ? [] : [row('logs, 100000 lines', '-', log, other)]),
    ]);
  } catch (error) {
    // Printed here, because what the failed command has left can make the next step fail, too.
    console.error(error);
    throw error;
  } finally {
    await engine.clean();
    await rm(folder, { recursive: true, force: true });
  }
}

function row(
  what: string,
  aim: string,
  [ours = [], theirs = []]: readonly (readonly number[])[],
  other: string,
): Record<string, string | number> {
  const ratio = median(ours) / median(theirs);
  return {
    what,
    plumbline: shown(median(ours)),
    [other]: shown(median(theirs)),
    ratio: Number.isFinite(ratio) ? ratio.toFixed(2) : '-',
    aim,
  };
}

/** With the difference, where Node.js alone is what counts. */
function aimShown(aim: string, [ours = []]: readonly (readonly number[])[] = [], alone = 0): string {
  return aim === NEAR_NODE ? `${aim} (is + ${Math.round(median(ours) - alone)})` : aim;
}

/** A process of Node.js that does nothing. */
async function nodeAlone(contender: Contender): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(await milliseconds({ ...contender, command: [NODE] }, ['-e', '0']));
  }
  return median(times);
}

function shown(milliseconds: number): string | number {
  return Number.isFinite(milliseconds) ? Math.round(milliseconds) : `did not finish in ${LIMIT_SECONDS} s`;
}

/**
 * Turn by turn, so that what else the machine does meets both; the first round warms up. What somebody does not finish
 * is not tried again.
 */
async function sideBySide(measures: readonly Measure[], contenders: readonly Contender[]): Promise<number[][][]> {
  const figures = measures.map(() => contenders.map((): number[] => []));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [who, contender] of contenders.entries()) {
      for (const [which, { file, args, rounds = ROUNDS }] of measures.entries()) {
        if (round > rounds) continue;
        const times = figures[which]?.[who] ?? [];
        if (times.includes(Infinity)) continue;
        const took = await timed(contender, ['-f', file, ...args]);
        if (took === Infinity) times.splice(0, times.length, took);
        else if (round > 0) times.push(took);
      }
    }
  }
  return figures;
}

/** In milliseconds; infinite when it does not finish. */
async function timed(contender: Contender, args: readonly string[]): Promise<number> {
  try {
    return await milliseconds(contender, args);
  } catch (error) {
    if (!(error instanceof Unfinished)) throw error;
    console.log(error.message);
    return Infinity;
  }
}

/** The log of one container that has ended, read from its begin to its end. */
async function logThroughput(contenders: readonly Contender[]): Promise<number[][]> {
  const [first] = contenders;
  if (first === undefined) return [];
  await milliseconds(first, ['-f', 'chatty.yaml', 'up']);
  const logs = { what: 'logs', aim: '-', file: 'chatty.yaml', args: ['logs'] };
  const [figures = []] = await sideBySide([logs], contenders);
  await milliseconds(first, ['-f', 'chatty.yaml', 'down']);
  return figures;
}
