/**
 * Requests to the REST API of Jira, version 2: Cloud and Data Center both have it, and its texts are texts (version 3 has
 * documents instead). It needs no package: every request is a GET, and the shared gate decides when to retry.
 */
import { RedirectRefusedError } from '@plumbline/contract/outbound/outbound-fetch';
import type { SyncDependencies } from '../../dependencies.js';
import { SyncError } from '../../failures.js';
import { openGate, TRIES } from '../../http/gate.js';
import { gatedFetch, isRateLimited } from '../../http/gated-fetch.js';
import { API_PATH, authorizationOf } from './access.js';

export interface JiraClient {
  /** @param path below the API */
  get(path: string, query?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Whether requests have a token, and therefore a user. */
  readonly hasToken: boolean;
}

const TIMEOUT = 60_000;
const NAME = 'jira';

/** Opens a client for the site at `baseUrl`. */
export function openJiraClient(baseUrl: string, token: string | undefined, dependencies: SyncDependencies): JiraClient {
  const gate = openGate({ host: NAME, ...dependencies });
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
      const response = await exchange(() => send(`${baseUrl}${API_PATH}${path}${text}`, { headers }), path, signal);
      return parsed(await response.text(), path);
    },
  };
}

/** Sends a request until the host replies or a retry is pointless. */
async function exchange(send: () => Promise<Response>, path: string, signal: AbortSignal): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    let response: Response;
    try {
      response = await send();
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      const isRedirect = error instanceof RedirectRefusedError;
      if (!isRedirect && tries < TRIES) continue;
      throw new SyncError(
        isRedirect ? 'unexpected_reply' : 'host_unavailable',
        isRedirect
          ? `${NAME} did not answer ${path}: ${reason}. If you trust it, make that the address of ${NAME}.`
          : `${NAME} did not answer ${path} after ${TRIES} tries: ${reason}`,
        { cause: error },
      );
    }
    if (response.ok) return response;
    if ((response.status < 500 && !isRateLimited(response)) || tries >= TRIES) throw refusal(response, path);
  }
}

function refusal(response: Response, path: string): SyncError {
  const { status } = response;
  if (isRateLimited(response)) {
    const message = `${NAME} kept limiting the request rate (${path}). Run the sync again later: it resumes from here.`;
    return new SyncError('rate_limited', message);
  }
  if (status === 401) {
    const form = 'Jira Cloud needs email:token, and Data Center a personal access token.';
    return new SyncError('unauthorized', `${NAME} refused the token (401): it is wrong, expired or revoked. ${form}`);
  }
  if (status === 403) {
    const reason = 'the user of the token may not read this, or has to sign in with a browser first.';
    return new SyncError('unauthorized', `${NAME} refused ${path} (403): ${reason}`, { status });
  }
  if (status === 404) {
    const hint = 'A project looks the same without a token that may browse it.';
    return new SyncError('not_found', `${NAME}: not found: ${path}. ${hint}`, { status });
  }
  if (status >= 500)
    return new SyncError('host_unavailable', `${NAME} did not answer ${path} after ${TRIES} tries: status ${status}`);
  return new SyncError('unexpected_reply', `${NAME} answered ${path} with status ${status}.`, { status });
}

/** A site that wants somebody to sign in answers with a page, and status 200. */
function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would quote the reply.
    throw new SyncError('unexpected_reply', `${NAME} answered ${path} with something that is not JSON.`);
  }
}
