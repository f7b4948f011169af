/** Serves everything that is not an operation of the contract: pages, files and GraphQL, from one list. */
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ProblemReply, RateLimitPolicy } from '../../generated/contract.js';
import { methodNotAllowed, routeNotFound } from '../../generated/problems.js';
import { compressPage } from './compression.js';
import { identify, passEntrySteps } from './entry-steps.js';
import { Exchange, unroutedEndpoint, type Endpoint } from './exchange.js';
import { problemOf, type PipelineOptions } from './pipeline.js';
import { RequestAborted } from './read-body.js';
import { prepareReply } from './reply-writer.js';
import { requestIdOf } from './request-id.js';
import { reportServed, unmatchedPath } from './served.js';

/** A page as the pipeline sees it: a page request passes every step before the handler. */
export type PageExchange = Exchange<Endpoint>;

/** One path that is served in addition to the operations. */
export interface PageRoute {
  /** Its name in the log and in metrics. */
  readonly name: string;
  /** GET also answers HEAD. */
  readonly method: 'GET' | 'POST';
  /** In the notation of @koa/router: `/problems/:slug`. */
  readonly path: string;
  /**
   * The media types of its replies, for `Accept`. Empty: the Accept header is not checked, for example for a redirect.
   */
  readonly produces: readonly string[];
  /** The media type and the maximum size of its request body; absent: the body is not read. */
  readonly body?: { readonly mediaType: string; readonly maxBytes: number };
  /** Reads the body; required if `body` is set. */
  readonly readBody?: (ctx: Context, exchange: PageExchange) => Promise<ProblemReply | null>;
  /** Default: no authentication. */
  readonly security?: Endpoint['security'];
  readonly rateLimits?: readonly RateLimitPolicy[];
  /** Handles the request; the reply is 404 if it sets neither a status nor a body. */
  readonly handle: (ctx: Context, exchange: PageExchange) => Promise<void> | void;
  /** Writes a problem in another format; default: `application/problem+json`. */
  readonly refuse?: (ctx: Context, problem: ProblemReply, exchange: PageExchange) => void;
}

export interface PageOptions extends Pick<
  PipelineOptions,
  | 'security'
  | 'rateLimiter'
  | 'log'
  | 'mintRequestId'
  | 'addressOf'
  | 'callerSecurity'
  | 'problemOf'
  | 'served'
  | 'headers'
> {
  /** Refuses a request before any other step. @param page null: no page has this path */
  readonly admitPage: (request: IncomingMessage, page: PageRoute | null) => ProblemReply | null;
}

/** A parameter of the path, decoded; '' if the path does not have it. */
export function parameterOf(ctx: Context, name: string): string {
  const value: unknown = Reflect.get(Object(ctx['params']), name); // set by the router
  return typeof value === 'string' ? value : '';
}

/**
 * Creates the middleware that serves the pages, and replies 404 or 405 to all other requests. Requests pass the same
 * steps as operations, up to authentication. Its `router` lists the pages.
 *
 * @throws Error when two pages have the same name
 */
export function servePages(pages: readonly PageRoute[], options: PageOptions): Middleware & { router: Router } {
  const router = new Router();
  const byName = new Map(pages.map((page) => [page.name, page]));
  if (byName.size !== pages.length) throw new Error('Two pages have the same name');
  for (const page of pages) {
    const endpoint = endpointOf(page);
    const answer = (ctx: Context): Promise<void> =>
      serve(ctx, endpoint, (exchange) => answerPage(ctx, exchange, page, options), page, options);
    router.register(page.path, [page.method], answer, { name: page.name });
  }
  const refuseUnrouted = (ctx: Context): Promise<void> => {
    const others = router.match(ctx.path, ctx.method).path;
    const page = byName.get(others[0]?.name ?? '') ?? null;
    const allow = [...new Set(others.flatMap(({ methods }) => methods))].sort();
    const endpoint = unroutedEndpoint(page === null ? unmatchedPath : templateOf(page), options);
    return serve(ctx, endpoint, (exchange) => refusalOf(ctx, exchange, page, allow, options), page, options);
  };
  // The router's types refer to another copy of Koa's types.
  const routes = router.routes() as Middleware;
  const middleware: Middleware = async (ctx) => {
    await routes(ctx, () => refuseUnrouted(ctx));
  };
  return Object.assign(middleware, { router });
}

function endpointOf(page: PageRoute): Endpoint {
  const { name, method, produces, body, security, rateLimits } = page;
  return {
    operationId: name,
    method,
    path: templateOf(page),
    produces,
    body: body === undefined ? null : { mediaType: body.mediaType, emails: [] },
    maxBodyBytes: body?.maxBytes ?? 0,
    rateLimits: rateLimits ?? [],
    security: security ?? { anonymous: true, schemes: [] },
  };
}

/** The path template in the notation of the contracts. */
function templateOf({ path }: PageRoute): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/**
 * Serves one request.
 *
 * @param outcome answers the request; the problem if it is refused
 * @param page decides how a problem is written; null: as JSON
 */
async function serve(
  ctx: Context,
  endpoint: Endpoint,
  outcome: (exchange: PageExchange) => Promise<ProblemReply | null>,
  page: PageRoute | null,
  options: PageOptions,
): Promise<void> {
  const requestId = requestIdOf(ctx.req, options.mintRequestId);
  const exchange: PageExchange = new Exchange(ctx.req, ctx.res, endpoint, {}, requestId, options);
  ctx.set({ ...options.headers, 'X-Request-Id': requestId });
  let problem: ProblemReply | null;
  try {
    problem = await outcome(exchange);
  } catch (error) {
    if (error instanceof RequestAborted) return;
    if (ctx.res.headersSent || ctx.res.destroyed) throw error; // too late for a problem
    problem = problemOf(error, exchange, options);
  }
  ctx.set(exchange.replyHeaders);
  if (problem !== null) (page?.refuse ?? writeProblem)(ctx, problem, exchange);
  await compressPage(ctx);
  reportServed(exchange, ctx.status, options);
}

async function answerPage(
  ctx: Context,
  exchange: PageExchange,
  page: PageRoute,
  options: PageOptions,
): Promise<ProblemReply | null> {
  const entry = {
    admit: () => options.admitPage(ctx.req, page),
    readBody: () => page.readBody?.(ctx, exchange) ?? Promise.resolve(null),
  };
  const refusal = await passEntrySteps(exchange, entry, options);
  if (refusal !== null) return refusal;
  await page.handle(ctx, exchange);
  return ctx.status === 404 && ctx.body == null ? notFound() : null;
}

/** 405 for a page without the method, 404 if there is no page. */
async function refusalOf(
  ctx: Context,
  exchange: PageExchange,
  page: PageRoute | null,
  allow: readonly string[],
  options: PageOptions,
): Promise<ProblemReply> {
  await identify(exchange, options);
  const refusal = options.admitPage(ctx.req, page);
  if (refusal !== null) return refusal;
  if (page === null) return notFound();
  exchange.replyHeaders['Allow'] = allow.join(', ');
  return methodNotAllowed({
    message: `Use ${allow.filter((each) => each !== 'HEAD').join(' or ')} here.`,
    allow: [...allow],
  });
}

function notFound(): ProblemReply {
  return routeNotFound({ message: 'No operation has this path. The API reference is at /docs.' });
}

function writeProblem(ctx: Context, problem: ProblemReply, { requestId }: PageExchange): void {
  const { status, headers, ...content } = prepareReply(problem, undefined, requestId, {}, null);
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.set(name, String(value));
  ctx.body = 'text' in content ? content.text : null;
}
