/** Sentry's SDK, installed for this test only: it is ten times as large as all other middleware of the tests together. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Koa from 'koa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkshop } from './workshop.js';

/** What this test uses of `@sentry/node`. */
interface Sentry {
  init(options: { dsn: string; defaultIntegrations: false; beforeSend: (event: SentryEvent) => null }): void;
  setupKoaErrorHandler(app: Koa): void;
  flush(timeoutMs: number): Promise<boolean>;
  close(): Promise<boolean>;
}

interface SentryEvent {
  readonly exception?: { readonly values?: readonly { readonly value?: string }[] };
}

const run = promisify(execFile);
const unreachable = await run('npm', ['view', '@sentry/node', 'version', '--prefer-offline', '--fetch-retries=0'])
  .then(() => null)
  .catch(() => ' (skipped: no package registry can be reached)');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-sentry-'));
  if (unreachable !== null) return;
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', '@sentry/node@11', '--prefix', folder, '--prefer-offline', ...quiet], { cwd: folder });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test.skipIf(unreachable !== null)(
  `Sentry gets unexpected failures, and nothing that the contract documents${unreachable ?? ''}`,
  async () => {
    // The interface above is what its documentation promises of the version that is installed.
    const sentry = createRequire(join(folder, 'index.js'))('@sentry/node') as Sentry;
    const seen: unknown[] = [];
    sentry.init({
      dsn: 'http://key@127.0.0.1:9/1',
      defaultIntegrations: false,
      beforeSend: (event) => {
        seen.push(event.exception?.values?.map(({ value }) => value));
        return null;
      },
    });
    const failure = Object.assign(new Error('The saw is broken'), { code: 'ECONNRESET' });
    const workshop = await startWorkshop({
      middleware: [
        async (ctx, next) => {
          sentry.setupKoaErrorHandler(ctx.app);
          await next();
        },
      ],
      handlers: { addTool: () => Promise.reject(failure) },
    });
    try {
      const add = (body: object): RequestInit => ({
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer robin' },
        body: JSON.stringify(body),
      });
      const statuses: number[] = [];
      for (const [path, init] of [
        ['/tools/1', {}],
        ['/tools/x', {}],
        ['/nothing', {}],
        ['/tools', add({})],
        ['/tools', add({ name: 'Saw' })],
      ] as const) {
        const reply = await workshop.fetch(path, init);
        await reply.text();
        statuses.push(reply.status);
      }
      expect(statuses).toEqual([200, 422, 404, 422, 500]);
      await sentry.flush(5000);
      expect(seen).toEqual([['The saw is broken']]);
      expect(workshop.log.filter(({ level }) => level === 'error')).toMatchObject([{ message: 'unexpected failure' }]);
    } finally {
      await workshop.close();
      await sentry.close();
    }
  },
);
