/** `kill -9` in the middle of a sync. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { SyncOptions } from '../../src/sync/options.js';

/**
 * Runs a sync in a separate process and kills it in front of a statement.
 *
 * @param pattern of the statement
 * @param number which one of the statements that match
 */
export async function killedInFrontOf(
  pattern: string,
  number: number,
  options: SyncOptions,
  environment: Record<string, string> = {},
): Promise<void> {
  const script = fileURLToPath(new URL('run-sync.ts', import.meta.url));
  const args = [JSON.stringify(options), JSON.stringify(environment), pattern, String(number)];
  const child = spawn(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  expect(line.toString()).toBe('stopped\n');
}
