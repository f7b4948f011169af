import { describe, expect, it } from 'vitest';
import { runtimeInvalidState, runtimeNotFound } from '../../generated/problems.js';
import {
  createComposeClient,
  getContainerLogs,
  getVersion,
  ingestProject,
  isCase,
  listContainers,
  startContainer,
  type ComposeClient,
} from '../../sdk/src/compose.js';
import { nodeTransport } from '../../sdk/src/compose/node.js';
import { ConnectionError, PlumblineError, unwrap, type FetchInit } from '../../sdk/src/index.js';
import { container, startCompose } from './compose-server.js';

async function clientOf(...args: Parameters<typeof startCompose>): Promise<ComposeClient> {
  return createComposeClient({ address: await startCompose(...args), transport: nodeTransport() });
}

describe('the compose client', () => {
  it('reads over a Unix socket', async () => {
    const compose = await clientOf({
      listContainers: () => ({ status: 200, body: { items: [container], next_cursor: null } }),
    });
    expect(unwrap(await listContainers(compose)).items).toEqual([container]);
  });

  it('reads over TCP with nothing but fetch, as in a browser', async () => {
    const address = await startCompose(
      { listContainers: () => ({ status: 200, body: { items: [], next_cursor: null } }) },
      'tcp',
    );
    expect(unwrap(await listContainers(createComposeClient({ address }))).items).toEqual([]);
  });

  it('returns the entry of the error catalogue, which narrows', async () => {
    const compose = await clientOf({
      startContainer: ({ params }) =>
        params.id === 'gone'
          ? runtimeNotFound({ message: 'No.', id: 'gone' })
          : runtimeInvalidState({ message: 'It runs.', id: params.id, expected: 'stopped', actual: 'running' }),
    });
    const running = await startContainer(compose, { params: { id: 'shop-web' } });
    expect(running.status === 409 && running.problem.actual).toBe('running');

    const gone: unknown = await startContainer(compose, { params: { id: 'gone' } })
      .then(unwrap)
      .catch((error: unknown) => error);
    if (!(gone instanceof PlumblineError)) throw new Error('unwrap throws the problem');
    expect(isCase(gone.problem, 'RuntimeError', 'invalidState')).toBe(false);
    expect(isCase(gone.problem, 'ComposeError', 'imageNotFound')).toBe(false);
    expect(isCase(gone.problem, 'RuntimeError', 'notFound') && gone.problem.id).toBe('gone');
  });

  it('sends a compose file unchanged', async () => {
    const file = 'services:\n  web:\n    image: "busybox"\n';
    const compose = await clientOf({
      ingestProject: ({ params, body }) => ({
        status: 201,
        body: {
          name: params.name,
          outcome: 'created',
          service_count: 1,
          services: [body],
          ingested_at: '2026-03-02T09:15:00.000Z',
          warnings: [],
        },
      }),
    });
    const sent = unwrap(await ingestProject(compose, { params: { name: 'shop' }, body: file }));
    expect([sent.name, sent.services]).toEqual(['shop', [file]]);
  });

  it('follows a stream, and closes it when the loop is left', async () => {
    let ended = (): void => undefined;
    const isEnded = new Promise<void>((resolve) => (ended = resolve));
    const compose = await clientOf({
      getContainerLogs: ({ context }) => {
        context.signal.addEventListener('abort', ended);
        return { status: 200, body: lines(context.signal) };
      },
    });
    const seen: string[] = [];
    const log = unwrap(await getContainerLogs(compose, { params: { id: 'shop-web' }, query: { follow: true } }));
    for await (const { line } of log) {
      seen.push(line);
      if (seen.length === 3) break;
    }
    await isEnded;
    expect(seen).toEqual(['1', '2', '3']);
  });

  it('fails with ConnectionError when no server listens', async () => {
    const options = { address: 'unix:///nowhere/api.sock', transport: nodeTransport(), retries: 0 };
    await expect(getVersion(createComposeClient(options))).rejects.toBeInstanceOf(ConnectionError);
  });

  it.each(['unix://relative', 'unix:///', 'tcp://localhost', 'tcp://:80', 'http://localhost:80', 'tls://[::1:80', ''])(
    'refuses %j as an address',
    (address) => {
      expect(() => createComposeClient({ address, transport: nodeTransport() })).toThrow(TypeError);
    },
  );

  it('refuses a Unix socket without a transport, and names the one to import', () => {
    expect(() => createComposeClient({ address: 'unix:///run/api.sock' })).toThrow('@plumbline/sdk/compose/node');
  });

  it.each([
    ['tls://compose.example.com:8443', 'https://compose.example.com:8443/version'],
    ['tcp://[::1]:80', 'http://[::1]/version'],
  ])('connects to %s by %s', async (address, expected) => {
    const urls: string[] = [];
    const fetch = (url: string, _: FetchInit): Promise<Response> => {
      urls.push(url);
      return Promise.reject(new Error('far away'));
    };
    await getVersion(createComposeClient({ address, fetch, retries: 0 })).catch(() => null);
    expect(urls).toEqual([expected]);
  });
});

async function* lines(signal: AbortSignal): AsyncGenerator<{ stream: 'stdout'; time: string; line: string }> {
  for (let number = 1; !signal.aborted; number++) {
    yield { stream: 'stdout', time: '2026-03-02T09:15:02.000000000Z', line: String(number) };
    await new Promise(setImmediate);
  }
}
