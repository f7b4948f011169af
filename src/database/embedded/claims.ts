import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../../system/is-alive.js';

/** A record that a process uses a cluster. */
export interface Claim {
  /** Releases the claim. @returns true if no other running process holds one: the caller then stops the server. */
  release(): boolean;
}

/**
 * Records in `<cluster>/clients/` that this process uses the cluster.
 *
 * It is synchronous, so that nothing happens between checking other claims and signalling the server. Claims of
 * processes that ended without releasing them are ignored and removed.
 */
export function claimCluster(clusterDirectory: string): Claim {
  const directory = path.join(clusterDirectory, 'clients');
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, name), processStart(process.pid) ?? '');
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
  if (isAlive(pid) && readFileSync(file, 'utf8') === (processStart(pid) ?? '')) return true;
  rmSync(file, { force: true });
  return false;
}

/**
 * The start time of the process, in clock ticks since boot (proc(5): field 22 of /proc/pid/stat). A restarted container
 * assigns the same small process ids, so the id alone could match another process.
 */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may contain spaces; field 3 follows the last parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // Not Linux, or the process has just ended: only the id is compared.
  }
}
