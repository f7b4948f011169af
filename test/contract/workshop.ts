import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Log, ProblemReply, Route } from '../../src/contract/contract-types.js';
import { insufficientRole, problemForms, unauthenticated } from '../../generated/problems.js';
import { bundleContract } from '../../src/codegen/read/bundle.js';
import { emitRouter } from '../../src/codegen/emit/router.js';
import { emitRoutes } from '../../src/codegen/emit/routes.js';
import { emitSerializers } from '../../src/codegen/emit/serializers.js';
import { emitValidators } from '../../src/codegen/emit/validators.js';
import { readContract } from '../../src/codegen/read/read-contract.js';
import { createApplication, type ApplicationOptions } from '../../src/contract/application.js';
import type { Idempotency } from '../../src/contract/idempotency.js';
import type { AnySecurityHandler } from '../../src/contract/authentication.js';
import type { AnyHandler } from '../../src/contract/pipeline.js';
import type { RateLimiter, RateLimitState } from '../../src/contract/rate-limiting.js';
import type { Served } from '../../src/contract/served.js';
import type { ReplyValidation } from '../../src/contract/reply-check.js';
import { listen, type RunningServer } from '../../src/contract/server.js';
import { readDocument, type Contract } from '../../src/contract-tools/gate/contract.js';
import { record } from '../../src/contract-tools/documents.js';
import { createRecorder, type Recorder } from '../support/recorder.js';

/** What one test wants different from the usual workshop. */
export interface WorkshopOptions {
  readonly handlers?: Readonly<Record<string, AnyHandler>>;
  readonly rateLimiter?: RateLimiter;
  readonly replyValidation?: ReplyValidation;
  readonly mismatched?: (operationId: string) => void;
  readonly trustedProxies?: readonly string[];
  readonly middleware?: ApplicationOptions<object, object, unknown>['middleware'];
  readonly admit?: ApplicationOptions<object, object, unknown>['admit'];
  readonly problemOf?: (error: unknown) => ProblemReply | null;
  /** With it `addTool` takes keys. */
  readonly idempotency?: Idempotency<object>;
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The example API `workshop`, served over HTTP by the real generator and the real runtime. */
export interface Workshop {
  readonly url: string;
  readonly server: RunningServer;
  /** Checks each reply against the contract, independently of the runtime. */
  readonly recorder: Recorder;
  readonly log: readonly LogLine[];
  readonly served: readonly Served[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Like `fetch`, for replies that are wrong on purpose. */
  fetchUnchecked(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Starts a workshop for one test. */
export async function startWorkshop(options: WorkshopOptions = {}): Promise<Workshop> {
  generated ??= generateWorkshop();
  const { routes, createRouters, contract } = await generated;
  const log: LogLine[] = [];
  const served: Served[] = [];
  const app = createApplication({
    createRouters,
    routes: routes.map((route) => ({
      ...route,
      isIdempotent: options.idempotency !== undefined && route.operationId === 'addTool',
    })),
    handlers: { ...usualHandlers, ...options.handlers },
    problemForms,
    dependencies: { tools: new Map([[1, 'Saw']]) },
    security: { bearer: security },
    rateLimiter: options.rateLimiter ?? null,
    replyValidation: options.replyValidation ?? 'always',
    log: logInto(log),
    trustedProxies: options.trustedProxies ?? [],
    problemOf: options.problemOf ?? (() => null),
    ...(options.middleware && { middleware: options.middleware }),
    ...(options.admit && { admit: options.admit }),
    ...(options.idempotency && { idempotency: options.idempotency }),
    ...(options.mismatched && { mismatched: options.mismatched }),
    served: (each) => served.push(each),
  });
  const serve = app.callback();
  const server = await listen((request, response) => void serve(request, response), { host: '127.0.0.1', port: 0 });
  const recorder = createRecorder(contract, { observe: () => undefined, reportFault: () => undefined });
  return {
    url: server.url,
    server,
    recorder,
    log,
    served,
    fetch: (path, init) => recorder.fetch(server.url + path, init),
    fetchUnchecked: (path, init) => fetch(server.url + path, init),
    close: () => server.stop(0),
  };
}

/** `POST /tools` by the owner, with `body` as it is or as JSON. */
export function addTool(body: object | string | Uint8Array, headers: Record<string, string> = {}): RequestInit {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer robin', ...headers },
    body: raw ? body : JSON.stringify(body),
  };
}

/** Counts in this process, with a window that does not end. A token such as `token-of-A-1` belongs to session A. */
export function countingLimiter(limits: Readonly<Record<string, number>>): RateLimiter & { keys: string[] } {
  const counts = new Map<string, number>();
  const keys: string[] = [];
  return {
    keys,
    sessionOf: (token) => Promise.resolve(/^token-of-(\w+)-/.exec(token)?.[1] ?? null),
    giveBack: (setting, key) => {
      counts.set(setting + key, (counts.get(setting + key) ?? 0) - 1);
      return Promise.resolve();
    },
    consume: (setting, key) => {
      const limit = limits[setting];
      if (limit === undefined) return Promise.resolve(null);
      keys.push(key);
      const count = (counts.get(setting + key) ?? 0) + 1;
      counts.set(setting + key, count);
      const state: RateLimitState = {
        limit,
        windowSeconds: 3600,
        remaining: Math.max(0, limit - count),
        resetSeconds: 60,
        exceeded: count > limit,
      };
      return Promise.resolve(state);
    },
  };
}

const usualHandlers: Readonly<Record<string, AnyHandler>> = {
  listTools: (request) => {
    const { query, headers, cookies } = parts(request);
    const { limit, tag = [], borrowed = null } = query;
    const { workbench = null } = cookies;
    const etag = headers['if-none-match'] ?? null;
    return { status: 200, body: { limit, tags: tag, borrowed, etag, workbench, tools: [] } };
  },
  addTool: (request) => {
    const { name, note, parts: made } = parts(request).body;
    return { status: 201, headers: { Location: '/tools/2' }, body: { id: 2, name, note, parts: made } };
  },
  readTool: (request) => {
    const { params, principal } = parts(request);
    return { status: 200, body: { id: params['tool_id'], name: 'Saw', note: principal?.name ?? null, parts: [] } };
  },
  removeTool: () => ({ status: 204 }),
  writeNote: (request) => ({ status: 200, body: record(parts(request).body)['text'] ?? '(wiped)' }),
  watchVisits: () => ({ status: 200, body: visits() }),
};

async function* visits(): AsyncGenerator<object> {
  yield await Promise.resolve({ visitor: 'Robin' });
  yield { visitor: 'Kim' };
}

interface Parts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly principal: { readonly name: string } | null;
}

/** The generated request types are not there at compile time: the contract is generated when the test runs. */
function parts(request: unknown): Parts {
  return request as Parts;
}

/** A token is a name; `robin` owns the workshop, `kim` is known, others are not. */
const security: AnySecurityHandler = {
  authenticate: (credential) => {
    const known = credential === 'robin' || credential === 'kim';
    const verdict = { principal: { name: credential } };
    return Promise.resolve(known ? verdict : { refusal: unauthenticated({ message: 'Nobody has this token.' }) });
  },
  authorize: (principal) => {
    const { name } = record(principal);
    if (name === 'robin') return { principal };
    return { refusal: insufficientRole({ message: 'Only the owner may.', required_role: 'owner' }) };
  },
};

function logInto(lines: LogLine[]): Log {
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields: { ...fields } });
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

interface GeneratedWorkshop extends Pick<
  ApplicationOptions<Readonly<Record<string, AnyHandler>>, object, unknown>,
  'createRouters'
> {
  readonly routes: readonly Route[];
  readonly contract: Contract;
}

let generated: Promise<GeneratedWorkshop> | undefined;

/** Generates the API with the real generator and loads it. */
async function generateWorkshop(): Promise<GeneratedWorkshop> {
  const model = readContract('workshop', await bundleContract('test/contract/fixtures/workshop.yaml'));
  // In the checkout, so that the router finds its packages.
  await mkdir('.cache', { recursive: true });
  const folder = await mkdtemp(resolve('.cache', 'workshop-'));
  try {
    await mkdir(join(folder, 'workshop'));
    const at = (file: string): string => join(folder, 'workshop', file);
    await writeFile(at('routes.ts'), emitRoutes(model));
    await writeFile(at('router.ts'), emitRouter(model));
    await writeFile(at('validators.js'), await emitValidators(model));
    await writeFile(at('serializers.js'), await emitSerializers(model));
    // What the modules export is what the emitters have just written.
    const { routes } = (await import(pathToFileURL(at('routes.ts')).href)) as Pick<GeneratedWorkshop, 'routes'>;
    const { createRouters } = (await import(pathToFileURL(at('router.ts')).href)) as Pick<
      GeneratedWorkshop,
      'createRouters'
    >;
    return { routes, createRouters, contract: readDocument('workshop', model.document) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
