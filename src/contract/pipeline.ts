import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { UnimplementedOperation, type OperationHandler, type ProblemReply, type Route } from './contract-types.js';
import { authorize, type AnySecurityHandler } from './authentication.js';
import { passEntrySteps } from './entry-steps.js';
import type { Exchange } from './exchange.js';
import { idempotencyKeyOf, replyOnce, type Idempotency } from './idempotency.js';
import type { RateLimiter } from './rate-limiting.js';
import { createBodyReader, type BodyReader } from './read-body.js';
import {
  checkReply,
  checkStoredReply,
  isSampled,
  validateReply,
  type AnyReply,
  type ReplyValidation,
} from './reply-check.js';
import { putReply, type Inspect } from './reply-writer.js';
import { serveEndpoint, type ServeOptions } from './serve-endpoint.js';
import { validate } from './validation.js';

/** A handler as the pipeline sees it; the generated `...Handlers` interface types each one exactly. */
export type AnyHandler = OperationHandler<unknown, AnyReply, unknown>;

export interface PipelineOptions extends ServeOptions {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly dependencies: unknown;
  readonly security: Readonly<Record<string, AnySecurityHandler>>;
  /** Refuses a request before any other step; null: continue. */
  readonly admit: (request: IncomingMessage, route: Route) => ProblemReply | null;
  readonly rateLimiter: RateLimiter | null;
  /** null: keys of requests are ignored. */
  readonly idempotency: Idempotency<unknown> | null;
  readonly replyValidation: ReplyValidation;
  /** Called when `sampled` finds a reply that violates the contract. */
  readonly mismatched: (operationId: string) => void;
}

/**
 * Creates the middleware of an operation, which its generated router registers. Every request passes these steps, in
 * this order (pages pass 1 to 6, then their handler):
 *
 *  1. match the route            404, 405
 *  2. admit                      401, 403
 *  3. negotiate media types      406, 415
 *  4. read the body              413
 *  5. limit the rate             429
 *  6. authenticate               401; then 429, if the limit counts callers
 *  7. parse the body             400
 *  8. validate                   422
 *  9. authorize                  403
 * 10. handle, once per idempotency key 409, 422
 * 11. check the reply against the contract
 * 12. serialize; Koa writes
 *
 * Documented replies are values. An error that a step or handler throws is unexpected; one place maps it to a problem.
 */
export function createOperation(route: Route, options: PipelineOptions): (ctx: Context) => Promise<void> {
  const readBody = createBodyReader(route);
  return serveEndpoint(route, (ctx, exchange) => answer(ctx, exchange, readBody, options), options);
}

/** Steps 2 to 12. Returns the problem that refuses the request; null: the reply is on the context. */
async function answer(
  ctx: Context,
  exchange: Exchange,
  readBody: BodyReader,
  options: PipelineOptions,
): Promise<ProblemReply | null> {
  const { route, requestId } = exchange;
  const reply = await replyTo(ctx, exchange, readBody, options);
  if ('cause' in reply && reply.cause !== undefined) exchange.log.info({ err: reply.cause }, 'refused');
  checkReply(route, reply);
  const inspect = inspectionOf(exchange, options);
  inspect?.(() => {
    validateReply(route, reply, requestId);
  });
  putReply(ctx, reply, route.replies[reply.status], exchange, inspect);
  return null;
}

/** Returns the function that validates this reply or a line of it; null: this reply is not validated. */
function inspectionOf({ route, log }: Exchange, { replyValidation, mismatched }: PipelineOptions): Inspect | null {
  if (replyValidation === 'always') {
    return (validateIt) => {
      validateIt();
    };
  }
  if (replyValidation === 'off' || !isSampled()) return null;
  return (validateIt) => {
    try {
      validateIt();
    } catch (error) {
      log.error({ err: error, operation: route.operationId }, 'a reply violates the contract');
      mismatched(route.operationId);
    }
  };
}

async function replyTo(
  ctx: Context,
  exchange: Exchange,
  readBody: BodyReader,
  options: PipelineOptions,
): Promise<AnyReply> {
  const { route } = exchange;
  const entry = {
    admit: () => options.admit(exchange.request, route),
    readBody: () => readBody(ctx, exchange),
  };
  const refusal = await passEntrySteps(exchange, entry, options);
  if (refusal !== null) return refusal;

  const parsed = exchange.parsedBody;
  if ('problem' in parsed) return parsed.problem;
  const valid = validate(exchange, parsed.value);
  if ('problem' in valid) return valid.problem;

  const { scheme } = exchange;
  const authorized =
    scheme === null || scheme.scope === null
      ? { principal: exchange.principal }
      : await authorize(exchange, exchange.principal, valid.parts.params, options.security);
  if ('refusal' in authorized) return authorized.refusal;
  exchange.authorizedParams = valid.parts.params;

  const handler = options.handlers[route.operationId];
  if (handler === undefined) throw new UnimplementedOperation(route.operationId);
  const { params, query, headers, cookies, body } = valid.parts;
  exchange.principal = authorized.principal;
  ctx['params'] = params;
  // A JSON value, or undefined where the body is optional; koa-body's type forgets the latter.
  Object.assign(ctx.request, { body });
  const request = { params, query, headers, cookies, body, principal: authorized.principal, context: exchange, ctx };
  const { idempotency } = options;
  const key = idempotencyKeyOf(exchange);
  if (key === null || idempotency === null) return handler(request, options.dependencies);
  const keyed = { key, parts: valid.parts, principal: authorized.principal };
  return replyOnce(exchange, keyed, idempotency, async (dependencies) => {
    const reply = await handler(request, dependencies);
    checkStoredReply(route, reply);
    return reply;
  });
}
