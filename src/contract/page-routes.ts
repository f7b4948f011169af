/** Serves everything that is not an operation of the contract: pages, files and GraphQL, from one list. */
import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ProblemReply, RateLimitPolicy } from './contract-types.js';
import { routeNotFound } from '../../generated/contract/problems.js';
import { passEntrySteps, type EntryOptions } from './entry-steps.js';
import type { Endpoint, Exchange } from './exchange.js';
import { createBodyReader } from './read-body.js';
import { serveEndpoint, type ServeOptions, type WriteProblem } from './serve-endpoint.js';

/** A page as the pipeline sees it: a page request passes every step before the handler. */
export type PageExchange = Exchange<Endpoint>;

/** One path that is served in addition to the operations. */
export interface PageRoute {
  /** The name in the log and in metrics. */
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
  /** Default: no authentication. */
  readonly security?: Endpoint['security'];
  readonly rateLimits?: readonly RateLimitPolicy[];
  /** Handles the request; the reply is 404 if it sets neither a status nor a body. */
  readonly handle: (ctx: Context, exchange: PageExchange) => Promise<void> | void;
  /** Writes a problem in another format; default: `application/problem+json`. */
  readonly refuse?: WriteProblem<Endpoint>;
}

export interface PageOptions extends ServeOptions, EntryOptions {
  /** Refuses a request before any other step. @param page null: no page has this path */
  readonly admitPage: (request: IncomingMessage, page: PageRoute | null) => ProblemReply | null;
}

/** A parameter of the path, decoded; '' if the path does not have it. */
export function parameterOf(ctx: Context, name: string): string {
  const value: unknown = Reflect.get(Object(ctx['params']), name); // set by the router
  return typeof value === 'string' ? value : '';
}

/**
 * Creates the router of the pages. Requests pass the same steps as those to operations, up to authentication.
 *
 * @throws Error when two pages have the same name
 */
export function createPageRouter(pages: readonly PageRoute[], options: PageOptions): Router {
  if (new Set(pages.map(({ name }) => name)).size !== pages.length) throw new Error('Two pages have the same name');
  const router = new Router();
  for (const page of pages) router.register(page.path, [page.method], servePage(page, options), { name: page.name });
  return router;
}

function servePage(page: PageRoute, options: PageOptions): Middleware {
  const endpoint = endpointOf(page);
  const readBody = createBodyReader(endpoint);
  const answer = async (ctx: Context, exchange: PageExchange): Promise<ProblemReply | null> => {
    const entry = {
      admit: () => options.admitPage(ctx.req, page),
      readBody: () => readBody(ctx, exchange),
    };
    const refusal = await passEntrySteps(exchange, entry, options);
    if (refusal !== null) return refusal;
    await page.handle(ctx, exchange);
    return ctx.status === 404 && ctx.body == null ? notFound() : null;
  };
  return serveEndpoint(endpoint, answer, options, page.refuse);
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
export function templateOf({ path }: PageRoute): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The problem (404) for a path that has no operation and no page. */
export function notFound(): ProblemReply {
  return routeNotFound({ message: 'No operation has this path. The API reference is at /docs.' });
}
