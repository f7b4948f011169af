/** A command on a real pseudo-terminal, as a person has it. Python's `pty` module makes one; Node.js has none. */
import { execFile, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

export interface Terminal {
  /** Types keys; `CTRL.c` and its like are keys too. */
  type(keys: string): void;
  resize(rows: number, columns: number): void;
  /** All that was shown so far. */
  shown(): string;
  /** Settles when the text, or a match, has been shown; rejects when the command ends without it. */
  shows(wanted: string | RegExp): Promise<void>;
  /** The exit code; 128 and its number after a signal. */
  readonly ended: Promise<number>;
}

export const CTRL = { a: '\u0001', c: '\u0003', d: '\u0004', p: '\u0010', q: '\u0011' } as const;

/** Why there is no pseudo-terminal on this machine; undefined where there is one. */
export async function missingTerminal(): Promise<string | undefined> {
  try {
    await promisify(execFile)('python3', ['-c', 'import pty, sys; sys.exit(sys.version_info < (3, 9))']);
    return undefined;
  } catch {
    return 'no pseudo-terminal: python3 (3.9 or later) with its pty module is not on the PATH';
  }
}

export function terminal(
  command: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  { rows = 24, columns = 80 }: { readonly rows?: number; readonly columns?: number } = {},
): Terminal {
  const helper = fileURLToPath(new URL('terminal.py', import.meta.url));
  const child = spawn('python3', [helper, String(rows), String(columns), ...command], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  // All are pipes, by the line above, but for standard error.
  const [keys, screen, , control] = child.stdio as unknown as readonly [Writable, Readable, null, Writable];
  let text = '';
  let isOver = false;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const each of woken) each();
  };
  screen.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      isOver = true;
      wake();
      resolve(code ?? -1);
    });
  });
  for (const stream of [keys, control]) stream.on('error', () => undefined); // The command may be gone.
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    type: (typed) => void keys.write(typed),
    resize: (newRows, newColumns) => void control.write(`${newRows} ${newColumns}\n`),
    shown: () => text,
    async shows(wanted) {
      const isShown = (): boolean => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
      while (!isShown()) {
        if (isOver) throw new Error(`it ended without showing '${String(wanted)}': ${text}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    ended,
  };
}
