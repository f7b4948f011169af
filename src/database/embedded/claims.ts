import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '@plumbline/contract/system/error-code';
import { isAlive } from '@plumbline/contract/system/is-alive';
import { processStart } from '@plumbline/contract/system/process-start';

/** A record that a process uses a cluster. */
export interface Claim {
  /** Releases the claim. @returns true if no other running process holds one: the caller then stops the server. */
  release(): boolean;
}

/**
 * Records in `<cluster>/clients/` that this process uses the cluster.
 *
 * The functions are synchronous, so that nothing happens between checking other claims and signalling the server.
 * Claims of processes that ended without releasing them are ignored and removed.
 */
export function claimCluster(clusterDirectory: string): Claim {
  const directory = path.join(clusterDirectory, 'clients');
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  mkdirSync(directory, { recursive: true });
  // Another process must not read it half written: that would count as the claim of a process that has ended.
  const unfinished = path.join(clusterDirectory, `${name}.client`);
  writeFileSync(unfinished, processStart(process.pid) ?? '');
  renameSync(unfinished, path.join(directory, name));
  return {
    release() {
      rmSync(path.join(directory, name), { force: true });
      return readdirSync(directory).filter((other) => isHeld(directory, other)).length === 0;
    },
  };
}

function isHeld(directory: string, name: string): boolean {
  const file = path.join(directory, name);
  const pid = Number.parseInt(name, 10);
  if (isAlive(pid) && readIfPresent(file) === (processStart(pid) ?? '')) return true;
  rmSync(file, { force: true });
  return false;
}

/** @returns null if there is no such file, because its process has released it meanwhile */
function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
