import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Identifies the processes among which the ids of processes mean something: the namespace of ids in the running kernel.
 * Containers of one machine can share a host name, and still have processes with the same ids.
 *
 * @returns null where the system does not tell: then nothing can be said about processes that others name
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
