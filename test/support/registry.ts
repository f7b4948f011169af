/**
 * A registry of the Distribution project on the loopback interface. TEST_REGISTRY names its program; `.ci/registry`
 * builds one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { vi } from 'vitest';
import { freePort } from './free-port.js';

const program = process.env['TEST_REGISTRY'] ?? '';

/** Why there can be none here; undefined: there can. */
export const registryIsMissing = existsSync(program) ? undefined : 'TEST_REGISTRY names no program';

export interface TestRegistry {
  /** As in the name of an image: `127.0.0.1:5000`. */
  readonly name: string;
  /** The parsed reply for a manifest, and its digest. */
  manifest(repository: string, reference: string): Promise<{ readonly manifest: unknown; readonly digest: string }>;
  stop(): Promise<void>;
}

export interface Account {
  readonly user: string;
  readonly password: string;
}

/** @param account what users of the registry need; absent: everybody may use it */
export async function startRegistry(account?: Account): Promise<TestRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-registry-'));
  const port = await freePort();
  const users = join(folder, 'users');
  if (account) await writeFile(users, `${account.user}:${await hash(account.password, 4)}\n`);
  const settings = join(folder, 'settings.json'); // JSON is YAML.
  await writeFile(
    settings,
    JSON.stringify({
      version: 0.1,
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, 'data') } },
      http: { addr: `127.0.0.1:${port}` },
      ...(account && { auth: { htpasswd: { realm: 'test', path: users } } }),
    }),
  );
  const child = spawn(program, ['serve', settings], {
    stdio: 'ignore',
    env: { ...process.env, OTEL_TRACES_EXPORTER: 'none' },
  });
  const url = `http://127.0.0.1:${port}/v2/`;
  const isReady = (): Promise<boolean> =>
    fetch(url).then(
      ({ status }) => status === (account ? 401 : 200),
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 20_000, interval: 50 });
  const authorization = account && `Basic ${Buffer.from(`${account.user}:${account.password}`).toString('base64')}`;
  return {
    name: `127.0.0.1:${port}`,
    async manifest(repository, reference) {
      const headers = {
        accept: 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json',
        ...(authorization && { authorization }),
      };
      const reply = await fetch(`${url}${repository}/manifests/${reference}`, { headers });
      return { manifest: await reply.json(), digest: reply.headers.get('docker-content-digest') ?? '' };
    },
    async stop() {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
