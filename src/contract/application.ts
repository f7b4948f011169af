import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type Router from '@koa/router';
import Koa from 'koa';
import type { Log, ProblemForm, ProblemReply, Route, SchemeUse } from './contract-types.js';
import { isStillAuthorized, type AnySecurityHandler } from './authentication.js';
import { createClientAddress } from './client-address.js';
import type { Idempotency } from './idempotency.js';
import { Exchange, type Endpoint } from './exchange.js';
import { createPageRouter, type PageOptions, type PageRoute } from './page-routes.js';
import { createOperation, type AnyHandler } from './pipeline.js';
import type { RateLimiter } from './rate-limiting.js';
import type { ReplyValidation } from './reply-check.js';
import type { Served } from './served.js';
import { describeServed } from './trace-requests.js';
import { refuseSeveralHosts, refuseUnrouted } from './unrouted.js';
import { errorCode } from './system/error-code.js';

export interface ApplicationOptions<Handlers extends object, Security extends object, Dependencies> {
  /** The generated table: `routes` of `generated/<api>/routes.ts`. */
  readonly routes: readonly (Route & { readonly operationId: keyof Handlers })[];
  /** Registers every operation: `createRouters` of `generated/<api>/router.ts`. */
  readonly createRouters: (operation: (id: Extract<keyof Handlers, string>) => Koa.Middleware) => readonly Router[];
  /** One handler per operation: fills the generated `<Api>Handlers<Dependencies>`. */
  readonly handlers: Handlers;
  /** The generated table: `problemForms` of `generated/problems.ts`. */
  readonly problemForms: Readonly<Record<string, ProblemForm>>;
  /** Passed to every handler. */
  readonly dependencies: Dependencies;
  /** Fills the generated `<Api>Security`. */
  readonly security: Security;
  /** Refuses a request before any other step; the problem must be documented for the operation. */
  readonly admit?: (request: IncomingMessage, route: Route) => ProblemReply | null;
  /** null if the contract has no rate limits. */
  readonly rateLimiter: RateLimiter | null;
  /** Handles requests with an idempotency key once. Default: keys are ignored. */
  readonly idempotency?: Idempotency<Dependencies>;
  readonly replyValidation: ReplyValidation;
  /** Called when `sampled` finds a reply that violates the contract. */
  readonly mismatched?: (operationId: string) => void;
  readonly log: Log;
  /** Addresses and networks (CIDR) of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Maps an unexpected failure to a documented problem, for example a lost database to 503; null: 500. */
  readonly problemOf: (error: unknown) => ProblemReply | null;
  /** The schemes that identify the callers of requests that match no route, for the log. Default: none. */
  readonly callerSchemes?: readonly SchemeUse[];
  /** Called once per request, after its reply is written. */
  readonly served?: (served: Served) => void;
  /** Headers of all replies. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Middleware around all operations and pages, in this order, for example CORS. */
  readonly middleware?: readonly Koa.Middleware[];
  /** Pages that are served in addition to the operations. */
  readonly pages?: readonly PageRoute[];
  /** Refuses a request to a page or to an unknown path before any other step. */
  readonly admitPage?: PageOptions['admitPage'];
}

/**
 * Creates the Koa application that serves one contract. The generated router and tables define its behaviour: to add an
 * operation, write it in the contract, generate, and write its handler.
 *
 * @throws Error when a trusted proxy is not an address or network
 */
export function createApplication<Handlers extends object, Security extends object, Dependencies>(
  options: ApplicationOptions<Handlers, Security, Dependencies>,
): Koa {
  const pages = options.pages ?? [];
  const security = options.security as Readonly<Record<string, AnySecurityHandler>>;
  const pipeline = {
    routes: options.routes,
    pages,
    // The generated interfaces type every handler by its operation. The pipeline passes each handler only requests that
    // the operation's validators have accepted, so it can treat all handlers alike.
    handlers: options.handlers as Readonly<Record<string, AnyHandler>>,
    problemForms: options.problemForms,
    security,
    dependencies: options.dependencies,
    admit: options.admit ?? (() => null),
    admitPage: options.admitPage ?? (() => null),
    rateLimiter: options.rateLimiter,
    idempotency: options.idempotency ?? null,
    replyValidation: options.replyValidation,
    mismatched: options.mismatched ?? (() => undefined),
    log: options.log,
    mintRequestId: randomUUID,
    addressOf: createClientAddress(options.trustedProxies, options.log),
    isStillAuthorized: (exchange: Exchange<Endpoint>, params: Readonly<Record<string, unknown>>) =>
      isStillAuthorized(exchange, params, security),
    callerSchemes: options.callerSchemes ?? [],
    problemOf: options.problemOf,
    served: (served: Served) => {
      describeServed(served);
      options.served?.(served);
    },
    headers: options.headers ?? {},
  };
  const routes = new Map(options.routes.map((route) => [route.operationId, route]));
  const operation = (id: Extract<keyof Handlers, string>): Koa.Middleware => {
    const route = routes.get(id);
    if (route === undefined) throw new Error(`The contract has no operation ${id}`);
    const serve = createOperation(route, pipeline);
    const precedent = fixedPathsOf(route.path, options.routes);
    if (precedent.size === 0) return serve;
    return (ctx, next): Promise<unknown> => (precedent.has(ctx.path) ? next() : serve(ctx));
  };

  const app = new Koa();
  app.silent = true; // failures are logged once, by the pipeline or here
  app.on('error', createFailureLog(options.log));
  app.use(refuseSeveralHosts(pipeline));
  app.use(normalizePath);
  for (const middleware of options.middleware ?? []) app.use(middleware);
  for (const router of options.createRouters(operation)) app.use(mount(router));
  app.use(createPageRouter(pages, pipeline).routes() as Koa.Middleware); // the same difference of types as in `mount`
  app.use(refuseUnrouted(pipeline));
  return app;
}

/** Decodes escaped characters that need no escape: both spellings are the same path (RFC 3986, section 6.2.2.2). */
function normalizePath(ctx: Koa.Context, next: Koa.Next): Promise<unknown> {
  if (ctx.req.url?.includes('%') === true) ctx.path = ctx.path.replaceAll(escapedUnreserved, decodeURIComponent);
  return next();
}

const escapedUnreserved = /%(?:2[de]|3\d|5[0-9af]|7[0-9ae]|[46][1-9a-f])/gi;

/**
 * The middleware of the router of a capability, which asks the router only for paths with its prefix. A path with a slash
 * at its end is another path, which the contract does not have; the router would ignore the slash.
 */
function mount(router: Router): Koa.Middleware & { router: Router } {
  // The router's types refer to another copy of Koa's types.
  const routes = router.routes() as (ctx: Koa.ParameterizedContext, next: Koa.Next) => Promise<unknown>;
  const prefix = fixedPart(router.opts.prefix ?? '');
  const middleware = (ctx: Koa.ParameterizedContext, next: Koa.Next): Promise<unknown> =>
    mayMatch(ctx, prefix) ? routes(ctx, next) : next();
  return Object.assign(middleware, { router });
}

/** The paths without parameters that a path with parameters also matches: they take precedence with every method. */
function fixedPathsOf(template: string, routes: readonly Route[]): ReadonlySet<string> {
  const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return new Set(routes.map(({ path }) => path).filter((path) => path !== template && pattern.test(path)));
}

function mayMatch(ctx: Koa.Context, prefix: string): boolean {
  const { url = '' } = ctx.req;
  // Most requests are decided without the path, which Koa parses from the URL. A URL can also name a host.
  if (url.startsWith('/') && !url.startsWith(prefix)) return false;
  const { path } = ctx;
  return path.startsWith(prefix) && !path.endsWith('/') && isDecodable(path);
}

/** Whether every escape sequence of a path is part of UTF-8; the router would pass others on as they are. */
function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** The part of a path before its first parameter. */
function fixedPart(path: string): string {
  const parameter = path.indexOf('/:');
  return parameter === -1 ? path : path.slice(0, parameter);
}

/**
 * Creates the listener that logs failures which the pipeline has not logged with its reply. Most are those after the
 * status line was sent: a stream has failed, or its caller has left.
 */
function createFailureLog(log: Log): (error: unknown, ctx?: Koa.Context) => void {
  const logged = new WeakSet(); // Koa reports a stream that fails, and the response that was cut for it
  return (error, ctx) => {
    const exchange: unknown = ctx?.state;
    if (!(error instanceof Error) || logged.has(error)) return;
    if (exchange instanceof Exchange && exchange.loggedFailure === error) return;
    logged.add(error);
    if (disconnections.has(errorCode(error) ?? '')) return;
    const message = ctx?.headerSent === true ? 'a stream failed' : 'failure outside the pipeline';
    if (!(exchange instanceof Exchange)) log.error({ err: error }, message);
    else if (!exchange.isAbandonment(error)) exchange.log.error({ err: error }, message);
  };
}

/** The codes of errors that tell that the caller has disconnected. */
const disconnections = new Set(['ECONNRESET', 'EPIPE', 'ECANCELED', 'ERR_STREAM_PREMATURE_CLOSE']);
