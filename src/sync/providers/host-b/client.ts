/**
 * Requests to host_b through gitbeaker. The shared gate replaces gitbeaker's retries, which use fixed delays and ignore
 * Retry-After.
 */
import { SyncError } from '../../failures.js';
import type { Gate } from '../../http/gate.js';
import { exchange, notJson } from '../../http/exchange.js';
import { gatedFetch, type GatedFetch } from '../../http/gated-fetch.js';
import type { SyncDependencies } from '../../dependencies.js';
import { importConnector } from '../connectors.js';
import { PER_PAGE } from '../numbered-pages.js';
import type { JsonObject } from '../read.js';
import { readIntegerOrNull, readList, readObject, readText } from '../read.js';

type Options = Readonly<Record<string, unknown>>;

/** The part of gitbeaker that we use. The readers parse all its results. */
export interface Gitlab {
  readonly Projects: { show(project: number, options?: Options): Promise<unknown> };
  readonly Groups: { allProjects(group: string, options: Options): Promise<unknown> };
  readonly Users: { allProjects(user: string, options: Options): Promise<unknown> };
  readonly Branches: { show(project: number, branch: string): Promise<unknown> };
  readonly Commits: { all(project: number, options: Options): Promise<unknown> };
  readonly MergeRequests: { all(options: Options): Promise<unknown> };
  readonly Pipelines: { all(project: number, options: Options): Promise<unknown> };
  readonly Deployments: { all(project: number, options: Options): Promise<unknown> };
  readonly Environments: { all(project: number, options: Options): Promise<unknown> };
  readonly Events: { all(options: Options): Promise<unknown> };
  readonly Issues: { all(options: Options): Promise<unknown> };
  readonly Repositories: { allRepositoryTrees(project: number, options: Options): Promise<unknown> };
  readonly RepositoryFiles: {
    allFileBlames(project: number, path: string, ref: string): Promise<unknown>;
    show(project: number, path: string, ref: string): Promise<unknown>;
  };
}

export interface HostBClient extends Gitlab {
  /**
   * A GraphQL query, which gitbeaker does not support; the result is its `data`, with null for what the token may not
   * see.
   */
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<JsonObject>;
}

/** The arguments and the result of a requester in gitbeaker. */
interface Service {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly authHeaders: Readonly<Record<string, () => Promise<string>>>;
}

const TIMEOUT = 30_000;
const HOST = {
  name: 'host_b',
  needs: 'the token needs the scopes read_api and read_repository.',
  repository: 'project',
};

/** Opens a client for the instance at `baseUrl`; without a token it sees public data only. */
export async function openGitlab(
  baseUrl: string,
  token: string | undefined,
  gate: Gate,
  dependencies: SyncDependencies,
): Promise<HostBClient> {
  const constructor = await importConnector(dependencies, '@gitbeaker/rest', 'Gitlab');
  const { now, signal } = dependencies;
  const fetch = gatedFetch({ fetch: dependencies.fetch, gate, now, signal, timeout: TIMEOUT });
  // The package is optional, so its types may be missing; `Gitlab` is the part that we use.
  const gitlab = new (constructor as new (options: object) => Gitlab)({
    host: baseUrl,
    ...(token === undefined ? {} : { oauthToken: token }),
    requesterFn: (service: Service) => ({
      get: (endpoint: string, options: { readonly searchParams?: Options } = {}) =>
        get(fetch, service, endpoint, options.searchParams ?? {}, signal),
    }),
  });
  const url = `${baseUrl.replace(/\/+$/, '')}/api/graphql`;
  return Object.assign(gitlab, {
    graphql: (query: string, variables: Options) =>
      postGraphql({ fetch, gate, url, token, body: JSON.stringify({ query, variables }), signal }),
  });
}

/** The options that make gitbeaker fetch one page of a list. */
export function onePage(page: number, perPage: number = PER_PAGE): Options {
  return { page, perPage, showExpanded: true };
}

/** A page as gitbeaker returns it for {@link onePage}. */
export function readPage(value: unknown): { readonly items: readonly unknown[]; readonly next: string | null } {
  const expanded = readObject(value, 'page');
  const info = readObject(expanded['paginationInfo'], 'paginationInfo');
  const next = readIntegerOrNull(info['next'], 'next');
  return { items: readList(expanded['data'], 'data'), next: next === null ? null : String(next) };
}

async function get(
  fetch: GatedFetch,
  service: Service,
  endpoint: string,
  parameters: Options,
  signal: AbortSignal,
): Promise<{ body: object; headers: Record<string, string>; status: number }> {
  const url = `${service.url.replace(/\/+$/, '')}/${endpoint}${queryOf(parameters)}`;
  const headers: Record<string, string> = { ...service.headers, ...ALWAYS };
  for (const [name, value] of Object.entries(service.authHeaders)) headers[name] = await value();
  const response = await exchange(HOST, () => fetch(url, { headers }), endpoint, signal);
  return {
    body: parseJson(await response.text(), endpoint),
    headers: Object.fromEntries(response.headers),
    status: response.status,
  };
}

const ALWAYS = { accept: 'application/json', 'user-agent': 'plumbline-sync' };

interface GraphqlRequest {
  readonly fetch: GatedFetch;
  readonly gate: Gate;
  readonly url: string;
  readonly token: string | undefined;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** The host reports a time-out as an error beside the data, in which the fields that took too long are null. */
const TIMED_OUT = /time-?out|timed out/i;
/** Attempts of a query that takes too long. Each takes as long as the host's limit, usually 30 seconds. */
const TIMED_OUT_TRIES = 2;

async function postGraphql({ fetch, gate, url, token, body, signal }: GraphqlRequest): Promise<JsonObject> {
  const headers = {
    ...ALWAYS,
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  for (let tries = 1; ; tries += 1) {
    const response = await exchange(HOST, () => fetch(url, { method: 'POST', headers, body }), 'graphql', signal);
    const { data, errors } = readObject(parseJson(await response.text(), 'graphql'), 'reply');
    const messages = readList(errors ?? [], 'errors').map((error) =>
      readText(readObject(error, 'error')['message'], 'message'),
    );
    const reason = messages.join('; ') || 'no data';
    if (messages.some((message) => TIMED_OUT.test(message))) {
      gate.backOff('a GraphQL query timed out');
      if (tries < TIMED_OUT_TRIES) continue;
      throw new SyncError('host_unavailable', `host_b did not answer a GraphQL query in ${tries} tries: ${reason}.`);
    }
    // Other errors refuse fields to the token.
    if (data !== undefined && data !== null) return readObject(data, 'data');
    throw new SyncError('unexpected_reply', `host_b did not answer a GraphQL query: ${reason}.`);
  }
}

/** Converts `{refName: 'x', iids: [1, 2]}` to `?ref_name=x&iids[]=1&iids[]=2`. */
function queryOf(parameters: Options): string {
  const query = new URLSearchParams();
  for (const [option, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue;
    const name = option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    for (const item of [value].flat()) {
      query.append(Array.isArray(value) ? `${name}[]` : name, typeof item === 'string' ? item : JSON.stringify(item));
    }
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function parseJson(text: string, endpoint: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below without the parser's message, which would quote the reply.
  }
  throw notJson(HOST, endpoint);
}
