/**
 * Runs every compose file below a folder with docker compose and with Plumbline on the same Docker Engine, and prints
 * for how many both leave the same containers, networks, volumes and exit codes:
 *
 * `PLUMBLINE_TEST_DOCKER_CURRENT_HOST=... PLUMBLINE_TEST_DOCKER_COMPOSE=... npx tsx test/compose/oracle/engine-corpus.ts FOLDER`
 *
 * The engine needs the images that the files name. Each project is named `oracle`, and is removed by its label
 * afterwards.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { isObject } from './comparison.js';
import { composeFiles, environmentFor, printResults, resultOf, type Answer, type Result } from './report.js';

const PROJECT = 'oracle';
const LIMIT_SECONDS = 60;
/** Until containers that end soon have ended. */
const SETTLE_SECONDS = 2;

const socket = (process.env['PLUMBLINE_TEST_DOCKER_CURRENT_HOST'] ?? '').replace('unix://', '');
const reference = process.env['PLUMBLINE_TEST_DOCKER_COMPOSE'] ?? '';
const [folder] = process.argv.slice(2);
if (folder === undefined || socket === '' || reference === '') throw new Error('see the head of this file');
const engine = new Agent({ connect: { socketPath: socket } });
const plumbline = [process.execPath, path.resolve('dist/src/cli/main.cjs'), 'compose'];

async function ask(method: 'GET' | 'DELETE', address: string): Promise<unknown> {
  const { body } = await request(`http://engine${address}`, { method, dispatcher: engine });
  const text = await body.text();
  return text === '' ? null : JSON.parse(text);
}

async function objects(kind: 'containers' | 'networks' | 'volumes'): Promise<Record<string, unknown>[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`com.docker.compose.project=${PROJECT}`] }));
  const found = await ask(
    'GET',
    kind === 'containers' ? `/containers/json?all=1&filters=${filters}` : `/${kind}?filters=${filters}`,
  );
  const list = isObject(found) ? (found['Volumes'] ?? []) : found;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

async function removeAll(): Promise<void> {
  for (const { Id } of await objects('containers')) await ask('DELETE', `/containers/${String(Id)}?force=1&v=1`);
  for (const { Id } of await objects('networks')) await ask('DELETE', `/networks/${String(Id)}`);
  for (const { Name } of await objects('volumes')) await ask('DELETE', `/volumes/${String(Name)}`);
}

interface Ended {
  readonly code: number | string;
  readonly lastLine: string;
}

async function run(command: readonly string[], file: string, args: readonly string[]): Promise<Ended> {
  const [program = '', ...before] = command;
  const options = {
    cwd: path.dirname(file),
    env: { ...environmentFor(file), PATH: process.env['PATH'], HOME: home, DOCKER_HOST: `unix://${socket}` },
    timeout: LIMIT_SECONDS * 1000,
    killSignal: 'SIGKILL',
  } as const;
  return new Promise((resolve) => {
    execFile(program, [...before, '-p', PROJECT, '-f', file, ...args], options, (error, _, stderr) => {
      const lastLine = stderr.trim().split('\n').at(-1) ?? '';
      resolve({ code: error === null ? 0 : (error.code ?? 'unfinished'), lastLine });
    });
  });
}

/** What one tool makes of a file: what stands on the engine after `up -d`, and what is left after `down -v --rmi local`. */
async function answer(command: readonly string[], file: string): Promise<Answer> {
  const up = await run(command, file, ['up', '-d']);
  await sleep(SETTLE_SECONDS * 1000);
  const running = await standing();
  const down = await run(command, file, ['down', '-v', '--rmi', 'local', '-t', '1']);
  const left = await standing();
  await removeAll();
  if (up.code !== 0) return { refused: `${String(up.code)}: ${up.lastLine}` };
  return { printed: comparable({ running, down: down.code, left }) };
}

/** Without ids and ports that the engine chooses, and without values that mean the same as none. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\b(?:sha256:)?[0-9a-f]{64}\b|^[0-9a-f]{12}$/gu, '*');
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const kept = Object.entries(value)
    .map(([key, inner]) => [comparable(key), key === 'HostPort' ? portOf(inner) : comparable(inner)] as const)
    .filter(([, inner]) => !isNone(inner));
  return Object.fromEntries(kept);
}

const FIRST_EPHEMERAL_PORT = 32_768;

function portOf(port: unknown): unknown {
  return Number(port) >= FIRST_EPHEMERAL_PORT ? '*' : port;
}

function isNone(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.keys(value).length === 0;
  return [null, undefined, '', false, 0].some((none) => none === value);
}

async function standing(): Promise<unknown> {
  const containers: [string, unknown][] = [];
  for (const { Id } of await objects('containers'))
    containers.push(containerOf(await ask('GET', `/containers/${String(Id)}/json`)));
  const named = async (kind: 'networks' | 'volumes'): Promise<unknown> =>
    Object.fromEntries((await objects(kind)).map((one) => [String(one['Name']), only(one, KEPT[kind])]));
  return {
    containers: Object.fromEntries(containers),
    networks: await named('networks'),
    volumes: await named('volumes'),
  };
}

/** What is compared of each; the rest are ids, times, addresses that the engine chooses, and the labels of the tool. */
const KEPT = {
  networks: ['Driver', 'EnableIPv4', 'EnableIPv6', 'Internal', 'Attachable', 'Options'],
  volumes: ['Driver', 'Options'],
} as const;

function only(one: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return { ...Object.fromEntries(keys.map((key) => [key, one[key]])), Labels: ownLabels(one['Labels']) };
}

function ownLabels(labels: unknown): unknown {
  if (!isObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).filter(([name]) => !/^(?:com\.docker\.compose|plumbline)\./u.test(name)),
  );
}

function containerOf(inspected: unknown): [string, unknown] {
  if (!isObject(inspected)) throw new Error('a container is an object');
  const {
    Id: id,
    Name: name,
    Config: config,
    HostConfig: host,
    Mounts: mounts,
    NetworkSettings: settings,
    State: state,
  } = inspected;
  if (!isObject(config) || !isObject(state) || !isObject(settings) || !isObject(settings['Networks']))
    throw new Error('unexpected answer');
  const labels = config['Labels'];
  if (!isObject(labels)) throw new Error('unexpected answer');
  // The tools name containers differently.
  const service = `${String(labels['com.docker.compose.service'])}-${String(labels['com.docker.compose.container-number'])}`;
  const generated = [String(name).slice(1), String(id).slice(0, 12)];
  const networks = Object.entries(settings['Networks']).map(([network, joined]) => [
    network,
    joinedOf(joined, generated),
  ]);
  return [
    service,
    {
      // Nothing is attached after `up -d`.
      config: {
        ...config,
        Env: sorted(config['Env']),
        AttachStdout: null,
        AttachStderr: null,
        Labels: ownLabels(labels),
      },
      // The mounts say the same, whichever form they were given in.
      host: isObject(host) ? { ...host, Binds: null, Mounts: null } : host,
      mounts: Array.isArray(mounts) ? mounts.filter(isObject).sort(byTarget).map(withoutPlace) : mounts,
      networks: Object.fromEntries(networks) as unknown,
      ports: settings['Ports'],
      state: [state['Status'], state['ExitCode']],
    },
  ];
}

function joinedOf(joined: unknown, generated: readonly string[]): unknown {
  if (!isObject(joined)) return joined;
  const { Aliases: aliases, IPAMConfig, Links, DriverOpts, GwPriority } = joined;
  const own = Array.isArray(aliases) ? aliases.filter((alias) => !generated.includes(String(alias))).sort() : aliases;
  return { aliases: own, IPAMConfig, Links, DriverOpts, GwPriority };
}

/** Where the engine keeps a volume depends on its name, and the mode repeats `RW`. */
function withoutPlace(mount: Record<string, unknown>): Record<string, unknown> {
  return { ...mount, Mode: null, ...(mount['Type'] === 'volume' && { Source: null }) };
}

function sorted(values: unknown): unknown {
  return Array.isArray(values) ? values.map(String).sort() : values;
}

function byTarget(
  { Destination: one }: Record<string, unknown>,
  { Destination: other }: Record<string, unknown>,
): number {
  return String(one) < String(other) ? -1 : 1;
}

const home = mkdtempSync(path.join(tmpdir(), 'plumbline-oracle-'));
const results: Result[] = [];
await removeAll();
for (const file of composeFiles(folder)) {
  results.push(resultOf(file, await answer([reference], file), await answer(plumbline, file)));
  console.error(results.at(-1));
}
printResults(results);
await engine.close();
rmSync(home, { recursive: true });
