import { spawn } from 'node:child_process';

/**
 * Runs a script of the checkout to its end. It has a process group, so that a Ctrl-C does not reach it, and that the
 * programs that it runs end with it.
 *
 * @param signal ends it
 * @returns whether it succeeded
 */
export function runStep(args: readonly string[], signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const child = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  };
  signal.addEventListener('abort', end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      signal.removeEventListener('abort', end);
      resolve(code === 0);
    });
  });
}
