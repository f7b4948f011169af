/** A Docker Engine of a test's own, which it may stop and start again. Needs root and dockerd. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Certificate } from './certificates.js';

export interface PrivateDockerd {
  /** For DOCKER_HOST. */
  readonly host: string;
  /** The same over TLS, from the first start on. */
  readonly tlsHost: string;
  /** Nothing to do when it runs. */
  start(): Promise<void>;
  /** Ends it as an operator would: the containers end with it. */
  stop(): Promise<void>;
  /** Stops it, and removes all that it has written. */
  remove(): Promise<void>;
}

/** Why there can be none here; undefined: there can. */
export async function dockerdIsMissing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'starting a Docker Engine needs root';
  if (process.env['PLUMBLINE_TEST_DOCKER_HOST'] === undefined) {
    return 'PLUMBLINE_TEST_DOCKER_HOST is not set, so it is not known that engines run on this machine';
  }
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const isThere = await access(join(directory, 'dockerd')).then(
      () => true,
      () => false,
    );
    if (isThere) return undefined;
  }
  return 'no dockerd on the PATH';
}

/**
 * Not started yet. It runs in a separate network namespace: an engine takes the bridge and the firewall of the one it
 * is in for its own, and would take them away from an engine that is there.
 */
export async function privateDockerd(tls?: TlsSettings): Promise<PrivateDockerd> {
  // Short: a socket's path has 108 bytes at most.
  const directory = await mkdtemp('/tmp/plt-d-');
  const socket = join(directory, 'docker.sock');
  let engine: ChildProcess | undefined;
  let tlsHost = '';
  let ended: Promise<void> = Promise.resolve();

  const stop = async (): Promise<void> => {
    engine?.kill('SIGTERM');
    await ended;
    engine = undefined;
  };
  return {
    host: `unix://${socket}`,
    get tlsHost() {
      return tlsHost;
    },
    async start() {
      if (engine !== undefined) return;
      const options = [
        '--bridge=none',
        '--iptables=false',
        '--ip6tables=false',
        '--ip-masq=false',
        '--userland-proxy=false',
      ];
      const files = ['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'run')];
      const dockerd = ['dockerd', ...files, '--pidfile', join(directory, 'pid'), '-H', `unix://${socket}`, ...options];
      // It must not outlive a test run that is cut short.
      const command = ['unshare', '--net', 'setpriv', '--pdeathsig', 'SIGTERM', ...dockerd];
      const child =
        tls === undefined ? spawn('unshare', command.slice(1), { stdio: 'ignore' }) : withPort(command, tls);
      engine = child;
      const port = child.stdout === null ? undefined : once(child.stdout, 'data').then(([text]) => Number(text));
      ended = new Promise((resolve) => {
        child.once('error', () => {
          resolve();
        });
        child.once('exit', () => {
          resolve();
        });
      });
      while (!(await answers(socket))) {
        if (child.exitCode !== null) throw new Error(`dockerd ended with ${child.exitCode}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      if (port !== undefined) tlsHost = `tcp://127.0.0.1:${await port}`;
    },
    stop,
    async remove() {
      await stop();
      await unmountBelow(directory);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export interface TlsSettings {
  readonly authority: Certificate;
  readonly server: Certificate;
}

/**
 * A port of this namespace, which the engine could not open from within its namespace: it is opened here and handed over
 * as systemd would do it. Its number is printed.
 */
const OPEN_PORT = `
import os, socket, sys
port = socket.socket()
port.bind(('127.0.0.1', 0))
port.listen()
print(port.getsockname()[1], flush=True)
os.dup2(port.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')
os.execvp(sys.argv[1], sys.argv[1:])
`;

function withPort(command: readonly string[], { authority, server }: TlsSettings): ChildProcess {
  const files = ['--tlscacert', authority.certFile, '--tlscert', server.certFile, '--tlskey', server.keyFile];
  return spawn('python3', ['-c', OPEN_PORT, ...command, '-H', 'fd://', '--tlsverify', ...files], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: '/_ping' }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    });
    ping.on('error', () => {
      resolve(false);
    });
    ping.end();
  });
}

/** Overlays and network namespaces stay mounted when an engine ends. */
async function unmountBelow(directory: string): Promise<void> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts
    .filter((each) => each.startsWith(`${directory}/`))
    .sort()
    .reverse()) {
    await promisify(execFile)('umount', ['-l', mount]);
  }
}
