/**
 * The clients that may use a server over mutual TLS: a file that holds a JSON array of
 * `{name, fingerprint256, created_at}`, for its owner's eyes alone.
 */
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import type { Log } from '../../../generated/contract.js';
import { ComposeFailure, failure } from '../model/errors.js';
import { parseAuthStore, type StoredClient } from './auth-store-file.js';

export interface AuthStore {
  /**
   * The client with this certificate, or null. The file is read anew when it has changed; while it cannot be read,
   * nobody is let in, and the log says why.
   *
   * @param fingerprint256 as Node prints it: SHA-256, upper case, bytes parted by colons
   */
  find(fingerprint256: string): Promise<StoredClient | null>;
}

/**
 * Opens the store of a server that runs.
 *
 * @throws AuthStoreError duplicateName, duplicateFingerprint, malformedFile or loosePermissions
 */
export async function openAuthStore(path: string, log: Log): Promise<AuthStore> {
  let seen = await versionOf(path);
  let clients = byFingerprint(await loadExisting(path));

  async function refresh(): Promise<void> {
    const version = await versionOf(path);
    if (version === seen) return;
    seen = version;
    try {
      clients = byFingerprint(await loadExisting(path));
      log.info({ clients: clients.size }, 'the auth store has changed and was read again');
    } catch (error) {
      clients = new Map();
      log.error({ err: error }, 'the auth store has changed and cannot be read: no client is let in');
    }
  }

  return {
    async find(fingerprint256) {
      await refresh();
      return clients.get(fingerprint256) ?? null;
    },
  };
}

/**
 * Reads the store. Without a file it is empty.
 *
 * @throws AuthStoreError duplicateName, duplicateFingerprint, malformedFile or loosePermissions
 */
export async function readAuthStore(path: string): Promise<readonly StoredClient[]> {
  const file = await openFile(path);
  if (file === undefined) return [];
  try {
    // Of the open file, so that what is checked is what is read.
    const mode = (await file.stat()).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw failure('AuthStoreError', 'loosePermissions', { path, mode: mode.toString(8).padStart(4, '0') });
    }
    return parseAuthStore(await file.readFile('utf8'), path);
  } catch (error) {
    throw error instanceof ComposeFailure ? error : unreadable(path, error);
  } finally {
    await file.close();
  }
}

/** The file that a path leads to: replacing a symbolic link would leave the store that others read as it was. */
export async function storeFile(path: string): Promise<string> {
  return realpath(path).catch(() => path); // not there yet
}

/** A server that names a store without a file is set up wrongly: it would refuse everybody. */
async function loadExisting(path: string): Promise<readonly StoredClient[]> {
  if ((await versionOf(path)) !== undefined) return readAuthStore(path);
  const reason = 'there is no such file; "plumbline compose auth add" makes it';
  throw failure('AuthStoreError', 'malformedFile', { path, reason });
}

/** Whatever may change of a file changes this. */
async function versionOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}:${found.ctimeNs}:${found.size}`;
}

function byFingerprint(clients: readonly StoredClient[]): ReadonlyMap<string, StoredClient> {
  return new Map(clients.map((client) => [client.fingerprint256, client]));
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): ComposeFailure {
  const reason = codeOf(error) === 'EISDIR' ? 'it is a directory' : (codeOf(error) ?? 'reading it failed');
  return failure('AuthStoreError', 'malformedFile', { path, reason });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
