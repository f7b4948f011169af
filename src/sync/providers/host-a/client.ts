/** Requests to host_a through octokit. Octokit's plugins decide what to retry, and the shared gate decides when. */
import { RedirectRefusedError } from '@plumbline/contract/outbound/outbound-fetch';
import { SyncError } from '../../failures.js';
import type { Gate } from '../../http/gate.js';
import { TRIES } from '../../http/gate.js';
import { gatedFetch, isRateLimited, type GatedFetch } from '../../http/gated-fetch.js';
import type { SyncDependencies } from '../../dependencies.js';
import { importConnector } from '../connectors.js';
import type { JsonObject } from '../read.js';
import { readObject } from '../read.js';

export interface HostAClient {
  /** A REST request such as `GET /repos/{owner}/{repo}`; `hasNext` comes from the Link header. */
  rest(
    route: string,
    parameters: Readonly<Record<string, string | number>>,
  ): Promise<{ readonly data: unknown; readonly hasNext: boolean }>;
  /** A GraphQL query; the result is its `data`, with null for nodes that the token may not see. */
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<JsonObject>;
}

/** The part of octokit that we use. The readers parse all its results. */
interface Octokit {
  request(
    route: string,
    parameters: object,
  ): Promise<{ readonly status: number; readonly data: unknown; readonly headers: { readonly link?: string } }>;
  graphql(query: string, variables: object): Promise<unknown>;
}

const TIMEOUT = 30_000;

/** Statuses that are not retried. The throttling plugin handles 403 and 429. */
const FINAL_STATUSES = [400, 401, 403, 404, 409, 410, 422, 429, 451];

/** Opens a client on the API at `baseUrl`. */
export async function openHostAClient(
  baseUrl: string,
  token: string | undefined,
  gate: Gate,
  dependencies: SyncDependencies,
): Promise<HostAClient> {
  const constructor = await importConnector(dependencies, 'octokit', 'Octokit');
  const { fetch, now, signal } = dependencies;
  const plainFetch = gatedFetch({ fetch, gate, now, signal, timeout: TIMEOUT });
  const onLimit = (retryAfter: number, _options: unknown, _octokit: unknown, retries: number): boolean => {
    gate.delay(retryAfter * 1000, 'rate limit');
    return retries < TRIES - 1;
  };
  // The package is optional, so its types may be missing; this is the part that we use.
  const octokit = new (constructor as new (options: object) => Octokit)({
    auth: token,
    baseUrl,
    userAgent: 'plumbline-sync',
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    request: { fetch: async (...args: Parameters<GatedFetch>) => withLimitHeaders(await plainFetch(...args)) },
    // With a base value of 0 the plugins retry immediately; the gate delays the retry.
    retry: { retries: TRIES - 1, retryAfterBaseValue: 0, doNotRetry: FINAL_STATUSES },
    throttle: {
      onRateLimit: onLimit,
      onSecondaryRateLimit: onLimit,
      retryAfterBaseValue: 0,
      // The plugin would delay each query by a second, as it does mutations.
      write: { key: () => ({ schedule: (_options: unknown, task: () => unknown) => task() }) },
    },
  });

  const rest: HostAClient['rest'] = async (route, parameters) => {
    // With 202 the host is still computing the reply.
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const reply = await explained(route, signal, () => octokit.request(route, parameters));
      if (reply.status !== 202)
        return { data: reply.data, hasNext: /<[^>]*>;[^,]*rel="?next"?/.test(reply.headers.link ?? '') };
    }
    throw new SyncError('host_unavailable', `host_a did not finish ${route} after ${TRIES} tries: status 202`);
  };
  return {
    rest,
    graphql: async (query, variables) => {
      const send = (): Promise<unknown> => octokit.graphql(query, variables).catch(withoutRefused);
      return readObject(await explained(GRAPHQL, signal, send), 'data');
    },
  };
}

const GRAPHQL = 'GraphQL query';
/** What the host writes if the token, and not the repository, is the reason of a refusal. */
const REFUSED_TOKEN = /accessible by|admin rights|saml|single sign|oauth|scope|permission/i;

interface GraphqlError {
  readonly type?: unknown;
  readonly path?: unknown;
  readonly message?: unknown;
}

/** The token may not see a part of the data, such as a request of a fork that requires single sign-on. */
const REFUSALS: ReadonlySet<unknown> = new Set(['FORBIDDEN', 'NOT_FOUND']);

/** The data of a reply whose errors only refuse single nodes; a refused repository or list is an error. */
function withoutRefused(error: unknown): unknown {
  if (!(error instanceof Error && 'data' in error && 'errors' in error && Array.isArray(error.errors))) throw error;
  const errors = error.errors as readonly GraphqlError[];
  const isOfNode = ({ type, path }: GraphqlError): boolean =>
    REFUSALS.has(type) && Array.isArray(path) && path.length > 2;
  if (typeof error.data !== 'object' || error.data === null || !errors.every(isOfNode)) throw error;
  return error.data;
}

/** The throttling plugin recognizes a rate limit by its text or this header; a plain 429 or Retry-After has neither. */
function withLimitHeaders(response: Response): Response {
  if (isRateLimited(response)) response.headers.set('x-ratelimit-remaining', '0');
  return response;
}

async function explained<Result>(what: string, signal: AbortSignal, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    signal.throwIfAborted();
    throw asSyncError(error, what);
  }
}

function asSyncError(error: unknown, what: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.cause instanceof RedirectRefusedError) {
    return new SyncError('unexpected_reply', redirected(what, error.cause), { cause: error });
  }
  const options = { cause: error };
  if ('errors' in error && Array.isArray(error.errors)) return ofGraphql(error.errors, what, options);
  if (!('status' in error) || typeof error.status !== 'number') return error;
  const response =
    'response' in error ? (error.response as { readonly headers?: Record<string, string> } | undefined) : undefined;
  // GraphQL has one address for everything, so its status says nothing about a part of a repository.
  const isOfToken = what === GRAPHQL || REFUSED_TOKEN.test(error.message);
  const withheld = isOfToken ? options : { ...options, status: error.status };
  switch (error.status) {
    case 401:
      return new SyncError('unauthorized', 'host_a refused the token (401): it is wrong, expired or revoked.', options);
    case 404:
      return new SyncError('not_found', notFound(what), withheld);
    case 429:
      return new SyncError('rate_limited', limited(what), options);
    case 403:
      return response?.headers?.['x-ratelimit-remaining'] === '0' || /rate limit/i.test(error.message)
        ? new SyncError('rate_limited', limited(what), options)
        : new SyncError('unauthorized', `host_a refused ${what} (403): ${error.message}`, withheld);
    default:
      return error.status >= 500
        ? new SyncError(
            'host_unavailable',
            `host_a did not answer ${what} after ${TRIES} tries: ${error.message}`,
            options,
          )
        : new SyncError('unexpected_reply', `host_a answered ${what} with status ${error.status}: ${error.message}`, {
            ...options,
            status: error.status,
          });
  }
}

function ofGraphql(errors: readonly GraphqlError[], what: string, options: ErrorOptions): SyncError {
  const text = errors.map(({ message }) => String(message).replaceAll(/\s+/g, ' ')).join('; ');
  switch (errors[0]?.type) {
    case 'NOT_FOUND':
      return new SyncError('not_found', notFound(text), options);
    case 'FORBIDDEN':
      return new SyncError('unauthorized', `host_a refused it: ${text}`, options);
    case 'RATE_LIMITED':
      return new SyncError('rate_limited', limited(what), options);
    case 'RESOURCE_LIMITS_EXCEEDED':
    case undefined:
      if (OVERLOADED.test(text) || errors[0]?.type !== undefined)
        return new SyncError('host_unavailable', `host_a did not answer ${what}: ${text}`, options);
  }
  return new SyncError('unexpected_reply', `host_a: ${text}`, options);
}

/** What the host writes if it needs too long for a query; such an error has no type. */
const OVERLOADED = /something went wrong|timed? ?out|couldn't respond/i;

function notFound(what: string): string {
  return `host_a: not found: ${what}. A private repository looks the same to a token without the scope repo.`;
}

function redirected(what: string, { message }: RedirectRefusedError): string {
  return `host_a did not answer ${what}: ${message}. If you trust it, make that the address of host_a.`;
}

function limited(what: string): string {
  return `host_a kept limiting the request rate (${what}). Run the sync again later: it resumes from here.`;
}
