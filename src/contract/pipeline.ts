import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  UnimplementedOperation,
  type Log,
  type OperationHandler,
  type ProblemReply,
  type Route,
} from '../../generated/contract.js';
import { internalError, methodNotAllowed, notImplemented } from '../../generated/problems.js';
import { authorize, isStillAuthorized, type AnySecurityHandler } from './authentication.js';
import { identify, passEntrySteps } from './entry-steps.js';
import { Exchange, unroutedEndpoint, type Endpoint } from './exchange.js';
import { idempotencyKeyOf, replyOnce, type Idempotency } from './idempotency.js';
import type { RateLimiter } from './rate-limiting.js';
import { checkReply, isSampled, validateReply, type AnyReply, type ReplyValidation } from './reply-check.js';
import { prepareReply, writeReply, type Inspect, type PreparedReply } from './reply-writer.js';
import { RequestAborted, readBody } from './read-body.js';
import { requestIdOf } from './request-id.js';
import { createRouter, type RouteMatch } from './routing.js';
import { reportServed, type ServedOptions } from './served.js';
import { validate } from './validation.js';

/** A handler as the pipeline sees it; the generated `...Handlers` interface types each one exactly. */
export type AnyHandler = OperationHandler<unknown, AnyReply, unknown>;

/**
 * Serves a request. Resolves when its reply has been passed to the operating system.
 *
 * @returns null, without effect, when the path is not in the contract
 */
export type Pipeline = (request: IncomingMessage, response: ServerResponse) => Promise<void> | null;

export interface PipelineOptions extends ServedOptions {
  readonly routes: readonly Route[];
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
  readonly log: Log;
  /** Creates the id of a request without one. */
  readonly mintRequestId: () => string;
  /** The caller's address. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** The schemes that identify the callers of refused requests, for the log; empty: callers are not identified. */
  readonly callerSecurity: Endpoint['security']['schemes'];
  /** Maps an unexpected failure to its documented problem; null: 500. */
  readonly problemOf: (error: unknown) => ProblemReply | null;
  /** Headers of all replies. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Every request passes these steps, in this order (pages pass 1 to 6, then their handler):
 *
 *  1. match the route            404
 *  2. admit                      401, 403; then 405
 *  3. negotiate media types      406, 415
 *  4. read the body              413
 *  5. limit the rate             429
 *  6. authenticate               401; then 429, if the limit counts callers
 *  7. parse the body             400
 *  8. validate                   422
 *  9. authorize                  403
 * 10. handle, once per idempotency key 409, 422
 * 11. check the reply against the contract
 * 12. serialize, then write
 *
 * Documented replies are values. An error that a step or handler throws is unexpected; one place maps it to a problem.
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const route = createRouter(options.routes);
  return (request, response) => {
    const match = route(request.method ?? 'GET', request.url ?? '/');
    return match === null ? null : serve(match, request, response, options);
  };
}

async function serve(
  match: RouteMatch,
  request: IncomingMessage,
  response: ServerResponse,
  options: PipelineOptions,
): Promise<void> {
  const requestId = requestIdOf(request, options.mintRequestId);
  const isHead = request.method === 'HEAD';
  if ('route' in match) {
    const exchange = new Exchange(request, response, match.route, match.params, requestId, options);
    const reply = await answer(exchange, options);
    if (reply === null) return; // the caller has disconnected
    await writeReply(response, reply, isHead, exchange);
    reportServed(exchange, reply.status, options);
  } else {
    const endpoint = unroutedEndpoint(match.other.path, options);
    const exchange = new Exchange(request, response, endpoint, {}, requestId, options);
    await identify(exchange, options);
    const reply = refuseMethod(match, request, requestId, options);
    await writeReply(response, reply, isHead, null);
    reportServed(exchange, reply.status, options);
  }
}

/** Reveals the allowed methods only to callers that are admitted. */
function refuseMethod(
  { allow, other }: Extract<RouteMatch, { readonly other: Route }>,
  request: IncomingMessage,
  requestId: string,
  { admit, headers }: PipelineOptions,
): PreparedReply {
  const refusal = admit(request, other);
  if (refusal !== null) return prepareReply(refusal, undefined, requestId, headers, null);
  const problem = methodNotAllowed({ message: `Use ${allow.join(' or ')} here.`, allow: [...allow] });
  return prepareReply(problem, undefined, requestId, { ...headers, Allow: allow.join(', ') }, null);
}

/** Steps 2 to 12, without the write. Never throws; null: the caller has disconnected. */
async function answer(exchange: Exchange, options: PipelineOptions): Promise<PreparedReply | null> {
  const { route, requestId, replyHeaders } = exchange;
  Object.assign(replyHeaders, options.headers);
  const inspect = inspectionOf(exchange, options);
  try {
    const reply = await replyTo(exchange, options);
    if ('cause' in reply && reply.cause !== undefined) exchange.log.info({ err: reply.cause }, 'refused');
    checkReply(route, reply);
    inspect?.(() => {
      validateReply(route, reply, requestId);
    });
    return prepareReply(reply, route.replies[reply.status], requestId, replyHeaders, inspect);
  } catch (error) {
    if (error instanceof RequestAborted) return null;
    const problem = problemOf(error, exchange, options);
    return prepareReply(problem, route.replies[problem.status], requestId, replyHeaders, null);
  }
}

/** Returns the function that validates this reply or a line of it; null: this reply is not validated. */
function inspectionOf({ route, log }: Exchange, { replyValidation, mismatched }: PipelineOptions): Inspect | null {
  if (replyValidation === 'always') {
    return (validate) => {
      validate();
    };
  }
  if (replyValidation === 'off' || !isSampled()) return null;
  return (validate) => {
    try {
      validate();
    } catch (error) {
      log.error({ err: error, operation: route.operationId }, 'a reply violates the contract');
      mismatched(route.operationId);
    }
  };
}

async function replyTo(exchange: Exchange, options: PipelineOptions): Promise<AnyReply> {
  const { route } = exchange;
  const entry = {
    admit: () => options.admit(exchange.request, route),
    readBody: () => readBody(exchange),
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
  exchange.isStillAuthorized = () => isStillAuthorized(exchange, valid.parts.params, options.security);

  const handler = options.handlers[route.operationId];
  if (handler === undefined) throw new UnimplementedOperation(route.operationId);
  const { params, query, headers, cookies, body } = valid.parts;
  const request = { params, query, headers, cookies, body, principal: authorized.principal, context: exchange };
  const { idempotency } = options;
  const key = idempotencyKeyOf(exchange);
  if (key === null || idempotency === null) return handler(request, options.dependencies);
  const keyed = { key, parts: valid.parts, principal: authorized.principal };
  return replyOnce(exchange, keyed, idempotency, async (dependencies) => {
    const reply = await handler(request, dependencies);
    checkReply(route, reply); // a wrong reply must not be stored
    return reply;
  });
}

/** The problem for an error that a step or handler has thrown. Logs the error. */
export function problemOf(
  error: unknown,
  exchange: Exchange<Endpoint>,
  options: Pick<PipelineOptions, 'problemOf'>,
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
  return internalError({ message: 'The server failed unexpectedly. Report the request id.' });
}
