import createFetchClient from 'openapi-fetch';
import { sendAuthenticated, type Caller } from './authenticated-send.js';
import type { ClientOptions } from './client-options.js';
import { checkApiVersion, clientHeaders } from './client-version.js';
import { PlumblineError, UnexpectedReplyError } from './errors.js';
import { idempotencyKey } from './idempotency-key.js';
import { nameOf, type AnyRequest, type Operation } from './operation.js';
import { resultOf } from './reply.js';
import { checkedBaseUrl, checkPathParams, requestHeaders } from './request.js';
import type { AnyResult } from './result.js';
import { systemTiming } from './retry.js';
import { createRenewal, type Refresh, type Renew } from './session.js';
import {
  fixedTokenStore,
  memoryTokenStore,
  observedStore,
  tokenPairOf,
  type TokenPair,
  type TokenStore,
} from './tokens.js';
import { untilAborted } from './transport.js';

/** A connection to one API, with the tokens of one caller. The first argument of the generated functions. */
export interface ApiClient<Api extends string> {
  readonly api: Api;
  /** The client's tokens. Changes made here are also reported to `onTokens`. */
  readonly tokens: TokenStore;
  /**
   * Performs an operation; called by the generated function of each operation.
   *
   * @throws ConnectionError, TimeoutError, ApiVersionError, UnexpectedReplyError, or the reason of the caller's signal
   */
  call<Result extends AnyResult>(operation: Operation, request?: AnyRequest): Promise<Result>;
}

/** The token authentication of an API. */
export interface TokenScheme<Api extends string> {
  /** The security schemes whose bearer token is that of the client. */
  readonly names: readonly string[];
  readonly refresh: (client: ApiClient<Api>, refreshToken: string) => ReturnType<Refresh>;
}

/**
 * Creates a client of one API. Clients share no state.
 *
 * @param apiVersion the version of the API that the client is generated from
 * @param tokenScheme null: the API does not use tokens
 * @throws TypeError when `baseUrl` is not an absolute http(s) URL without credentials, query and fragment, or when both
 * `token` and `tokens` are set
 */
export function createApiClient<Api extends string>(
  api: Api,
  apiVersion: string,
  options: ClientOptions,
  tokenScheme: TokenScheme<Api> | null,
): ApiClient<Api> {
  if (options.token !== undefined && options.tokens !== undefined)
    throw new TypeError('Set token or tokens, not both.');
  const { token, tokens: store = memoryTokenStore(), onTokens = (): void => undefined } = options;
  const tokens = token === undefined ? observedStore(store, onTokens) : fixedTokenStore(token);
  const http = createFetchClient<AnyPaths>({ baseUrl: checkedBaseUrl(options.baseUrl) });

  http.use(...(options.middleware ?? []));

  const client: ApiClient<Api> = {
    api,
    tokens,
    call<Result extends AnyResult>(operation: Operation, request: AnyRequest = {}): Promise<Result> {
      const callWith = async (renew: Renew): Promise<Result> => {
        const result = await perform(http, { ...caller, renew }, operation, request);
        const issued = result.ok && request.adoptTokens !== false ? issuedTokens(operation, result.data) : null;
        if (issued !== null) await tokens.set(issued);
        // The generated function defines the replies of its operation, and the contract tests verify the server.
        return result as Result;
      };
      const replacesTokens = operation.issues !== undefined && operation.scheme !== undefined;
      return replacesTokens ? untilAborted(renewal.exclusively(callWith), request.signal) : callWith(renewal.renew);
    },
  };
  const caller: Omit<Caller, 'renew'> = { options, apiVersion, tokens, schemes: tokenScheme?.names ?? [] };
  const renewal = createRenewal(tokens, async (token) => tokenScheme?.refresh(client, token) ?? null);
  return client;
}

/** The path type for openapi-fetch; the generated functions have the exact types of each operation. */
type AnyPaths = Record<string, Record<Operation['method'] | 'trace', AnyOperation>>;

interface AnyOperation {
  readonly parameters: { readonly path?: Record<string, unknown>; readonly query?: Record<string, unknown> };
  readonly requestBody?: { readonly content: { readonly 'application/json': unknown } };
  readonly responses: Record<number, { readonly content: Record<string, unknown> }>;
}

async function perform(
  http: ReturnType<typeof createFetchClient<AnyPaths>>,
  caller: Caller,
  operation: Operation,
  request: AnyRequest,
): Promise<AnyResult> {
  const { params, query, body } = request;
  checkPathParams(operation.path, { ...params });
  const received: { url: string; response?: Response } = { url: caller.options.baseUrl };
  try {
    const reply = await http.request(operation.method, operation.path, {
      params: { ...(params && { path: { ...params } }), ...(query && { query: { ...query } }) },
      ...(body !== undefined && { body }),
      // openapi-fetch writes JSON and forms.
      ...(typeof body === 'string' && { bodySerializer: String }),
      headers: requestHeaders(
        operation,
        clientHeaders(),
        caller.options.headers,
        caller.options.traceContext?.(),
        operation.keyed === true ? { 'idempotency-key': idempotencyKey(request.idempotencyKey) } : undefined,
        request.headers,
      ),
      parseAs: operation.format?.parseAs ?? 'text',
      fetch: async (input) => {
        received.url = input.url;
        return (received.response = await sendAuthenticated(caller, operation, request, input));
      },
    });
    if (caller.options.ignoreApiVersion !== true) checkApiVersion(operation, reply.response, caller.apiVersion);
    return resultOf(
      operation,
      received.url,
      reply.response,
      reply.response.ok ? reply.data : reply.error,
      request.signal,
      (lastEventId, pauseMs) => resumed(http, caller, operation, request, lastEventId, pauseMs),
    );
  } catch (error) {
    // A body that is declared as JSON and is not cannot come from this API.
    if (error instanceof SyntaxError && received.response !== undefined) {
      throw new UnexpectedReplyError(nameOf(operation), received.response, error);
    }
    throw error;
  }
}

/** Sends the request of a stream of events again, once its pause is over. */
async function resumed(
  http: ReturnType<typeof createFetchClient<AnyPaths>>,
  caller: Caller,
  { format, ...operation }: Operation,
  request: AnyRequest,
  lastEventId: string | null,
  pauseMs: number,
): Promise<ReadableStream<Uint8Array> | null> {
  const { timing = systemTiming } = caller.options;
  // Half of the pause is random, so that clients that a server left together do not return together.
  await timing.sleep(Math.round(pauseMs * (1 - timing.random() / 2)), request.signal);
  const headers = { ...request.headers, ...(lastEventId !== null && { 'last-event-id': lastEventId }) };
  const result = await perform(
    http,
    caller,
    { ...operation, ...(format && { format: { mediaType: format.mediaType, parseAs: format.parseAs } }) },
    { ...request, headers },
  );
  if (!result.ok) throw new PlumblineError(result);
  return result.status === 204 ? null : (result.data as ReadableStream<Uint8Array>); // nothing decodes it
}

function issuedTokens(operation: Operation, data: unknown): TokenPair | null {
  if (operation.issues === 'reply') return tokenPairOf(data);
  if (operation.issues === undefined || typeof data !== 'object' || data === null) return null;
  return tokenPairOf(Reflect.get(data, 'tokens'));
}
