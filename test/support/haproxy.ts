import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from './free-port.js';

const program = '/usr/sbin/haproxy';

/** Stands behind the names of tests that need HAProxy. */
export const withoutHaproxy = existsSync(program) ? '' : ' (skipped: haproxy is not installed)';

export interface Haproxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts HAProxy before servers: each request goes to the next one that is ready. */
export async function startHaproxy(servers: readonly string[]): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-haproxy-'));
  const port = await freePort();
  const lines = [
    'global',
    '  maxconn 500',
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 60s',
    '  timeout server 60s',
    '  option forwardfor',
    '  option httpchk GET /health/ready',
    'frontend plumbline',
    `  bind 127.0.0.1:${port}`,
    '  default_backend servers',
    'backend servers',
    '  balance roundrobin',
    ...servers.map((url, index) => `  server s${index} ${new URL(url).host} check inter 500`),
    '',
  ];
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, lines.join('\n'));
  const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 20_000, interval: 100 });
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
