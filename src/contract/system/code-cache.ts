/**
 * Runs a CommonJS bundle with a code cache: V8 then neither parses nor compiles its functions. The cache is kept
 * between runs, and extended by each command that runs for the first time. Node's own cache (`enableCompileCache`)
 * needs Node 22.
 */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import vm from 'node:vm';

export interface CachedRun {
  /**
   * The absolute path of the bundle. Its first line is a comment with a hash of the rest, which is one function with the
   * parameters of CommonJS modules.
   */
  readonly file: string;
  /** Absent: no cache is kept. */
  readonly folder: string | undefined;
}

export interface CachedModule {
  readonly exports: unknown;
  /** Adds the functions of a command to the cache when the process exits, unless they are in it. */
  keep(command: string): void;
}

/**
 * The folder of the cache: below PLUMBLINE_HOME, otherwise the user's cache directory. NODE_DISABLE_COMPILE_CACHE turns
 * the cache off, as it does Node's own.
 */
export function codeCacheFolder(environment: NodeJS.ProcessEnv): string | undefined {
  if (environment.NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (environment.PLUMBLINE_HOME) return join(environment.PLUMBLINE_HOME, 'code-cache');
  const { XDG_CACHE_HOME: cache } = environment;
  return join(cache && isAbsolute(cache) ? cache : join(environment.HOME ?? homedir(), '.cache'), 'plumbline');
}

/** Runs the bundle. */
export function runCached({ file, folder }: CachedRun): CachedModule {
  // The bundle is ASCII (esbuild's default), so that this needs no decoding.
  const source = readFileSync(file, 'latin1');
  const hash = /^\/\/ ([0-9a-f]{16})\n/.exec(source)?.[1];
  const kept = folder === undefined || hash === undefined ? undefined : join(folder, cacheName(hash));
  const cache = kept === undefined ? undefined : readCache(kept);
  const script = new vm.Script(source, {
    filename: file,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cache && { cachedData: cache.code }),
  });
  const commands = cache === undefined || script.cachedDataRejected === true ? [] : cache.commands;
  const module = { exports: {} };
  // A script is untyped; this is the signature of the wrapper above.
  const wrapper = script.runInThisContext() as (
    exports: object,
    require: NodeJS.Require,
    module: { exports: object },
    file: string,
    folder: string,
  ) => void;
  wrapper(module.exports, createRequire(file), module, file, dirname(file));
  return {
    exports: module.exports,
    keep(command) {
      if (kept === undefined || commands.includes(command)) return;
      process.once('exit', () => {
        writeCache(kept, [...commands, command], script);
      });
    },
  };
}

/** V8 checks its version and flags, but of the source only the length. */
function cacheName(hash: string): string {
  return `compose-${hash}-${process.version}-${process.arch}`;
}

interface Cache {
  readonly commands: readonly string[];
  readonly code: Buffer;
}

/**
 * The commands, a newline, and V8's data. This file contains code to run: it and its folder must belong to this user,
 * and no other user may have write access.
 */
function readCache(path: string): Cache | undefined {
  try {
    if (!isOurs(statSync(dirname(path)))) return undefined;
    const descriptor = openSync(path, 'r');
    try {
      if (!isOurs(fstatSync(descriptor))) return undefined;
      const data = readFileSync(descriptor);
      const end = data.indexOf('\n');
      return { commands: data.toString('latin1', 0, end).split(' '), code: data.subarray(end + 1) };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined; // The file is missing or unreadable.
  }
}

function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  // Windows has neither. Its user folders are private.
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** Replaces the file atomically: another process reads either the old or the new content. */
function writeCache(path: string, commands: readonly string[], script: vm.Script): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}`;
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(
        descriptor,
        Buffer.concat([Buffer.from(`${commands.join(' ')}\n`, 'latin1'), script.createCachedData()]),
      );
      // Otherwise a power failure could leave a file of zeros under the new name.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch {
    // The cache only saves time. The folder may be read-only.
  }
}
