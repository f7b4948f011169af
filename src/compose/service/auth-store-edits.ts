/** Changes the auth store. Each change is atomic, and concurrent changes are all kept. */
import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { withFileLock, FileLockedError } from '@plumbline/contract/system/file-lock';
import { ComposeFailure, failure } from '../model/errors.js';
import type { Clock } from '../runtime/clock.js';
import { replaceFile } from '@plumbline/contract/system/replace-file';
import { authStoreText, isClientName, requireUnique, type StoredClient } from './auth-store-file.js';
import { readAuthStore, storeFile } from './auth-store.js';
import { InvalidClient } from './refusals.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/**
 * Adds a client to the store, which is created with mode 0600 if it is missing.
 *
 * @param certificate in PEM or DER; the first one of a chain counts
 * @throws InvalidClient for an invalid name or certificate
 * @throws AuthStoreError duplicateName, duplicateFingerprint, or a failure to read the store
 */
export async function addClient(
  path: string,
  { name, certificate }: { name: string; certificate: Uint8Array },
  clock: Clock,
): Promise<StoredClient> {
  if (!isClientName(name)) throw new InvalidClient('A client name is 1 to 128 printable characters.');
  const client = { name, fingerprint256: fingerprintOf(certificate), created_at: clock.now().toISOString() };
  await change(path, clock, (clients) => {
    const all = [...clients, client];
    requireUnique(all);
    return all;
  });
  return client;
}

/** @throws AuthStoreError clientNotFound, or a failure to read the store */
export async function removeClient(path: string, name: string, clock: Clock): Promise<void> {
  await change(path, clock, (clients) => {
    const others = clients.filter((client) => client.name !== name);
    if (others.length === clients.length) throw failure('AuthStoreError', 'clientNotFound', { name, path });
    return others;
  });
}

function fingerprintOf(certificate: Uint8Array): string {
  try {
    return new X509Certificate(certificate).fingerprint256;
  } catch (cause) {
    throw new InvalidClient('The file does not contain an X.509 certificate in PEM or DER.', { cause });
  }
}

async function change(
  path: string,
  clock: Clock,
  edit: (clients: readonly StoredClient[]) => readonly StoredClient[],
): Promise<void> {
  const file = await storeFile(path);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const rewrite = async (): Promise<void> => replaceFile(file, authStoreText(edit(await readAuthStore(file))));
    await withFileLock(file, rewrite, { sleep: (ms) => clock.sleep(ms) });
  } catch (error) {
    if (error instanceof FileLockedError) throw failure('AuthStoreError', 'locked', { path: error.lockFile });
    if (error instanceof ComposeFailure || errorCode(error) === undefined) throw error;
    throw failure('AuthStoreError', 'unwritable', { path, reason: String(errorCode(error)) });
  }
}
