import { readFileSync } from 'node:fs';

/**
 * The start time of a process, in clock ticks since boot (proc(5): field 22 of /proc/pid/stat). A restarted container
 * assigns the same small process ids, so the id alone could match another process.
 *
 * @returns undefined if the process has ended or its start time is unknown
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may contain spaces; field 3 follows the last parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
