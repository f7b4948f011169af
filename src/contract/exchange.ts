import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log, RequestContext, Route, SchemeUse } from '../../generated/contract.js';
import { isOnThisMachine } from './local-request.js';
import { normalizeBody } from './normalization.js';
import { parseBody, type ParsedBody } from './request-body.js';

/** The properties of an operation's route or of a page that the entry steps need. */
export interface Endpoint extends Pick<
  Route,
  'method' | 'path' | 'maxBodyBytes' | 'security' | 'rateLimits' | 'produces'
> {
  /** Its name in the log and in metrics; null: the request matches no operation and no page. */
  readonly operationId: string | null;
  readonly body: Pick<NonNullable<Route['body']>, 'mediaType' | 'emails'> | null;
}

/**
 * The endpoint of a request whose path and method match nothing.
 *
 * @param callerSecurity identifies the caller for the log; none: callers are not identified
 */
export function unroutedEndpoint(
  path: string,
  { callerSecurity: schemes }: { readonly callerSecurity: Endpoint['security']['schemes'] },
): Endpoint {
  const security = { anonymous: true, schemes };
  return { operationId: null, method: '', path, produces: [], body: null, maxBodyBytes: 0, rateLimits: [], security };
}

/**
 * The state of one request in the pipeline. Costly parts are created on first use: most requests need neither an abort
 * signal nor a logger.
 */
export class Exchange<Served extends Endpoint = Route> implements RequestContext {
  /** When the request arrived, in milliseconds of `performance.now()`. */
  readonly started = performance.now();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Served;
  readonly requestId: string;
  readonly clientIp: string;
  /** Path parameters, percent-decoded but not converted. */
  readonly rawParams: Readonly<Record<string, string | undefined>>;
  readonly #log: Log;
  #controller: AbortController | undefined;
  #parsedBody: ParsedBody | undefined;

  /** The request body's bytes; null until they are read, and for operations without a body. */
  rawBody: Buffer | null = null;
  /** The authenticated caller; null: not authenticated. */
  principal: unknown = null;
  /** The security scheme of `principal`. */
  scheme: SchemeUse | null = null;
  /** Repeats authentication and authorization. Set after the first authorization. */
  isStillAuthorized: () => Promise<boolean> = () => Promise.resolve(false);
  /** Headers to add to any reply. */
  readonly replyHeaders: Record<string, string> = {};

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    route: Served,
    rawParams: Readonly<Record<string, string | undefined>>,
    requestId: string,
    services: { readonly log: Log; readonly addressOf: (request: IncomingMessage) => string },
  ) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.rawParams = rawParams;
    this.requestId = requestId;
    this.#log = services.log;
    this.clientIp = services.addressOf(request); // read now, because a closed connection has no address
  }

  get isOnThisMachine(): boolean {
    return isOnThisMachine(this.request);
  }

  /** The body, parsed and normalized. Rate limits may read it before the pipeline's parse step reports its errors. */
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
    return this.#abortController.signal;
  }

  /** Aborts the signal of a reply whose body is not sent. Its response finishes, which alone would not abort it. */
  abandon(): void {
    this.#abortController.abort();
  }

  get #abortController(): AbortController {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      // Each pending call of a handler adds a listener. Listing twenty containers makes twenty calls, which is not a
      // leak.
      setMaxListeners(0, controller.signal);
      const { response } = this;
      const abortUnlessComplete = (): void => {
        if (!response.writableFinished) controller.abort();
      };
      if (response.destroyed) abortUnlessComplete();
      else response.once('close', abortUnlessComplete);
      this.#controller = controller;
    }
    return this.#controller;
  }

  /** Whether a handler failed only because the caller closed the connection. */
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
