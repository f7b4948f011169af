import type { ClientOptions } from './client-options.js';
import { nameOf, type AnyRequest, type Operation } from './operation.js';
import { isProblem } from './reply.js';
import { checkedBearer, sendableOf } from './request.js';
import { systemTiming } from './retry.js';
import type { Renew } from './session.js';
import type { TokenStore } from './tokens.js';
import { send, untilAborted, type AttemptReport, type SendOptions } from './transport.js';

/** Idempotent methods (RFC 9110, section 9.2.2). */
const idempotent = ['get', 'head', 'put', 'delete', 'options'];
const defaultTimeoutMs = 30_000;
const defaultRetries = 2;
const defaultMaxRetryDelayMs = 30_000;

/** The caller's credentials. */
export interface Caller {
  readonly options: ClientOptions;
  /** The version of the API that the client is generated from. */
  readonly apiVersion: string;
  readonly tokens: TokenStore;
  /** The security schemes of the tokens; none: the API has none. */
  readonly schemes: readonly string[];
  readonly renew: Renew;
}

/**
 * Sends a request with the caller's access token, if the operation requires one. If the server rejects the token, the
 * tokens are renewed and the request is repeated once; if they cannot be renewed, the reply is the 401.
 */
export async function sendAuthenticated(
  caller: Caller,
  operation: Operation,
  request: AnyRequest,
  input: Request,
): Promise<Response> {
  const plain = await sendableOf(input);
  const options = sendOptions(caller.options, operation, request);
  const takesToken = operation.scheme !== undefined && caller.schemes.includes(operation.scheme);
  const tokens = takesToken && !('authorization' in plain.headers) ? await caller.tokens.get() : null;
  if (tokens === null) return send(plain, options);

  const sendWith = (token: string): Promise<Response> =>
    send({ ...plain, headers: { ...plain.headers, authorization: checkedBearer(token) } }, options);
  const response = await sendWith(tokens.access_token);
  if (!(await isUnauthenticated(response, operation))) return response;
  const renewed = await untilAborted(caller.renew(tokens.access_token), request.signal);
  return renewed === null ? response : sendWith(renewed.access_token);
}

/** Other problems with status 401, such as a wrong password, do not concern the token. */
async function isUnauthenticated(response: Response, operation: Operation): Promise<boolean> {
  if (response.status !== 401) return false;
  if (operation.statuses.includes(401)) return true; // GraphQL replies are not problems and have only this 401
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null); // a 401 without JSON does not come from the API
  return isProblem(body) && body.type === '/problems/unauthenticated';
}

function logReport(report: AttemptReport): void {
  // eslint-disable-next-line no-console -- the caller asked for it with `debug: true`
  console.debug('plumbline', report);
}

function sendOptions(client: ClientOptions, operation: Operation, request: AnyRequest): SendOptions {
  const isKeyed = operation.keyed === true;
  return {
    fetch: client.fetch ?? ((url, init) => fetch(url, init)),
    operation: nameOf(operation),
    signal: request.signal,
    debug: client.debug === true ? logReport : client.debug || undefined,
    timeoutMs: request.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs,
    retries: request.retries ?? client.retries ?? defaultRetries,
    policy: {
      isRepeatable: isKeyed || operation.readsOnly === true || idempotent.includes(operation.method),
      isKeyed,
      maxRetryDelayMs: client.maxRetryDelayMs ?? defaultMaxRetryDelayMs,
      timing: client.timing ?? systemTiming,
    },
    stream: operation.format?.parseAs === 'stream',
  };
}
