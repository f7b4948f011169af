/** Answers the requests that no router has taken: 404, 405, and 400 for a request with several hosts. */
import type { Context, Middleware } from 'koa';
import type { ProblemReply, Route, SchemeUse } from './contract-types.js';
import { methodNotAllowed, repeatedHost } from '../../generated/contract/problems.js';
import { identify } from './entry-steps.js';
import { unroutedEndpoint, type Endpoint, type Exchange } from './exchange.js';
import { notFound, templateOf, type PageOptions, type PageRoute } from './page-routes.js';
import type { PipelineOptions } from './pipeline.js';
import { serveEndpoint } from './serve-endpoint.js';
import { unmatchedPath } from './served.js';

export interface UnroutedOptions extends PageOptions, Pick<PipelineOptions, 'admit'> {
  readonly routes: readonly Route[];
  readonly pages: readonly PageRoute[];
  /** The schemes that identify the callers, for the log; none: callers are not identified. */
  readonly callerSchemes: readonly SchemeUse[];
}

/** A layer of @koa/router whose path matches a request. The router lists them in `ctx.matched`. */
interface MatchedLayer {
  readonly name: string;
  readonly methods: readonly string[];
}

/** Creates the middleware that answers a path without this method (405), and every other path (404). */
export function refuseUnrouted(options: UnroutedOptions): Middleware {
  const routes = new Map(options.routes.map((route) => [route.operationId, route]));
  const pages = new Map(options.pages.map((page) => [page.name, page]));
  return function refuseUnroutedRequest(ctx) {
    const matched = matchedLayers(ctx);
    // A path without parameters takes precedence over one with parameters (OpenAPI 3.1, "Paths Object").
    const fixed = matched.filter((layer) => routes.get(layer.name)?.path === ctx.path);
    const layers = fixed.length > 0 ? fixed : matched;
    const name = layers[0]?.name ?? '';
    const route = routes.get(name);
    const page = pages.get(name) ?? null;
    const admit = (): ProblemReply | null =>
      route === undefined ? options.admitPage(ctx.req, page) : options.admit(ctx.req, route);
    const path = route?.path ?? (page === null ? unmatchedPath : templateOf(page));
    const answer = async (_ctx: Context, exchange: Exchange<Endpoint>): Promise<ProblemReply> => {
      await identify(exchange, options);
      // The allowed methods are revealed only to callers that are admitted.
      const refusal = admit();
      if (refusal !== null) return refusal;
      if (layers.length === 0) return notFound();
      const allow = [...new Set(layers.flatMap(({ methods }) => methods))].sort();
      exchange.replyHeaders['Allow'] = allow.join(', ');
      const named = allow.filter((method) => method !== 'HEAD');
      return methodNotAllowed({ message: `Use ${named.join(' or ')} here.`, allow });
    };
    return serveEndpoint(unroutedEndpoint(path, options.callerSchemes), answer, options, page?.refuse)(ctx);
  };
}

/** Creates the middleware that refuses requests with several `Host` fields (400). */
export function refuseSeveralHosts(options: UnroutedOptions): Middleware {
  // Such a request may smuggle another request in its body, so the connection is closed.
  const answer = async (_ctx: Context, exchange: Exchange<Endpoint>): Promise<ProblemReply> => {
    await identify(exchange, options);
    exchange.replyHeaders['Connection'] = 'close';
    return repeatedHost({ message: 'Send exactly one Host header.' });
  };
  const refuse = serveEndpoint(unroutedEndpoint(unmatchedPath, options.callerSchemes), answer, options);
  return function refuseRepeatedHost(ctx, next): Promise<unknown> {
    return hasSeveralHosts(ctx) ? refuse(ctx) : next();
  };
}

function matchedLayers(ctx: Context): readonly MatchedLayer[] {
  return (ctx['matched'] ?? []) as readonly MatchedLayer[];
}

/** Node keeps the first `Host` field and drops the others; a proxy before this server may have used another one. */
function hasSeveralHosts({ req: { rawHeaders } }: Context): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
}
