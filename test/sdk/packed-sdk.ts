import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = process.cwd();

export interface PackedSdk {
  /** Where everything is; the caller deletes it. */
  readonly folder: string;
  /** The package as it would be published. */
  readonly tarball: string;
  /** The same, unpacked. */
  readonly unpacked: string;
}

/** Builds and packs the SDK outside of the checkout, so that tests at the same time do not meet. */
export async function packSdk(): Promise<PackedSdk> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-sdk-'));
  const unpacked = join(folder, 'package');
  await mkdir(unpacked);
  for (const file of ['package.json', 'README.md', 'LICENSE', 'docs'])
    await cp(join(root, 'sdk', file), join(unpacked, file), { recursive: true });
  await run(process.execPath, [join(root, 'sdk/build.js'), unpacked]);
  return { folder, unpacked, tarball: await pack(unpacked, folder) };
}

/**
 * Creates a project from a consumer: a copy in a fresh folder that installs the packed SDK. What the SDK
 * depends on comes as tarballs of the installed packages, so that no network is needed.
 *
 * @param consumer name of the folder under `test/consumers`
 * @returns the project's folder
 */
export async function installConsumer(sdk: PackedSdk, consumer: string): Promise<string> {
  const project = await mkdtemp(join(sdk.folder, `${consumer}-`));
  await cp(join(root, 'test/consumers', consumer), project, { recursive: true });
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name));
  const tarballs = [sdk.tarball];
  for (const dependency of dependencies) tarballs.push(await pack(dependency, project));
  const quiet = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await npm(['install', ...quiet, ...tarballs], project);
  return project;
}

/** The files of a folder, relative to it. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

async function pack(folder: string, destination: string): Promise<string> {
  const printed = await npm(
    ['pack', folder, '--ignore-scripts', '--json', '--pack-destination', destination],
    destination,
  );
  const filename = /"filename": "([^"]+)"/.exec(printed)?.[1];
  if (filename === undefined) throw new Error(`npm packed nothing of ${folder}`);
  return join(destination, filename);
}

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run('npm', [...args], { cwd });
  return stdout;
}
