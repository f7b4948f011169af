/** Requests to the API of Gitea. It needs no package: every request is a GET, and the shared gate decides when to retry. */
import type { SyncDependencies } from '../../dependencies.js';
import { SyncError } from '../../failures.js';
import { exchange, notJson } from '../../http/exchange.js';
import { openGate } from '../../http/gate.js';
import { gatedFetch } from '../../http/gated-fetch.js';
import { hasNextLink } from '../code-host.js';
import { readInteger, readList, readObject, type JsonObject } from '../read.js';

export interface GiteaClient {
  /** @param path below `/api/v1` */
  get(path: string): Promise<unknown>;
  /** A reply that is not JSON. */
  text(path: string): Promise<string>;
  /** A page of a list. */
  list(path: string, page: number, options?: ListOptions): Promise<GiteaPage>;
  /** All pages of a list. */
  all(path: string, options?: ListOptions): Promise<readonly JsonObject[]>;
  /** The largest size of a page that the server allows, and of which `entries` are a whole number. */
  pageSize(entries: number): Promise<number>;
}

export interface ListOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** The property of the reply with the list; absent: the reply is the list. */
  readonly property?: string;
  /** Entries per page; absent: as many as the server allows, up to 50. */
  readonly limit?: number;
}

export interface GiteaPage {
  readonly items: readonly JsonObject[];
  readonly hasNext: boolean;
}

const TIMEOUT = 30_000;
const HOST = {
  name: 'gitea',
  needs: 'the token needs the scopes read:repository, read:issue, read:user and read:organization.',
  repository: 'repository',
};

/** A server allows 50 entries on a page by default, and no commits beyond. */
const LARGEST = 50;

/** The pages of a list that is read as a whole; with those of 50 entries, a million entries. */
const MOST_PAGES = 20_000;

/** Opens a client for the server at `baseUrl`. */
export function openGiteaClient(
  baseUrl: string,
  token: string | undefined,
  dependencies: SyncDependencies,
): GiteaClient {
  const gate = openGate({ host: HOST.name, ...dependencies });
  const { fetch, now, signal } = dependencies;
  const send = gatedFetch({ fetch, gate, now, signal, timeout: TIMEOUT });
  const headers = {
    accept: 'application/json',
    'user-agent': 'plumbline-sync',
    ...(token === undefined ? {} : { authorization: `token ${token}` }),
  };
  const exchanged = (path: string): Promise<Response> =>
    exchange(HOST, () => send(`${baseUrl}/api/v1${path}`, { headers }), path, signal);
  const ask = async (path: string): Promise<Reply> => {
    const response = await exchanged(path);
    return { body: parsed(await response.text(), path), headers: response.headers };
  };
  let size: Promise<number> | undefined;
  const allowed = (): Promise<number> => (size ??= allowedSize(ask));
  const list: GiteaClient['list'] = async (path, page, { query = {}, property, ...options } = {}) => {
    const limit = options.limit ?? (await allowed());
    const { body, headers: received } = await ask(
      `${path}?${new URLSearchParams({ ...query, page: String(page), limit: String(limit) }).toString()}`,
    );
    // An empty list can be null.
    const value = (property === undefined ? body : readObject(body, 'reply')[property]) ?? [];
    const entries = readList(value, property ?? 'reply');
    // So can be an entry that the server cannot describe.
    const items = entries.flatMap((item) => (item === null ? [] : [readObject(item, 'item')]));
    const isCounted = page * limit < Number(received.get('x-total-count') ?? 0);
    // A link after an empty page leads to another empty page.
    return { items, hasNext: isCounted || (entries.length > 0 && hasNextLink(received)) };
  };
  return {
    pageSize: async (entries) => {
      let fitting = Math.min(await allowed(), entries);
      while (entries % fitting !== 0) fitting -= 1;
      return fitting;
    },
    get: async (path) => (await ask(path)).body,
    text: async (path) => (await exchanged(path)).text(),
    list,
    all: async (path, options) => {
      const items: JsonObject[] = [];
      let former = '';
      for (let page = 1; ; page += 1) {
        const read = await list(path, page, options);
        const text = JSON.stringify(read.items);
        // A proxy that drops the number of the page answers each request with the first one.
        const isRepeated = read.items.length > 0 && text === former;
        if (isRepeated || (read.hasNext && page === MOST_PAGES)) throw endless(path);
        items.push(...read.items);
        if (!read.hasNext) return items;
        former = text;
      }
    },
  };
}

interface Reply {
  readonly body: unknown;
  readonly headers: Headers;
}

/** Administrators limit pages: https://docs.gitea.com/api/#tag/settings */
async function allowedSize(ask: (path: string) => Promise<Reply>): Promise<number> {
  const { body } = await ask('/settings/api');
  const most = readInteger(readObject(body, 'settings')['max_response_items'], 'max_response_items');
  return Math.max(1, Math.min(most, LARGEST));
}

function endless(path: string): SyncError {
  return new SyncError('unexpected_reply', `gitea always names one more page of ${path}.`);
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(HOST, path);
  }
}
