import { execFileSync } from 'node:child_process';

/** Mounts an empty file system of this size, such as `2m`, at a folder. @returns why it cannot be mounted, or null */
export function mountSmall(folder: string, size: string): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'pipe' });
    return null;
  } catch {
    return 'this user cannot mount a small file system';
  }
}

export function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder]);
}
