/** What one caller sends delays no other caller, and what all callers send together is bounded. */
import { afterEach, describe, expect, test, vi } from 'vitest';
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
    const server = await start();
    const pending = new Set(['slow']);
    const sent = server.expect(201, 'POST', '/projects/slow', slow).finally(() => {
      pending.clear();
    });
    let answered = 0;
    for (; pending.size > 0; answered++) await (await fetch(`${server.url}/_ping`)).text();
    await sent;
    expect(answered).toBeGreaterThan(20);
  });

  test('more files wait for their turn, up to a limit; then the reply is 503 with Retry-After', async () => {
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
    const server = await start({ limits: { loadSeconds: 0.1 } });
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

describe('a server has a limit of', () => {
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
