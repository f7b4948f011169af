import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ComposeHandlers, Schemas } from '../../generated/compose/operations.js';
import { createRouters } from '../../generated/compose/router.js';
import { routes } from '../../generated/compose/routes.js';
import type { ComposeSecurity } from '../../generated/compose/security.js';
import { unimplemented } from '../../generated/compose/unimplemented.js';
import { problemForms } from '../../generated/problems.js';
import { createApplication } from '../../src/contract/application.js';
import { listen } from '../../src/contract/server.js';

/**
 * Runs the contract runtime with the compose API's generated tables until the test ends.
 *
 * @param handlers the operations that the test needs; all others answer 501
 * @returns where it listens: `unix://…`, or `tcp://…`
 */
export async function startCompose(
  handlers: Partial<ComposeHandlers<unknown>>,
  scheme: 'unix' | 'tcp' = 'unix',
): Promise<string> {
  const application = createApplication<ComposeHandlers<unknown>, ComposeSecurity, unknown>({
    routes,
    createRouters,
    handlers: { ...unimplemented, ...handlers },
    problemForms,
    dependencies: null,
    security: { clientCertificate: everyone },
    rateLimiter: null,
    replyValidation: 'always',
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    trustedProxies: [],
    problemOf: () => null,
  });
  const listener = application.callback();
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-compose-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const where = scheme === 'unix' ? { path: join(folder, 'api.sock') } : { host: '127.0.0.1', port: 0 };
  const server = await listen((request, response) => void listener(request, response), where);
  onTestFinished(() => server.stop(1_000));
  return server.url.replace('http:', 'tcp:');
}

export const container: Schemas['Container'] = {
  id: '9f2c1d7e5b3a48c6a0d1e2f3a4b5c6d7e8f90123456789abcdef0123456789ab',
  name: 'shop-web',
  image: 'registry.example/shop/web:2',
  image_id: 'sha256:0a1b2c3d4e5f',
  status: 'running',
  created_at: '2026-03-02T09:15:00.000000000Z',
  started_at: '2026-03-02T09:15:01.000000000Z',
  finished_at: null,
  exit_code: null,
  out_of_memory: false,
  restart_count: 0,
  health: null,
  project: 'shop',
  service: 'web',
  labels: {},
  command: ['serve'],
  entrypoint: [],
  environment: {},
  working_directory: '/srv',
  user: '',
  hostname: '9f2c1d7e5b3a',
  tty: false,
  stop_signal: null,
  ports: [],
  mounts: [],
  networks: [],
};

const everyone: ComposeSecurity['clientCertificate'] = {
  authenticate: () => Promise.resolve({ principal: { name: null } }),
  withoutCredential: () => ({ principal: { name: null } }),
  authorize: () => {
    throw new Error('clientCertificate has no scopes');
  },
};
