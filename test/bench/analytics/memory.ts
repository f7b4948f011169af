/** The memory and the processor time that processes take, as Linux tells them; elsewhere they are not known. */
import { readdirSync, readFileSync } from 'node:fs';

/** Runs the work and samples what `measure` tells meanwhile. @returns the highest sample in MB, 0 where there is none */
export async function peakMegabytes(measure: () => number, work: () => Promise<unknown>): Promise<number> {
  let peak = measure();
  const timer = setInterval(() => (peak = Math.max(peak, measure())), 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.round(peak / 1024);
}

/** Kilobytes of this process. */
export function ownMemory(): number {
  return process.memoryUsage.rss() / 1024;
}

/** Kilobytes of a process's children, without what they share. */
export function memoryOfChildren(parent: number): number {
  let sum = 0;
  for (const pid of processes()) {
    const status = read(`/proc/${pid}/status`);
    if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === parent)
      sum += Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return sum;
}

/** Milliseconds of processor time of a process, its children, and the children that it has waited for. */
export function processorTimeWithChildren(parent: number): number {
  let ticks = 0;
  for (const pid of processes()) {
    const [, fields = ''] = read(`/proc/${pid}/stat`).split(') ');
    const [, parentOf, , , , , , , , , , user, system, waitedUser, waitedSystem] = fields.split(' ').map(Number);
    if (Number(pid) === parent) ticks += (waitedUser ?? 0) + (waitedSystem ?? 0);
    if (Number(pid) === parent || parentOf === parent) ticks += (user ?? 0) + (system ?? 0);
  }
  return ticks * 10;
}

/** Milliseconds of processor time of this process. */
export function ownProcessorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
