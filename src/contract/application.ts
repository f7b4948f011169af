import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import Koa from 'koa';
import proxyAddr from 'proxy-addr';
import type { Log, ProblemReply, Route, SchemeUse } from '../../generated/contract.js';
import { repeatedHost } from '../../generated/problems.js';
import type { AnySecurityHandler } from './authentication.js';
import { identify } from './entry-steps.js';
import { Exchange, unroutedEndpoint } from './exchange.js';
import type { Idempotency } from './idempotency.js';
import { servePages, type PageOptions, type PageRoute } from './page-routes.js';
import { createPipeline, type AnyHandler, type Pipeline, type PipelineOptions } from './pipeline.js';
import type { RateLimiter } from './rate-limiting.js';
import type { ReplyValidation } from './reply-check.js';
import { prepareReply, writeReply } from './reply-writer.js';
import { requestIdOf } from './request-id.js';
import { reportServed, unmatchedPath, type Served } from './served.js';
import { describeServed, inRequestSpan } from './trace-requests.js';

export interface ApplicationOptions<Handlers extends object, Security extends object, Dependencies> {
  /** The generated table: `routes` of `generated/<api>/routes.ts`. */
  readonly routes: readonly (Route & { readonly operationId: keyof Handlers })[];
  /** One handler per operation: fills the generated `<Api>Handlers<Dependencies>`. */
  readonly handlers: Handlers;
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
  /** Runs before the pipeline, for example CORS. */
  readonly before?: readonly Koa.Middleware[];
  /** Pages that are served in addition to the operations. */
  readonly pages?: readonly PageRoute[];
  /** Refuses a request to a page or to an unknown path before any other step. */
  readonly admitPage?: PageOptions['admitPage'];
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
  const pipelineOptions: PipelineOptions = {
    routes: options.routes,
    // The generated interfaces type every handler by its operation. The pipeline passes each handler only requests that
    // the operation's validators have accepted, so it can treat all handlers alike.
    handlers: options.handlers as Readonly<Record<string, AnyHandler>>,
    security: options.security as Readonly<Record<string, AnySecurityHandler>>,
    dependencies: options.dependencies,
    admit: options.admit ?? (() => null),
    rateLimiter: options.rateLimiter,
    idempotency: options.idempotency ?? null,
    replyValidation: options.replyValidation,
    mismatched: options.mismatched ?? (() => undefined),
    log: options.log,
    mintRequestId: randomUUID,
    addressOf: clientAddress(options.trustedProxies),
    callerSecurity: options.callerSchemes ?? [],
    problemOf: options.problemOf,
    served: (served) => {
      describeServed(served);
      options.served?.(served);
    },
    headers: options.headers ?? {},
  };
  const pipeline = createPipeline(pipelineOptions);
  const serve: Pipeline = (request, response) =>
    pipeline(request, response)?.catch((error: unknown) => {
      // Part of the reply is already sent, so no problem can be sent.
      options.log.error({ err: error }, 'the reply was interrupted');
      response.destroy();
    }) ?? null;

  const refuse: Refuse = (request, response) => refuseHosts(request, response, pipelineOptions);
  const before = options.before ?? [];
  const app = new ContractApplication(before.length > 0 ? null : serve, refuse);
  app.silent = true; // failures are logged once, by the pipeline or here
  app.on('error', (error: unknown) => {
    logConnectionError(error, options.log);
  });
  for (const middleware of before) app.use(middleware);
  app.use(Object.assign(operations(serve), { routes: options.routes })); // lets callers list the routes
  app.use(servePages(options.pages ?? [], { ...pipelineOptions, admitPage: options.admitPage ?? (() => null) }));
  return app;
}

type Refuse = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * A Koa application that refuses requests with several `Host` fields, and passes requests of the contract directly to
 * the pipeline. Koa's context would cost more than the pipeline's own steps: measured, about a tenth of the process time
 * of a small request. Other requests use Koa's middleware.
 */
class ContractApplication extends Koa {
  readonly #serve: Pipeline | null;
  readonly #refuse: Refuse;

  /** @param serve null: the middleware passes requests to the pipeline */
  constructor(serve: Pipeline | null, refuse: Refuse) {
    super();
    this.#serve = serve;
    this.#refuse = refuse;
  }

  override callback(): ReturnType<Koa['callback']> {
    const usual = super.callback();
    return (request, response) => {
      if (!(request instanceof IncomingMessage && response instanceof ServerResponse)) return usual(request, response);
      if (hasSeveralHosts(request)) return this.#refuse(request, response);
      return inRequestSpan(request, () => this.#serve?.(request, response) ?? usual(request, response));
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

/** Such a request may smuggle another request in its body, so the connection is closed. */
async function refuseHosts(
  request: IncomingMessage,
  response: ServerResponse,
  options: PipelineOptions,
): Promise<void> {
  const requestId = requestIdOf(request, options.mintRequestId);
  const exchange = new Exchange(request, response, unroutedEndpoint(unmatchedPath, options), {}, requestId, options);
  await identify(exchange, options);
  const problem = repeatedHost({ message: 'Send exactly one Host header.' });
  const reply = prepareReply(problem, undefined, requestId, { ...options.headers, Connection: 'close' }, null);
  void writeReply(response, reply, request.method === 'HEAD', null);
  reportServed(exchange, problem.status, options);
}

function operations(serve: Pipeline): Koa.Middleware {
  return (ctx, next) => {
    const served = serve(ctx.req, ctx.res);
    if (served === null) return next();
    ctx.respond = false;
    return served;
  };
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
