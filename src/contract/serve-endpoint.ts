/** What requests to operations and to pages have in common: their exchange, and how a refusal or a failure is answered. */
import { Stream } from 'node:stream';
import type { Context } from 'koa';
import { UnimplementedOperation, type ProblemReply } from './contract-types.js';
import { internalError, notImplemented } from '../../generated/contract/problems.js';
import { compressReply } from './compression.js';
import { Exchange, type Endpoint, type ExchangeOptions } from './exchange.js';
import { RequestAborted } from './read-body.js';
import { putProblem } from './reply-writer.js';
import { requestIdOf } from './request-id.js';
import { reportServed, type ServedOptions } from './served.js';
import { inRequestSpan } from './trace-requests.js';

export interface ServeOptions extends ExchangeOptions, ServedOptions {
  /** Creates the id of a request without one. */
  readonly mintRequestId: () => string;
  /** Maps an unexpected failure to its documented problem; null: 500. */
  readonly problemOf: (error: unknown) => ProblemReply | null;
  /** Headers of all replies. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes a problem on Koa's context. */
export type WriteProblem<Served extends Endpoint> = (
  ctx: Context,
  problem: ProblemReply,
  exchange: Exchange<Served>,
) => void;

/**
 * Creates the middleware of an endpoint. `ctx.state` becomes the exchange, so that middleware around it can read the
 * request id, the caller and the log. It keeps what middleware before has put there.
 *
 * @param answer puts the reply on the context, or returns the problem to refuse the request with
 * @param write writes a problem; default: as `application/problem+json`
 */
export function serveEndpoint<Served extends Endpoint>(
  endpoint: Served,
  answer: (ctx: Context, exchange: Exchange<Served>) => Promise<ProblemReply | null>,
  options: ServeOptions,
  write: WriteProblem<Served> = putProblem,
): (ctx: Context) => Promise<void> {
  const serve = async (ctx: Context): Promise<void> => {
    const requestId = requestIdOf(ctx.req, options.mintRequestId);
    const exchange = new Exchange(ctx, endpoint, requestId, options);
    for (const name in ctx.state) if (!(name in exchange)) Reflect.set(exchange, name, ctx.state[name]);
    ctx.state = exchange;
    ctx.set(options.headers);
    if (endpoint.deprecationHeaders !== undefined) ctx.set(endpoint.deprecationHeaders);
    ctx.set('X-Request-Id', requestId);
    let problem: ProblemReply | null;
    try {
      problem = await answer(ctx, exchange);
    } catch (error) {
      if (error instanceof RequestAborted) return;
      if (ctx.headerSent) throw error; // too late for a problem
      problem = problemOf(ctx, error, exchange, options);
    }
    if (exchange.settleLimits !== null) await exchange.settleLimits(problem?.status ?? ctx.status);
    for (const name in exchange.replyHeaders) ctx.set(name, exchange.replyHeaders[name] ?? '');
    if (problem !== null) write(ctx, problem, exchange);
    const compressing = compressReply(ctx, exchange);
    if (compressing !== undefined) await compressing;
    whenSent(ctx, () => {
      reportServed(exchange, ctx.status, options);
    });
  };
  return (ctx) => inRequestSpan(ctx.req, () => serve(ctx));
}

/** Calls back when the reply is ready to be sent; for a stream, when it has ended. */
function whenSent(ctx: Context, callback: () => void): void {
  if (ctx.body instanceof Stream) ctx.body.once('close', callback);
  else callback();
}

/**
 * The problem for an error that a step or handler has thrown. Logs the error. An unexpected one is also reported as Koa
 * reports errors, so that error trackers for Koa see it.
 */
function problemOf(
  ctx: Context,
  error: unknown,
  exchange: Exchange<Endpoint>,
  options: Pick<ServeOptions, 'problemOf'>,
): ProblemReply {
  const fields = { err: error, operation: exchange.route.operationId };
  if (error instanceof UnimplementedOperation) {
    exchange.log.warn(fields, 'operation without implementation');
    return notImplemented({ message: `${exchange.route.operationId} is not implemented by this server yet.` });
  }
  if (exchange.isAbandonment(error)) {
    exchange.log.debug(fields, 'the caller disconnected before the reply');
    return internalError({ message: 'The caller disconnected before the reply.' }); // it is not sent
  }
  const known = options.problemOf(error);
  if (known !== null) {
    exchange.log.warn(fields, 'temporarily unavailable');
    return known;
  }
  exchange.log.error(fields, 'unexpected failure');
  exchange.loggedFailure = error;
  ctx.app.emit('error', error, ctx);
  return internalError({ message: 'The server failed unexpectedly. Report the request id.' });
}
