/**
 * An OpenSSH server on the loopback interface, with keys that only it and its client know. PLUMBLINE_TEST_SSHD names
 * its program (default: /usr/sbin/sshd); `.ci/sshd` unpacks one.
 */
import { execFile, spawn } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';

const run = promisify(execFile);
const program = process.env['PLUMBLINE_TEST_SSHD'] ?? '/usr/sbin/sshd';

export interface SshServer {
  /** Without a path: `ssh://user@127.0.0.1:port`. */
  readonly address: string;
  /** The value of PATH with which `ssh` knows the server and has a key that it accepts. */
  readonly path: string;
  /** The same, with a key that it refuses. */
  readonly strangersPath: string;
  stop(): Promise<void>;
}

/** Why there can be none here; undefined: there can. */
export async function sshdIsMissing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'a server for sessions needs root';
  const programs = [program, ...['ssh', 'ssh-keygen', 'docker'].map((name) => `/usr/bin/${name}`)];
  for (const [index, file] of programs.entries()) {
    const name = file.split('/').at(-1) ?? '';
    if (await exists(file)) continue;
    if (index > 0 && (await isOnPath(name))) continue;
    return `no ${name}${index === 0 ? ' (PLUMBLINE_TEST_SSHD)' : ' on the PATH'}`;
  }
  return undefined;
}

export async function sshServer(): Promise<SshServer> {
  const directory = await mkdtemp(join(tmpdir(), 'plumbline-sshd-'));
  const port = await freePort();
  const key = async (name: string): Promise<string> => {
    const file = join(directory, name);
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
    return file;
  };
  const [hostKey, clientKey, strangersKey] = [await key('host'), await key('client'), await key('stranger')];
  const knownHosts = join(directory, 'known_hosts');
  await writeFile(knownHosts, `[127.0.0.1]:${port} ${await readFile(`${hostKey}.pub`, 'utf8')}`);
  const settings = join(directory, 'sshd_config');
  await writeFile(
    settings,
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${clientKey}.pub`,
      'PidFile none',
      'UsePAM no',
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      `SetEnv PATH=${process.env['PATH'] ?? ''}`,
      '',
    ].join('\n'),
  );
  const server = spawn(program, ['-D', '-e', '-f', settings], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    server.once('error', () => {
      resolve();
    });
    server.once('exit', () => {
      resolve();
    });
  });
  while (!(await listens(port))) {
    if (server.exitCode !== null) throw new Error(`sshd ended with ${server.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    address: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    path: await clientPath(directory, 'client', clientKey, knownHosts),
    strangersPath: await clientPath(directory, 'stranger', strangersKey, knownHosts),
    async stop() {
      server.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** ssh reads its settings from the home directory of the account, so a wrapper before it names others. */
async function clientPath(directory: string, name: string, key: string, knownHosts: string): Promise<string> {
  const folder = await mkdtemp(join(directory, `${name}-`));
  const options = [
    ['UserKnownHostsFile', knownHosts],
    ['StrictHostKeyChecking', 'yes'],
    ['IdentityFile', key],
    ['IdentitiesOnly', 'yes'],
    ['BatchMode', 'yes'],
  ].map(([option, value]) => `-o ${option}=${value}`);
  const script = `#!/bin/sh\nPATH=\${PATH#*:} exec ssh -F /dev/null ${options.join(' ')} "$@"\n`;
  await writeFile(join(folder, 'ssh'), script, { mode: 0o755 });
  return [folder, process.env['PATH'] ?? ''].join(delimiter);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function isOnPath(name: string): Promise<boolean> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    if (await exists(join(directory, name))) return true;
  }
  return false;
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
