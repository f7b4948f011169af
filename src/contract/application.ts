import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import Koa from 'koa';
import proxyAddr from 'proxy-addr';
import type { Log, ProblemReply, Route } from '../../generated/contract.js';
import { internalError, repeatedHost, routeNotFound } from '../../generated/problems.js';
import type { AnySecurityHandler } from './authentication.js';
import { compressPages } from './compression.js';
import { createPipeline, unmatchedPath, type AnyHandler, type Pipeline, type Served } from './pipeline.js';
import type { RateLimiter } from './rate-limiting.js';
import type { ReplyValidation } from './reply-check.js';
import { prepareReply, writeReply } from './reply-writer.js';
import { requestIdOf } from './request-id.js';

export interface ApplicationOptions<Handlers extends object, Security extends object, Dependencies> {
  /** The generated table: `routes` of `generated/<api>/routes.ts`. */
  readonly routes: readonly (Route & { readonly operationId: keyof Handlers })[];
  /** One handler per operation: fills the generated `<Api>Handlers<Dependencies>`. */
  readonly handlers: Handlers;
  /** Handed to every handler. */
  readonly dependencies: Dependencies;
  /** Fills the generated `<Api>Security`. */
  readonly security: Security;
  /** Refuses a request before any other step; the problem must be documented for the operation. */
  readonly admit?: (request: IncomingMessage, route: Route) => ProblemReply | null;
  /** null if the contract has no rate limits. */
  readonly rateLimiter: RateLimiter | null;
  readonly replyValidation: ReplyValidation;
  /** Called when `sampled` finds a reply that violates the contract. */
  readonly mismatched?: (operationId: string) => void;
  readonly log: Log;
  /** Addresses and networks (CIDR) of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Maps an unexpected failure to a documented problem, for example a lost database to 503; null: 500. */
  readonly problemOf: (error: unknown) => ProblemReply | null;
  /** Names a principal in the log, for example by the id of a user. Default: no name. */
  readonly callerOf?: (principal: unknown) => string | null;
  /** Called once per request, after its reply is written. */
  readonly served?: (served: Served) => void;
  /** Headers of all replies. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Runs before the pipeline, for example CORS. */
  readonly before?: readonly Koa.Middleware[];
  /** Serves requests that match no operation: pages. */
  readonly after?: readonly Koa.Middleware[];
}

/**
 * Creates the Koa application that serves one contract. The generated tables define its behaviour: to add an operation,
 * write it in the contract, generate, and write its handler.
 *
 * @throws Error when a trusted proxy is not an address or network
 */
export function createApplication<Handlers extends object, Security extends object, Dependencies>(
  options: ApplicationOptions<Handlers, Security, Dependencies>,
): Koa {
  const headers = options.headers ?? {};
  const served = options.served ?? (() => undefined);
  const addressOf = clientAddress(options.trustedProxies);
  const pipeline = createPipeline({
    routes: options.routes,
    // The generated interfaces type every handler by its operation. The pipeline passes each handler only requests that
    // the operation's validators have accepted, so it can treat all handlers alike.
    handlers: options.handlers as Readonly<Record<string, AnyHandler>>,
    security: options.security as Readonly<Record<string, AnySecurityHandler>>,
    dependencies: options.dependencies,
    admit: options.admit ?? (() => null),
    rateLimiter: options.rateLimiter,
    replyValidation: options.replyValidation,
    mismatched: options.mismatched ?? (() => undefined),
    log: options.log,
    mintRequestId: randomUUID,
    addressOf,
    callerOf: options.callerOf ?? (() => null),
    problemOf: options.problemOf,
    served,
    headers,
  });
  const serve: Pipeline = (request, response) =>
    pipeline(request, response)?.catch((error: unknown) => {
      // Part of the reply is sent: no problem can be sent any more.
      options.log.error({ err: error }, 'the reply was interrupted');
      response.destroy();
    }) ?? null;

  const refuse = (request: IncomingMessage, response: ServerResponse): void => {
    refuseHosts(request, response, { headers, served, addressOf });
  };
  const before = options.before ?? [];
  const app = new ContractApplication(before.length > 0 ? null : serve, refuse);
  app.silent = true; // failures are logged once, by the pipeline or here
  app.on('error', (error: unknown) => {
    logConnectionError(error, options.log);
  });
  for (const middleware of before) app.use(middleware);
  app.use(operations(serve));
  app.use(pages({ headers, served, addressOf, log: options.log }));
  app.use(compressPages());
  for (const middleware of options.after ?? []) app.use(middleware);
  return app;
}

/**
 * A Koa application that refuses requests with several `Host` fields, and passes requests of the contract directly to
 * the pipeline. Koa's context would cost more than the pipeline's own steps: measured, about a tenth of the process time
 * of a small request. Other requests use Koa's middleware.
 */
class ContractApplication extends Koa {
  readonly #serve: Pipeline | null;
  readonly #refuse: (request: IncomingMessage, response: ServerResponse) => void;

  /** @param serve null: the middleware passes requests to the pipeline */
  constructor(serve: Pipeline | null, refuse: (request: IncomingMessage, response: ServerResponse) => void) {
    super();
    this.#serve = serve;
    this.#refuse = refuse;
  }

  override callback(): ReturnType<Koa['callback']> {
    const usual = super.callback();
    return (request, response) => {
      if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return usual(request, response);
      if (hasSeveralHosts(request)) {
        this.#refuse(request, response);
        return Promise.resolve();
      }
      return this.#serve?.(request, response) ?? usual(request, response);
    };
  }
}

/** Node keeps the first `Host` field and drops the others; a proxy before this server may have used another one. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}

/** The body of such a request may be the request of somebody else (smuggling), so the connection is closed. */
function refuseHosts(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, served, addressOf }: Omit<PageOptions, 'log'>,
): void {
  const started = performance.now();
  const method = request.method ?? 'GET';
  const requestId = requestIdOf(request, randomUUID);
  const clientIp = addressOf(request);
  const problem = repeatedHost({ message: 'Send exactly one Host header.' });
  const reply = prepareReply(problem, undefined, requestId, { ...headers, Connection: 'close' }, null);
  void writeReply(response, reply, method === 'HEAD', null);
  const durationSeconds = (performance.now() - started) / 1000;
  const { status } = problem;
  served({
    requestId,
    operationId: null,
    path: unmatchedPath,
    method,
    status,
    durationSeconds,
    clientIp,
    caller: null,
  });
}

function operations(serve: Pipeline): Koa.Middleware {
  return (ctx, next) => {
    const served = serve(ctx.req, ctx.res);
    if (served === null) return next();
    ctx.respond = false;
    return served;
  };
}

interface PageOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly served: (served: Served) => void;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly log: Log;
}

/**
 * Serves what is not an operation of the contract: pages, GraphQL, and the 404 for other paths. A middleware may set
 * `ctx.state.operation` to its name, and `ctx.state.caller` to the user.
 */
function pages({ headers, served, addressOf, log }: PageOptions): Koa.Middleware {
  return async (ctx, next) => {
    const started = performance.now();
    const requestId = requestIdOf(ctx.req, randomUUID);
    const clientIp = addressOf(ctx.req); // read now: a closed connection has no address
    ctx.set({ ...headers, 'X-Request-Id': requestId });
    const write = async (problem: ProblemReply): Promise<void> => {
      ctx.respond = false;
      ctx.status = problem.status;
      await writeReply(ctx.res, prepareReply(problem, undefined, requestId, {}, null), ctx.method === 'HEAD', null);
    };
    try {
      await next();
      const isNothing = ctx.status === 404 && ctx.body == null;
      if (isNothing) {
        await write(routeNotFound({ message: 'No operation has this path. The API reference is at /docs.' }));
      }
    } catch (error) {
      if (ctx.res.headersSent || ctx.res.destroyed) throw error; // too late for a problem
      log.error({ err: error, request_id: requestId }, 'unexpected failure');
      await write(internalError({ message: 'The server failed unexpectedly. Report the request id.' }));
    }
    const { method, status } = ctx;
    served({
      requestId,
      operationId: textOf(ctx.state['operation']),
      path: templateOf(ctx),
      method,
      status,
      durationSeconds: (performance.now() - started) / 1000,
      clientIp,
      caller: textOf(ctx.state['caller']),
    });
  };
}

/** The route that the router of the pages matched, in the notation of the contract. */
function templateOf(ctx: Koa.Context): string {
  const route = textOf(ctx['_matchedRoute']); // https://github.com/koajs/router/blob/master/API.md
  return route === null ? unmatchedPath : route.replaceAll(/:(\w+)/g, '{$1}');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? 'unknown';
  if (trustedProxies.length === 0) return (request) => withoutMapping(peerOf(request));
  const trust = proxyAddr.compile([...trustedProxies]);
  // Some proxies forward `unknown` or a port with the address: use the nearest hop that is an address.
  return (request) => {
    const hops = proxyAddr.all(request, trust);
    return withoutMapping(hops.findLast((hop) => isIP(hop) !== 0) ?? peerOf(request));
  };
}

/** An IPv4 peer of a dual-stack socket appears as `::ffff:192.0.2.1`; it is the same caller. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

function logConnectionError(error: unknown, log: Log): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECANCELED') return; // the caller disconnected
  log.error({ err: error }, 'failure outside the pipeline');
}
