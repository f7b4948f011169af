import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import Koa from 'koa';
import proxyAddr from 'proxy-addr';
import type { Log, ProblemReply, Route } from '../../generated/contract.js';
import type { AnySecurityHandler } from './authentication.js';
import { createPipeline, type AnyHandler, type Served } from './pipeline.js';
import type { RateLimiter } from './rate-limiting.js';
import type { ReplyValidation } from './reply-check.js';

export interface ApplicationOptions<Handlers extends object, Security extends object, Dependencies> {
  /** The generated table: `routes` of `generated/<api>/routes.ts`. */
  readonly routes: readonly (Route & { readonly operationId: keyof Handlers })[];
  /** One handler per operation: fills the generated `<Api>Handlers<Dependencies>`. */
  readonly handlers: Handlers;
  /** Handed to every handler. */
  readonly dependencies: Dependencies;
  /** Fills the generated `<Api>Security`. */
  readonly security: Security;
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
  const app = new Koa();
  app.silent = true; // failures are logged once, by the pipeline or below
  app.on('error', (error: unknown) => {
    logConnectionError(error, options.log);
  });
  for (const middleware of options.before ?? []) app.use(middleware);
  app.use(
    createPipeline({
      routes: options.routes,
      // The generated interfaces type every handler by its operation; the pipeline hands each one exactly what the
      // operation's own validators have accepted, so it may treat them all alike.
      handlers: options.handlers as Readonly<Record<string, AnyHandler>>,
      security: options.security as Readonly<Record<string, AnySecurityHandler>>,
      dependencies: options.dependencies,
      rateLimiter: options.rateLimiter,
      replyValidation: options.replyValidation,
      log: options.log,
      mintRequestId: randomUUID,
      addressOf: clientAddress(options.trustedProxies),
      problemOf: options.problemOf,
      served: options.served ?? (() => undefined),
    }),
  );
  for (const middleware of options.after ?? []) app.use(middleware);
  return app;
}

function clientAddress(trustedProxies: readonly string[]): (exchange: { ctx: Koa.ParameterizedContext }) => string {
  const peerOf = (ctx: Koa.ParameterizedContext): string => ctx.req.socket.remoteAddress ?? 'unknown';
  if (trustedProxies.length === 0) return ({ ctx }) => withoutMapping(peerOf(ctx));
  const trust = proxyAddr.compile([...trustedProxies]);
  // Some proxies forward `unknown` or a port with the address: then the nearest hop that is an address counts.
  return ({ ctx }) => {
    const hops = proxyAddr.all(ctx.req, trust);
    return withoutMapping(hops.findLast((hop) => isIP(hop) !== 0) ?? peerOf(ctx));
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
