/** A compose server on the mock backend, on a free port, with a recorder in front of it. */
import { systemClock, type Clock } from '../../../src/compose/runtime/clock.js';
import { mockBackend, type Mock, type MockParts } from '../../../src/compose/runtime/mock/mock.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { createPageAccess, type PageAccess } from '../../../src/compose/service/page/access.js';
import { prepareListening, type ListenOptions } from '../../../src/compose/service/listening.js';
import { createComposeService, type ComposeService } from '../../../src/compose/service/service.js';
import type { ProjectLimits } from '../../../src/compose/service/projects/limits.js';
import type { Allowance } from '../../../src/compose/service/trust/allowances.js';
import type { ReplyValidation } from '../../../src/contract/reply-check.js';
import type { RunningServer } from '../../../src/contract/server.js';
import { loadingWorker } from '../../support/loading-worker.js';
import { captureLog } from '../../support/captured-log.js';
import { recordingFetch } from '../../support/recorder.js';

export interface RunningService extends Omit<Mock, 'backend'> {
  readonly backend: Backend;
  /** `http://127.0.0.1:…`, or `https:` with TLS. */
  readonly url: string;
  readonly server: RunningServer;
  readonly service: ComposeService;
  readonly log: readonly string[];
  /** Gives links to the page. */
  readonly access: PageAccess;
  /** Sends a request through the recorder; a body that is text is sent as YAML, everything else as JSON. */
  call(method: string, path: string, body?: unknown, init?: RequestInit): Promise<Response>;
  /** The same, demanding the status; gives the body as JSON, null where there is none. */
  expect(status: number, method: string, path: string, body?: unknown): Promise<unknown>;
  /** Sends a compose file and brings it up. */
  up(name: string, yaml: string): Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceParts extends Partial<Omit<MockParts, 'clock'>> {
  readonly clock?: Clock;
  readonly listen?: ListenOptions;
  readonly projectsFolder?: string | null;
  readonly allow?: readonly Allowance[];
  readonly limits?: Partial<ProjectLimits>;
  /** Whether it serves the web page, for which the address is then alone. */
  readonly page?: boolean;
  /** Default: `always`. */
  readonly replyValidation?: ReplyValidation;
  /** Stands between the service and the mock. */
  readonly wrap?: (backend: Backend) => Backend;
}

const loopback: ListenOptions = { address: { scheme: 'tcp', host: '127.0.0.1', port: 0 } };

export async function runService(parts: ServiceParts = {}): Promise<RunningService> {
  const {
    clock = systemClock,
    listen = loopback,
    projectsFolder = null,
    allow = [],
    limits,
    wrap,
    page,
    replyValidation = 'always',
    ...mockParts
  } = parts;
  const mock = mockBackend({ images: ['app'], ...mockParts, clock });
  const backend = wrap === undefined ? mock.backend : wrap(mock.backend);
  const { log, lines } = captureLog();
  const listening = await prepareListening(listen, log);
  let origin = new URL('http://127.0.0.1');
  const access = createPageAccess(clock, () => origin);
  const service = await createComposeService({
    backend,
    clock,
    log,
    version: '0.0.0',
    projectsFolder,
    loadingWorker,
    ...(limits && { limits }),
    allowances: new Set(allow),
    entrance: listening,
    page: page === true ? { access, folder: new URL('../../../dist/console/', import.meta.url) } : null,
    replyValidation,
    pages: {
      openapi: new URL('../../../generated/compose/openapi.json', import.meta.url),
      reference: new URL('../../../src/compose/dist/docs/compose/', import.meta.url),
    },
  });
  const server = await listening.listen(service.listener);
  const url = server.url.replace('tcp:', 'http:').replace('tls:', 'https:');
  origin = new URL(url);
  const fetchRecorded = recordingFetch('compose');

  const running: RunningService = {
    ...mock,
    backend,
    url,
    server,
    service,
    log: lines,
    access,
    call(method, path, body, init = {}) {
      const isText = typeof body === 'string';
      const headers = { 'Content-Type': isText ? 'application/yaml' : 'application/json' };
      const sent = body === undefined ? {} : { headers, body: isText ? body : JSON.stringify(body) };
      return fetchRecorded(`${url}${path}`, { method, ...sent, ...init });
    },
    async expect(status, method, path, body) {
      const response = await running.call(method, path, body);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? null : (JSON.parse(text) as unknown);
    },
    async up(name, yaml) {
      await running.expect(201, 'POST', `/projects/${name}`, yaml);
      await running.expect(200, 'POST', `/projects/${name}/up`);
    },
    async stop() {
      service.endStreams();
      await server.stop(1000);
      await service.close();
    },
  };
  return running;
}

/** The lines of a stream as they come. */
export async function* linesOf(response: Response): AsyncGenerator<Readonly<Record<string, unknown>>, void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Readonly<Record<string, unknown>>;
  }
}

/** All lines of a stream that ends. */
export async function allLines(response: Response): Promise<Readonly<Record<string, unknown>>[]> {
  const lines = [];
  for await (const line of linesOf(response)) lines.push(line);
  return lines;
}

export const shop = `
services:
  web:
    image: app
    depends_on: [db]
  db:
    image: app
    volumes: ["data:/data"]
volumes:
  data: {}
`;
