import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFailed, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/free-port.js';

// The generator runs three times, and the build twice.
vi.setConfig({ testTimeout: 900_000 });

const copied = [
  'openapi',
  'graphql',
  'codegen.yml',
  'generated',
  'src',
  'sdk/src',
  'sdk/package.json',
  'package.json',
  'tsconfig.json',
];

test('`npm run dev` serves a changed contract, keeps the server when generation fails, and ends everything', async () => {
  const root = await copyOfCheckout();
  const port = await freePort();
  const dev = spawn('npm', ['run', 'dev', '--', '--port', String(port)], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: root, PLUMBLINE_HOME: join(root, 'home') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a process group, as in a terminal
  });
  const group = dev.pid ?? expect.fail('npm did not start');
  let printed = '';
  for (const stream of [dev.stdout, dev.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (printed += part));
  onTestFailed(() => {
    console.error(printed);
  });
  onTestFinished(async () => {
    for (const pid of await processesBelow(group)) process.kill(pid, 'SIGKILL');
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const servedTitle = async (): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/openapi.json`).catch(() => null);
    const document = (await response?.json()) as { info: { title: string } } | undefined; // the contract
    return document?.info.title;
  };
  const patiently = { timeout: 300_000, interval: 200 };
  await expect.poll(servedTitle, patiently).toBe('Plumbline Platform API');

  const contract = join(root, 'openapi/platform.yaml');
  const text = await readFile(contract, 'utf8');
  await writeFile(contract, text.replace('title: Plumbline Platform API', 'title: Changed'));
  await expect.poll(servedTitle, patiently).toBe('Changed');

  const teams = join(root, 'openapi/platform/teams.yaml');
  const right = await readFile(teams, 'utf8');
  const before = await processesBelow(group);
  await writeFile(teams, right.replace('additionalProperties: false', 'additionalProperties: true'));
  await expect.poll(() => printed, patiently).toContain('dev: generate failed; the server stays as it is');
  expect(printed).toContain('an object schema needs additionalProperties: false');
  expect(await servedTitle()).toBe('Changed');
  // Every program that the failed generation started must end. Processes of the database come and go with its connections.
  const begun = async (): Promise<string[]> => {
    const added = (await processesBelow(group)).filter((pid) => !before.includes(pid));
    const names = await Promise.all(added.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
    return names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'postgres');
  };
  await expect.poll(begun, patiently).toEqual([]);

  const all = await processesBelow(group);
  expect(all.length).toBeGreaterThan(2);
  const closed = once(dev, 'close'); // when no process has its output any more
  process.kill(-group, 'SIGINT');
  await closed;
  expect(await servedTitle()).toBeUndefined();
  await expect.poll(() => processesBelow(group, all), patiently).toEqual([]);
});

/** What `npm run dev` needs of the checkout. */
async function copyOfCheckout(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'plumbline-dev-'));
  const files = [...copied, '.prettierrc.json', 'redocly.yaml', 'src/console/tsconfig.json'];
  for (const file of files) await cp(file, join(root, file), { recursive: true });
  await cp('package-lock.json', join(root, 'package-lock.json'));
  // What was generated last, if that is known: nothing is generated at the start.
  if (existsSync('.cache/generation.json')) await cp('.cache/generation.json', join(root, '.cache/generation.json'));
  await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** A process and all that it started, sorted, and those of `others` that still run. */
async function processesBelow(root: number, others: readonly number[] = []): Promise<number[]> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const pid of numbers) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Z: it has ended.
    if (stat !== '' && state !== 'Z') parents.set(pid, Number(parent));
  }
  const found = new Set([root, ...others].filter((pid) => parents.has(pid)));
  // A set iterates over what is added meanwhile, too.
  for (const each of found) for (const [pid, parent] of parents) if (parent === each) found.add(pid);
  return [...found].sort((a, b) => a - b);
}
