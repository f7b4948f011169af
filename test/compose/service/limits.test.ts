/** What one caller sends delays no other caller, and what all callers send together is bounded. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { imageNotFound } from '../../../src/compose/runtime/errors.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { runService, type RunningService, type ServiceParts } from './running-service.js';

let running: RunningService | null = null;
const start = async (parts: ServiceParts = {}): Promise<RunningService> => (running = await runService(parts));
afterEach(async () => {
  await running?.stop();
  running = null;
});

const services = (count: number, inner = ''): string =>
  `services: { ${Array.from({ length: count }, (_, index) => `s${index}: { image: app${inner} }`).join(', ')} }`;
/** Takes a second or more to parse. */
const slow = `services: { a: { image: app } }${'\n'.repeat(900_000)}`;
const exceeded = (limit: string, maximum: number): object => ({
  error: 'OrchestratorError',
  case: 'limitExceeded',
  limit,
  maximum,
});

describe('while a compose file is validated', () => {
  test('the server answers other requests', async () => {
    // On a busy machine the file can take longer than the default deadline.
    const server = await start({ limits: { loadSeconds: 600 } });
    const pending = new Set(['slow']);
    const sent = server.call('POST', '/projects/slow', slow).finally(() => {
      pending.clear();
    });
    const countAnswers = async (): Promise<number> => {
      let answered = 0;
      for (; pending.size > 0; answered++) await (await fetch(`${server.url}/_ping`)).text();
      return answered;
    };
    // Both are awaited from the start: a failure of one is an error of this test, not an unhandled one.
    const [reply, answered] = await Promise.all([sent, countAnswers()]);
    expect(reply.status).toBe(201);
    expect(answered).toBeGreaterThan(20);
  }, 300_000);

  test('further files wait in a queue; if it is full, the reply is 503 with Retry-After', async () => {
    const server = await start({ limits: { waiting: 1 } });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => server.call('POST', `/projects/p${index}`, services(2))),
    );
    const refused = replies.filter(({ status }) => status === 503);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20 - refused.length);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers.get('retry-after')).toBe('5');
    expect(await refused[0]?.json()).toMatchObject({ type: '/problems/service-unavailable', retry_after_seconds: 5 });
  });

  test('a file that takes longer than the deadline is refused, and the next one is accepted', async () => {
    const server = await start({ limits: { loadSeconds: 0.5 } });
    expect(await server.expect(400, 'POST', '/projects/slow', slow)).toMatchObject({
      error: 'YamlError',
      case: 'limitExceeded',
      limit: 'seconds of processing',
      maximum: 1,
    });
    // Starting the next thread can take longer than this deadline, but not than that of other files.
    await vi.waitFor(() => server.expect(201, 'POST', '/projects/quick', services(1)), { timeout: 30_000 });
  });
});

describe('a server limits', () => {
  test.each([
    ['/projects/p/build', {}],
    ['/projects/p/pull', {}],
    ['/images/pull', { reference: 'other' }],
  ])('builds and pulls in progress: a further POST %s is 503 with Retry-After', async (path, body) => {
    const held: Backend['images']['pull'] = (_reference, options) =>
      new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => {
          reject(new Error('the reader has left'));
        });
      });
    const server = await start({
      limits: { imageWork: 2 },
      wrap: (backend) => ({ ...backend, images: { ...backend.images, pull: held } }),
    });
    await server.expect(201, 'POST', '/projects/p', 'services: { a: { image: other } }');
    const leave = new AbortController();
    const stream = (): Promise<Response> => server.call('POST', '/projects/p/pull', {}, { signal: leave.signal });
    const [first, second] = [await stream(), await stream()];
    expect([first.status, second.status]).toEqual([200, 200]);
    const refused = await server.call('POST', path, body);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ type: '/problems/service-unavailable', retry_after_seconds: 5 });
    leave.abort();
    await vi.waitFor(
      async () => {
        const again = await server.call('POST', '/projects/p/build', {});
        await again.text();
        expect(again.status).toBe(200);
      },
      { timeout: 20_000 },
    );
  });

  test('pulls of images in progress, until they succeed or fail', async () => {
    const server = await start({ limits: { imageWork: 1 } });
    for (const status of [200, 404, 200]) {
      if (status === 404) server.faults.fail('pull', imageNotFound('other'));
      const reply = await server.call('POST', '/images/pull', { reference: 'other' });
      await reply.text();
      expect(reply.status).toBe(status);
    }
  });

  describe('calls that change projects:', () => {
    /** Holds every call at its first request to the engine, until `release`. */
    class Hold {
      arrived = 0;
      #held = Promise.resolve();
      release = (): void => undefined;
      readonly wrap = (backend: Backend): Backend => ({
        ...backend,
        containers: {
          ...backend.containers,
          list: async (filter) => {
            this.arrived++;
            await this.#held;
            return backend.containers.list(filter);
          },
        },
      });
      begin(): void {
        this.arrived = 0;
        this.#held = new Promise((resolve) => (this.release = resolve));
      }
    }
    const other = services(2);
    const changes = [
      ['POST', '/projects/p?replace=true', other],
      ['DELETE', '/projects/p', undefined],
      ['PUT', '/projects/p/files', { files: [] }],
      ['POST', '/projects/p/up', {}],
      ['POST', '/projects/p/down', {}],
      ['POST', '/projects/p/stop', {}],
      ['POST', '/projects/p/restart', {}],
      ['POST', '/projects/p/services/s0/scale', { replicas: 1 }],
    ] as const;

    test.each(changes)(
      'a %s %s beyond the running and waiting calls of the project is 503',
      async (method, path, body) => {
        const hold = new Hold();
        const server = await start({ wrap: hold.wrap, limits: { projectCalls: 1 } });
        await server.expect(201, 'POST', '/projects/p', services(1));
        await server.expect(201, 'POST', '/projects/q', services(1));
        hold.begin();
        const first = server.call('POST', '/projects/p/up', {});
        await vi.waitFor(
          () => {
            expect(hold.arrived).toBeGreaterThan(0);
          },
          { timeout: 20_000 },
        );
        const refused = await server.call(method, path, body);
        expect(refused.status).toBe(503);
        expect(refused.headers.get('retry-after')).toBe('5');
        expect(await refused.json()).toMatchObject({ type: '/problems/service-unavailable', retry_after_seconds: 5 });
        hold.release();
        expect((await first).status).toBe(200);
        await server.expect(200, 'POST', '/projects/q/up');
        expect((await server.call(method, path, body)).status).toBeLessThan(300);
      },
    );

    test('of 500 at once, for one project or many, those beyond the limits are 503', async () => {
      const hold = new Hold();
      const server = await start({ wrap: hold.wrap, limits: { projectCalls: 32, calls: 64 } });
      await Promise.all(['p', 'q', 'r'].map((name) => server.expect(201, 'POST', `/projects/${name}`, services(1))));
      for (const [names, most] of [
        [['p'], 32],
        [['p', 'q', 'r'], 64],
      ] as const) {
        hold.begin();
        const statuses: number[] = [];
        const calls = Array.from({ length: 500 }, async (_, index) => {
          const reply = await server.call('POST', `/projects/${names[index % names.length] ?? ''}/up`, {});
          await reply.text();
          statuses.push(reply.status);
        });
        await vi.waitFor(
          () => {
            expect(statuses).toHaveLength(500 - most);
          },
          { timeout: 50_000 },
        );
        expect(new Set(statuses)).toEqual(new Set([503]));
        hold.release();
        await Promise.all(calls);
        expect(statuses.filter((status) => status === 200)).toHaveLength(most);
      }
    }, 120_000);
  });

  test('services in a project', async () => {
    const server = await start({ limits: { services: 3 } });
    await server.expect(201, 'POST', '/projects/three', services(3));
    for (const text of [services(4), `${services(3)}\n---\nservices: { other: { image: app } }`]) {
      expect(await server.expect(400, 'POST', '/projects/four', text)).toMatchObject({
        error: 'YamlError',
        case: 'limitExceeded',
        limit: 'services',
        maximum: 3,
      });
    }
  });

  test('projects', async () => {
    const server = await start({ limits: { projects: 2 } });
    await server.expect(201, 'POST', '/projects/a', services(1));
    await server.expect(201, 'POST', '/projects/b', services(1));
    expect(await server.expect(409, 'POST', '/projects/c', services(1))).toMatchObject(exceeded('projects', 2));
    await server.expect(200, 'POST', '/projects/b?replace=true', services(2));
    await server.expect(204, 'DELETE', '/projects/a');
    await server.expect(201, 'POST', '/projects/c', services(1));
  });

  test('projects, also when several are sent at once', async () => {
    const server = await start({ limits: { projects: 2 } });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const replies = await Promise.all(names.map((name) => server.call('POST', `/projects/${name}`, services(1))));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
  });

  test('containers in a project', async () => {
    const server = await start({ limits: { projectContainers: 5 } });
    const limit = exceeded('containers per project', 5);
    expect(await server.expect(409, 'POST', '/projects/a', services(3, ', scale: 2'))).toMatchObject(limit);
    await server.expect(201, 'POST', '/projects/a', services(2, ', scale: 2'));
    expect(await server.expect(409, 'POST', '/projects/a/up', { scale: { s0: 4 } })).toMatchObject(limit);
    await server.expect(200, 'POST', '/projects/a/up', { scale: { s0: 3 } });
    const path = '/projects/a/services/s1/scale';
    expect(await server.expect(409, 'POST', path, { replicas: 3 })).toMatchObject(limit);
    await server.expect(200, 'POST', path, { replicas: 1 });
    await server.expect(200, 'POST', '/projects/a/services/s0/scale', { replicas: 4 });
  });

  test('containers in all projects', async () => {
    const server = await start({ limits: { containers: 5 } });
    const limit = exceeded('containers in all projects', 5);
    await server.expect(201, 'POST', '/projects/a', services(2));
    await server.expect(201, 'POST', '/projects/b', services(2));
    expect(await server.expect(409, 'POST', '/projects/c', services(2))).toMatchObject(limit);
    expect(await server.expect(409, 'POST', '/projects/b?replace=true', services(4))).toMatchObject(limit);
    await server.expect(200, 'POST', '/projects/a/services/s0/scale', { replicas: 2 });
    expect(await server.expect(409, 'POST', '/projects/b/up', { scale: { s0: 2 } })).toMatchObject(limit);
    await server.expect(200, 'POST', '/projects/a/up');
    await server.expect(200, 'POST', '/projects/b/up', { scale: { s0: 2 } });
  });
});
