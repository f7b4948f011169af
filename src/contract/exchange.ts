import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, RequestContext, Route } from '../../generated/contract.js';
import { isOnThisMachine } from './local-request.js';
import { normalizeBody } from './normalization.js';
import { parseBody, type ParsedBody } from './request-body.js';

/**
 * One request on its way through the pipeline, and what each step adds to it. What costs time is made when it is
 * first asked for: most requests need neither an abort signal nor a log of their own.
 */
export class Exchange implements RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly requestId: string;
  /** Path parameters as they stand in the URL, percent-decoded. */
  readonly rawParams: Readonly<Record<string, string | undefined>>;
  readonly #log: Log;
  readonly #addressOf: (request: IncomingMessage) => string;
  #clientIp: string | undefined;
  #controller: AbortController | undefined;
  #parsedBody: ParsedBody | undefined;

  /** The request body's bytes; null until they are read, and for operations that take none. */
  rawBody: Buffer | null = null;
  /** Who calls, once that is known; null: nobody is authenticated. */
  principal: unknown = null;
  /** Headers that go onto the reply, whatever it will be. */
  readonly replyHeaders: Record<string, string> = {};

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    rawParams: Readonly<Record<string, string | undefined>>,
    requestId: string,
    surroundings: { readonly log: Log; readonly addressOf: (request: IncomingMessage) => string },
  ) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.rawParams = rawParams;
    this.requestId = requestId;
    this.#log = surroundings.log;
    this.#addressOf = surroundings.addressOf;
  }

  get clientIp(): string {
    return (this.#clientIp ??= this.#addressOf(this.request));
  }

  get isOnThisMachine(): boolean {
    return isOnThisMachine(this.request);
  }

  /**
   * The body, parsed and normalized. The rate limits may look at it before its own step in the pipeline reports what is
   * wrong with it.
   */
  get parsedBody(): ParsedBody {
    return (this.#parsedBody ??= this.#parseBody());
  }

  #parseBody(): ParsedBody {
    const parsed = parseBody(this.rawBody, this.route.body?.mediaType);
    if ('value' in parsed) normalizeBody(parsed.value, this.route.body?.emails ?? []);
    return parsed;
  }

  get userAgent(): string | null {
    return this.request.headers['user-agent'] ?? null;
  }

  get log(): Log {
    return withRequestId(this.#log, this.requestId);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      // Each call that a handler has under way listens: a list of twenty containers is twenty calls, and no leak.
      setMaxListeners(0, controller.signal);
      const { response } = this;
      const abortUnlessComplete = (): void => {
        if (!response.writableFinished) controller.abort();
      };
      if (response.destroyed) abortUnlessComplete();
      else response.once('close', abortUnlessComplete);
      this.#controller = controller;
    }
    return this.#controller.signal;
  }

  /** Whether a handler failed only because its caller has closed the connection. */
  isAbandonment(error: unknown): boolean {
    return this.signal.aborted && error === this.signal.reason;
  }
}

function withRequestId(log: Log, requestId: string): Log {
  return {
    debug: (fields, message) => {
      log.debug({ request_id: requestId, ...fields }, message);
    },
    info: (fields, message) => {
      log.info({ request_id: requestId, ...fields }, message);
    },
    warn: (fields, message) => {
      log.warn({ request_id: requestId, ...fields }, message);
    },
    error: (fields, message) => {
      log.error({ request_id: requestId, ...fields }, message);
    },
  };
}
