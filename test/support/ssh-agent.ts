/** An SSH agent with a key that nobody knows. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface SshAgent {
  readonly socket: string;
  end(): Promise<void>;
}

export async function sshAgent(): Promise<SshAgent> {
  const directory = await mkdtemp(join(tmpdir(), 'plt-agent-'));
  const socket = join(directory, 'socket');
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  // It prints its settings when it listens.
  await once(agent.stdout, 'data');
  const key = join(directory, 'key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await run('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
  return {
    socket,
    async end() {
      const ended = once(agent, 'exit');
      agent.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
