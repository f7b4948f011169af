/** Keycloak on the loopback interface. TEST_KEYCLOAK names its folder; `.ci/keycloak` unpacks one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from './free-port.js';

const program = join(process.env['TEST_KEYCLOAK'] ?? '', 'bin/kc.sh');

/** Why there can be none here; undefined: there can. */
export const keycloakIsMissing = existsSync(program) ? undefined : 'TEST_KEYCLOAK names no Keycloak';

export interface Keycloak {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Calls the Admin API. @param path below `/admin/realms` */
  admin(method: string, path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
}

const administrator = { username: 'admin', password: 'a password of this test' };

/** Starts it with an empty database in memory. It takes about half a minute. */
export async function startKeycloak(): Promise<Keycloak> {
  const port = await freePort();
  const flags = ['start-dev', '--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`, '--log-level=warn'];
  const child = spawn(program, flags, {
    stdio: 'ignore',
    detached: true, // the script starts Java, and both end together
    env: {
      ...process.env,
      JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
      KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
    },
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/realms/master`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await vi.waitUntil(isReady, { timeout: 240_000, interval: 500 });
  return {
    url,
    admin: async (method, path, body) => {
      const reply = await fetch(`${url}/admin/realms${path}`, {
        method,
        headers: { Authorization: `Bearer ${await accessToken(url)}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`Keycloak answered ${method} ${path} with ${reply.status}: ${text}`);
      return text === '' ? null : (JSON.parse(text) as unknown);
    },
    stop: async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await ended;
    },
  };
}

async function accessToken(url: string): Promise<string> {
  const reply = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...administrator }),
  });
  const body: unknown = await reply.json();
  return String(Object(body).access_token);
}
