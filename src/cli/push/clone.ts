import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a push takes from the clone in the current folder; each is undefined if it is not known. */
export interface Clone {
  /** The address of the remote `origin`. */
  readonly remote: string | undefined;
  /** The hash of what is checked out, and its commit date. */
  readonly commit: string | undefined;
  readonly committedAt: string | undefined;
}

const run = promisify(execFile);

/** Reads the clone in the current folder; of another folder, nothing is known. */
export async function readClone(): Promise<Clone> {
  const [remote, head] = await Promise.all([
    git('remote', 'get-url', 'origin'),
    git('log', '-1', '--no-show-signature', '--format=%H %ct', 'HEAD'),
  ]);
  const [commit, seconds] = head?.split(' ') ?? [];
  return { remote, commit, committedAt: seconds && new Date(Number(seconds) * 1000).toISOString() };
}

/** What git prints; undefined if it fails, or is not installed. */
async function git(...args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', args, { timeout: 10_000 });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
