/**
 * The clients that may use a server over mutual TLS: a file with a JSON array of `{name, fingerprint256, created_at}`,
 * readable by its owner only.
 */
import { realpath, stat } from 'node:fs/promises';
import { openRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import type { Log } from '@plumbline/contract/contract-types';
import { ComposeFailure, failure } from '../model/errors.js';
import { parseAuthStore, type StoredClient } from './auth-store-file.js';
import { errorCode } from '@plumbline/contract/system/error-code';

export interface AuthStore {
  /**
   * The client with this certificate, or null. The file is read again after a change. While it cannot be read, no
   * client is accepted, and the log contains the reason.
   *
   * @param fingerprint256 as formatted by Node: SHA-256, upper case, bytes separated by colons
   */
  find(fingerprint256: string): Promise<StoredClient | null>;
}

/**
 * Opens the store of a running server.
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
      log.info({ clients: clients.size }, 'the auth store has changed and was reloaded');
    } catch (error) {
      clients = new Map();
      log.error({ err: error }, 'the auth store has changed and cannot be read: no client is accepted');
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
 * Reads the store. A missing file is an empty store.
 *
 * @throws AuthStoreError duplicateName, duplicateFingerprint, malformedFile or loosePermissions
 */
export async function readAuthStore(path: string): Promise<readonly StoredClient[]> {
  const file = await openFile(path);
  if (file === undefined) return [];
  const { handle, found } = file;
  try {
    // Checks the open file, so that the checked file is the one read.
    const mode = found.mode & 0o777;
    if ((mode & 0o077) !== 0) {
      throw failure('AuthStoreError', 'loosePermissions', { path, mode: mode.toString(8).padStart(4, '0') });
    }
    return parseAuthStore(await handle.readFile('utf8'), path);
  } catch (error) {
    throw error instanceof ComposeFailure ? error : unreadable(path, error);
  } finally {
    await handle.close();
  }
}

/** Resolves symbolic links, because replacing a link would leave the actual store unchanged. */
export async function storeFile(path: string): Promise<string> {
  return realpath(path).catch(() => path); // does not exist yet
}

/** A server whose store does not exist is misconfigured: it would reject every client. */
async function loadExisting(path: string): Promise<readonly StoredClient[]> {
  if ((await versionOf(path)) !== undefined) return readAuthStore(path);
  const reason = 'there is no such file; create it with "plumbline compose auth add"';
  throw failure('AuthStoreError', 'malformedFile', { path, reason });
}

/** Identifies the file's version. */
async function versionOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}:${found.ctimeNs}:${found.size}`;
}

function byFingerprint(clients: readonly StoredClient[]): ReadonlyMap<string, StoredClient> {
  return new Map(clients.map((client) => [client.fingerprint256, client]));
}

async function openFile(path: string): Promise<Awaited<ReturnType<typeof openRegularFile>> | undefined> {
  try {
    return await openRegularFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): ComposeFailure {
  const reason =
    error instanceof UnreadableFileError ? `it ${error.reason}` : (errorCode(error) ?? 'reading it failed');
  return failure('AuthStoreError', 'malformedFile', { path, reason });
}
