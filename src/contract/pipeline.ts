import type { Middleware } from 'koa';
import type { Log, OperationHandler, ProblemReply, Route } from '../../generated/contract.js';
import { UnimplementedOperation } from '../../generated/contract.js';
import { internalError, methodNotAllowed, notImplemented, routeNotFound } from '../../generated/problems.js';
import { authenticate, authorize, type AnySecurityHandler } from './authentication.js';
import { Exchange } from './exchange.js';
import { negotiate } from './negotiation.js';
import { limitRate, type RateLimiter } from './rate-limiting.js';
import { checkReply, isChecked, type AnyReply, type ReplyValidation } from './reply-check.js';
import { prepareReply, writeReply, type PreparedReply } from './reply-writer.js';
import { readBody, RequestAborted } from './request-body.js';
import { requestIdOf } from './request-id.js';
import { createRouter } from './routing.js';
import { validate } from './validation.js';

/** A handler as the pipeline sees it; the generated `...Handlers` interface types each one exactly. */
export type AnyHandler = OperationHandler<unknown, AnyReply, unknown>;

/** What one request turned out to be, for the access log and metrics. */
export interface Served {
  readonly requestId: string;
  /** null: the request matched no operation. */
  readonly operationId: string | null;
  readonly method: string;
  /** The path as the contract has it: never the one of the URL, whose parts may be secrets. */
  readonly path: string | null;
  readonly status: number;
  readonly durationSeconds: number;
  readonly clientIp: string | null;
}

export interface PipelineOptions {
  readonly routes: readonly Route[];
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly dependencies: unknown;
  readonly security: Readonly<Record<string, AnySecurityHandler>>;
  readonly rateLimiter: RateLimiter | null;
  readonly replyValidation: ReplyValidation;
  readonly log: Log;
  /** Makes the id of a request that brings none. */
  readonly mintRequestId: () => string;
  /** The caller's address. */
  readonly addressOf: (exchange: Exchange) => string;
  /** Turns an unexpected failure into the documented problem for it; null: 500. */
  readonly problemOf: (error: unknown) => ProblemReply | null;
  readonly served: (served: Served) => void;
}

/**
 * The way of every request, the same for all operations:
 *
 *  1. match the route            404, 405
 *  2. negotiate media types      406, 415
 *  3. read the body              413
 *  4. limit the rate             429
 *  5. authenticate               401
 *  6. parse the body             400
 *  7. validate                   422
 *  8. authorize                  403
 *  9. handle
 * 10. check the reply against the contract
 * 11. serialize, then write
 *
 * Documented replies are values; what a step or handler throws is unexpected, and turned into a problem in one place.
 */
export function createPipeline(options: PipelineOptions): Middleware {
  const route = createRouter(options.routes);
  return async (ctx, next) => {
    const started = performance.now();
    const { req, res } = ctx;
    const method = req.method ?? 'GET';
    const requestId = requestIdOf(req, options.mintRequestId);
    const match = route(method, req.url ?? '/');
    let exchange: Exchange | null = null;
    let reply: PreparedReply;
    if (match !== null && 'route' in match) {
      exchange = new Exchange(ctx, match.route, match.params, requestId, options);
      const prepared = await answer(exchange, options);
      if (prepared === null) {
        ctx.respond = false;
        return; // the caller is gone
      }
      reply = prepared;
    } else if (match !== null) {
      const message = `Use ${match.allow.join(' or ')} here.`;
      reply = prepareReply(
        methodNotAllowed({ message, allow: [...match.allow] }),
        undefined,
        requestId,
        {
          Allow: match.allow.join(', '),
        },
        false,
      );
    } else {
      // Pages that stand beside the API have their own middleware further down.
      ctx.set('X-Request-Id', requestId);
      await next();
      if (ctx.status !== 404 || ctx.respond === false || ctx.body != null) return;
      const message = 'No operation has this path. The API reference is at /docs.';
      reply = prepareReply(routeNotFound({ message }), undefined, requestId, {}, false);
    }
    ctx.respond = false;
    await writeReply(res, reply, method === 'HEAD', exchange);
    options.served({
      requestId,
      operationId: exchange?.route.operationId ?? null,
      method,
      path: exchange?.route.path ?? null,
      status: reply.status,
      durationSeconds: (performance.now() - started) / 1000,
      clientIp: exchange?.clientIp ?? null,
    });
  };
}

/** Steps 2 to 11 up to the point of writing. Never throws; null: there is nobody left to answer. */
async function answer(exchange: Exchange, options: PipelineOptions): Promise<PreparedReply | null> {
  const { route, requestId, replyHeaders } = exchange;
  const checked = isChecked(options.replyValidation);
  try {
    const reply = await replyTo(exchange, options);
    if ('cause' in reply && reply.cause !== undefined) exchange.log.info({ err: reply.cause }, 'refused');
    checkReply(route, reply, requestId, checked);
    return prepareReply(reply, route.replies[reply.status], requestId, replyHeaders, checked);
  } catch (error) {
    if (error instanceof RequestAborted) return null;
    const problem = problemOf(error, exchange, options);
    return prepareReply(problem, route.replies[problem.status], requestId, replyHeaders, false);
  }
}

async function replyTo(exchange: Exchange, options: PipelineOptions): Promise<AnyReply> {
  const { route } = exchange;
  const refusal =
    negotiate(exchange) ??
    (route.body === null ? null : await readBody(exchange)) ??
    (options.rateLimiter === null ? null : await limitRate(exchange, options.rateLimiter));
  if (refusal !== null) return refusal;

  const authentic = await authenticate(exchange, options.security);
  if ('refusal' in authentic) return authentic.refusal;

  const parsed = exchange.parsedBody;
  if ('problem' in parsed) return parsed.problem;
  const valid = validate(exchange, parsed.value);
  if ('problem' in valid) return valid.problem;

  const authorized = await authorize(exchange, authentic.principal, valid.parts.params, options.security);
  if ('refusal' in authorized) return authorized.refusal;

  const handler = options.handlers[route.operationId];
  if (handler === undefined) throw new UnimplementedOperation(route.operationId);
  const { params, query, headers, body } = valid.parts;
  const request = { params, query, headers, body, principal: authorized.principal, context: exchange };
  return handler(request, options.dependencies);
}

function problemOf(error: unknown, exchange: Exchange, options: PipelineOptions): ProblemReply {
  const fields = { err: error, operation: exchange.route.operationId };
  if (error instanceof UnimplementedOperation) {
    exchange.log.warn(fields, 'operation without implementation');
    return notImplemented({ message: `${exchange.route.operationId} is not implemented by this server yet.` });
  }
  const known = options.problemOf(error);
  if (known !== null) {
    exchange.log.warn(fields, 'cannot answer for now');
    return known;
  }
  exchange.log.error(fields, 'unexpected failure');
  return internalError({ message: 'Something went wrong here. Report it with the request id.' });
}
