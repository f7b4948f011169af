import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import type { Log, ProblemForm, RequestContext, Route, SchemeUse } from './contract-types.js';
import { isOnThisMachine } from './local-request.js';
import { normalizeBody } from './normalization.js';
import { parseBody, type ParsedBody, type ReceivedBody } from './request-body.js';

/** The properties of an operation's route or of a page that the entry steps need. */
export interface Endpoint extends Pick<
  Route,
  'method' | 'path' | 'maxBodyBytes' | 'security' | 'rateLimits' | 'produces'
> {
  readonly errorForm?: Route['errorForm'];
  readonly deprecationHeaders?: Route['deprecationHeaders'];
  /** The name in the log and in metrics; null: the request matches no operation and no page. */
  readonly operationId: string | null;
  readonly body: Pick<NonNullable<Route['body']>, 'mediaType' | 'emails' | 'acceptsAnything'> | null;
}

/**
 * The endpoint of a request whose path and method match nothing.
 *
 * @param callerSchemes identify the caller for the log; none: callers are not identified
 */
export function unroutedEndpoint(path: string, callerSchemes: readonly SchemeUse[]): Endpoint {
  const security = { anonymous: true, schemes: callerSchemes };
  return { operationId: null, method: '', path, produces: [], body: null, maxBodyBytes: 0, rateLimits: [], security };
}

export interface ExchangeOptions {
  readonly log: Log;
  /** The headers and members of the problems that have some, by slug. */
  readonly problemForms: Readonly<Record<string, ProblemForm>>;
  /** The caller's address. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Authenticates and authorizes a request again. */
  readonly isStillAuthorized: (
    exchange: Exchange<Endpoint>,
    params: Readonly<Record<string, unknown>>,
  ) => Promise<boolean>;
}

/**
 * The state of one request in the pipeline, which Koa's context holds as `ctx.state`. Costly parts are created on first
 * use: most requests need neither an abort signal nor a logger.
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
  readonly #options: ExchangeOptions;
  #controller: AbortController | undefined;
  #parsedBody: ParsedBody | undefined;

  /** The request body; null until it is read, and if none was sent. */
  receivedBody: ReceivedBody | null = null;
  /** The authenticated caller; null: not authenticated. */
  principal: unknown = null;
  /** The security scheme of `principal`. */
  scheme: SchemeUse | null = null;
  /** The valid path parameters, once the request is authorized. */
  authorizedParams: Readonly<Record<string, unknown>> | null = null;
  /**
   * Whether the reply may be compressed. Only replies to GET and HEAD are: an attacker who can send requests as another
   * user and observe the length of replies could guess a secret next to text that the attacker chose (the BREACH
   * attack). Replies with secrets, such as those of a login, answer POST.
   */
  isCompressible: boolean;
  /** The unexpected failure that was logged with its reply. */
  loggedFailure: unknown = null;
  /** Headers to add to any reply. */
  readonly replyHeaders: Record<string, string> = {};
  /** Ends the count of the request under its rate limits, with the status of the reply; null: nothing is left to do. */
  settleLimits: ((status: number) => Promise<void>) | null = null;

  constructor(ctx: Context, route: Served, requestId: string, options: ExchangeOptions) {
    this.request = ctx.req;
    this.response = ctx.res;
    this.route = route;
    this.rawParams = paramsOf(ctx);
    this.requestId = requestId;
    this.#options = options;
    this.isCompressible = ctx.method === 'GET' || ctx.method === 'HEAD';
    this.clientIp = options.addressOf(ctx.req); // read now, because a closed connection has no address
  }

  get isOnThisMachine(): boolean {
    return isOnThisMachine(this.request);
  }

  /** The body, parsed and normalized. Rate limits may read it before the pipeline's parse step reports its errors. */
  get parsedBody(): ParsedBody {
    return (this.#parsedBody ??= this.#parseBody());
  }

  #parseBody(): ParsedBody {
    const parsed = parseBody(this.receivedBody, this.route.body?.acceptsAnything ?? false);
    if ('value' in parsed) normalizeBody(parsed.value, this.route.body?.emails ?? []);
    return parsed;
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get userAgent(): string | null {
    return this.request.headers['user-agent']?.slice(0, longestUserAgent) ?? null;
  }

  get problemForms(): ExchangeOptions['problemForms'] {
    return this.#options.problemForms;
  }

  get log(): Log {
    return withRequestId(this.#options.log, this.requestId);
  }

  // A method: a closure for each request, kept in a field, would make V8 promote every exchange to its old generation.
  async isStillAuthorized(): Promise<boolean> {
    return this.authorizedParams !== null && this.#options.isStillAuthorized(this, this.authorizedParams);
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

/** Longer ones are cut, because anonymous callers choose what is stored with audit records and sessions. */
const longestUserAgent = 512;

/** The parameters that @koa/router has found in the path. */
function paramsOf(ctx: Context): Readonly<Record<string, string | undefined>> {
  return (ctx['params'] ?? {}) as Readonly<Record<string, string | undefined>>;
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
