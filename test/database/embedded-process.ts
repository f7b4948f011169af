import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface EmbeddedUser {
  readonly uri: string;
  /** Lets the process end in order. */
  leave(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts `embedded-user.ts` as a separate process and waits until its server is ready. */
export async function startUser(
  home: string,
  account: { uid: number; gid: number } | object = {},
): Promise<EmbeddedUser> {
  const program = fileURLToPath(new URL('./embedded-user.ts', import.meta.url));
  const child = spawn(
    process.execPath,
    ['--conditions=@plumbline/source', '--import', import.meta.resolve('tsx'), program, home],
    {
      ...account,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  return {
    uri: await firstLine(child),
    async leave() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      if (child.exitCode !== 0) throw new Error(`embedded-user ended with ${child.exitCode ?? child.signalCode}`);
    },
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function firstLine(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('embedded-user ended before its server was ready');
}
