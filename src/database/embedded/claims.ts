import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '../is-alive.js';

/** One process's use of a cluster. */
export interface Claim {
  /** Gives the claim up. @returns true when no living process holds another one: the caller then stops the server. */
  release(): boolean;
}

/**
 * Records in `<cluster>/clients/` that this process uses the cluster.
 *
 * Everything is synchronous, so that nothing comes between the look at the other claims and the signal to the
 * server. Claims of processes that died without giving them up do not count and are removed.
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
 * When the process began, in clock ticks since boot (proc(5): field 22 of /proc/pid/stat). A container that is
 * started again hands out the same small process ids, so the id alone would take its predecessor for alive.
 */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name stands in parentheses and may hold blanks; field 3 follows the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // Not Linux, or the process has just ended: then the id alone decides.
  }
}
