/**
 * Requests to the REST API of Jira, version 2: Cloud and Data Center both have it, and its texts are texts (version 3 has
 * documents instead). It needs no package: every request is a GET, and the shared gate decides when to retry.
 */
import type { SyncDependencies } from '../../dependencies.js';
import { exchange, notJson } from '../../http/exchange.js';
import { openGate } from '../../http/gate.js';
import { gatedFetch } from '../../http/gated-fetch.js';
import { API_PATH, authorizationOf } from './access.js';

export interface JiraClient {
  /** @param path below the API */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Whether requests have a token, and therefore a user. */
  readonly hasToken: boolean;
}

const TIMEOUT = 60_000;
const HOST = {
  name: 'jira',
  needs: 'the user of the token may not read this, or has to sign in with a browser first.',
  tokenForm: 'Jira Cloud needs email:token, and Data Center a personal access token.',
  repository: 'project',
};

/** Opens a client for the site at `baseUrl`. */
export function openJiraClient(baseUrl: string, token: string | undefined, dependencies: SyncDependencies): JiraClient {
  const gate = openGate({ host: HOST.name, ...dependencies });
  const { fetch, now, signal } = dependencies;
  const send = gatedFetch({ fetch, gate, now, signal, timeout: TIMEOUT });
  const headers = {
    accept: 'application/json',
    'user-agent': 'plumbline-sync',
    ...(token === undefined ? {} : { authorization: authorizationOf(token) }),
  };
  return {
    hasToken: token !== undefined,
    get: async (path, query) => {
      const text = query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
      const response = await exchange(
        HOST,
        () => send(`${baseUrl}${API_PATH}${path}${text}`, { headers }),
        path,
        signal,
      );
      return parsed(await response.text(), path);
    },
  };
}

/** A site that wants somebody to sign in answers with a page, and status 200. */
function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(HOST, path);
  }
}
