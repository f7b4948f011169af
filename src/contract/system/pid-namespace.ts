import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Identifies the PID namespace of this process: the namespace in the running kernel. Process ids can be compared only
 * within one namespace. Containers of one machine can share a host name and still use the same process ids.
 * @returns null if unknown; nothing is then known about a process id that another process recorded
 */
export function pidNamespace(): string | null {
  return (found ??= read());
}

let found: string | null | undefined;

function read(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(); // inodes repeat on each machine
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null; // not Linux, or /proc is restricted
  }
}
