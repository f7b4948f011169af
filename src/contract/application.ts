import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import Koa from 'koa';
import proxyAddr from 'proxy-addr';
import type { Log, ProblemReply, Route } from '../../generated/contract.js';
import { routeNotFound } from '../../generated/problems.js';
import type { AnySecurityHandler } from './authentication.js';
import { createPipeline, type AnyHandler, type Pipeline, type Served } from './pipeline.js';
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
  /** Refuses a request before anything is done for it; the problem must be documented for the operation. */
  readonly admit?: (request: IncomingMessage) => ProblemReply | null;
  /** null where the contract states no rate limits. */
  readonly rateLimiter: RateLimiter | null;
  readonly replyValidation: ReplyValidation;
  readonly log: Log;
  /** Addresses and networks (CIDR) of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Turns an unexpected failure into a documented problem, for example a lost database into 503; null: 500. */
  readonly problemOf: (error: unknown) => ProblemReply | null;
  /** Called once per request, after its reply is written. */
  readonly served?: (served: Served) => void;
  /** Headers of every reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Runs before the pipeline, for example CORS. */
  readonly before?: readonly Koa.Middleware[];
  /** Serves what matches no operation: pages. */
  readonly after?: readonly Koa.Middleware[];
}

/**
 * Makes the Koa application that serves one contract. It is driven by the generated tables alone: adding an operation
 * means to write it in the contract, to generate, and to write its handler.
 *
 * @throws Error when a trusted proxy is no address or network
 */
export function createApplication<Handlers extends object, Security extends object, Dependencies>(
  options: ApplicationOptions<Handlers, Security, Dependencies>,
): Koa {
  const headers = options.headers ?? {};
  const served = options.served ?? (() => undefined);
  const pipeline = createPipeline({
    routes: options.routes,
    // The generated interfaces type every handler by its operation; the pipeline hands each one exactly what the
    // operation's own validators have accepted, so it may treat them all alike.
    handlers: options.handlers as Readonly<Record<string, AnyHandler>>,
    security: options.security as Readonly<Record<string, AnySecurityHandler>>,
    dependencies: options.dependencies,
    admit: options.admit ?? (() => null),
    rateLimiter: options.rateLimiter,
    replyValidation: options.replyValidation,
    log: options.log,
    mintRequestId: randomUUID,
    addressOf: clientAddress(options.trustedProxies),
    problemOf: options.problemOf,
    served,
    headers,
  });
  const serve: Pipeline = (request, response) =>
    pipeline(request, response)?.catch((error: unknown) => {
      // The reply was on its way: nothing can be said any more.
      options.log.error({ err: error }, 'a reply broke off');
      response.destroy();
    }) ?? null;

  const before = options.before ?? [];
  const app = before.length > 0 ? new Koa() : new DirectApplication(serve);
  app.silent = true; // failures are logged once, by the pipeline or here
  app.on('error', (error: unknown) => {
    logConnectionError(error, options.log);
  });
  for (const middleware of before) app.use(middleware);
  app.use(operations(serve));
  app.use(elsewhere(headers, served));
  for (const middleware of options.after ?? []) app.use(middleware);
  return app;
}

/**
 * A Koa application that hands a request of the contract to the pipeline at once. Nothing stands before the pipeline
 * then, and Koa's context would cost more than the pipeline's own steps: measured, about a tenth of all time that the
 * process spends on a small request. Everything else goes the usual way.
 */
class DirectApplication extends Koa {
  readonly #serve: Pipeline;

  constructor(serve: Pipeline) {
    super();
    this.#serve = serve;
  }

  override callback(): ReturnType<Koa['callback']> {
    const usual = super.callback();
    return (request, response) => {
      const isHttp1 = request instanceof IncomingMessage && response instanceof ServerResponse;
      return (isHttp1 ? this.#serve(request, response) : null) ?? usual(request, response);
    };
  }
}

function operations(serve: Pipeline): Koa.Middleware {
  return (ctx, next) => {
    const served = serve(ctx.req, ctx.res);
    if (served === null) return next();
    ctx.respond = false;
    return served;
  };
}

/** What is no operation: pages, and at last the problem that there is nothing. */
function elsewhere(headers: Readonly<Record<string, string>>, served: (served: Served) => void): Koa.Middleware {
  return async (ctx, next) => {
    const started = performance.now();
    const requestId = requestIdOf(ctx.req, randomUUID);
    ctx.set({ ...headers, 'X-Request-Id': requestId });
    await next();
    const isNothing = ctx.status === 404 && ctx.body == null;
    if (isNothing) {
      ctx.respond = false;
      const problem = routeNotFound({ message: 'No operation has this path. The API reference is at /docs.' });
      await writeReply(ctx.res, prepareReply(problem, undefined, requestId, {}, false), ctx.method === 'HEAD', null);
    }
    const durationSeconds = (performance.now() - started) / 1000;
    const { method, status } = ctx;
    const name: unknown = ctx.state['operation']; // what has operations of its own, such as GraphQL, says so
    const operationId = typeof name === 'string' ? name : null;
    served({ requestId, operationId, path: null, method, status, durationSeconds, clientIp: null });
  };
}

function clientAddress(trustedProxies: readonly string[]): (exchange: { request: IncomingMessage }) => string {
  const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? 'unknown';
  if (trustedProxies.length === 0) return ({ request }) => withoutMapping(peerOf(request));
  const trust = proxyAddr.compile([...trustedProxies]);
  // Some proxies forward `unknown` or a port with the address: then the nearest hop that is an address counts.
  return ({ request }) => {
    const hops = proxyAddr.all(request, trust);
    return withoutMapping(hops.findLast((hop) => isIP(hop) !== 0) ?? peerOf(request));
  };
}

/** An IPv4 peer of a dual-stack socket shows as `::ffff:192.0.2.1`; it is the same caller. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

function logConnectionError(error: unknown, log: Log): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECANCELED') return; // the caller went away
  log.error({ err: error }, 'failure outside of the pipeline');
}
