/** A client of registries (OCI Distribution Specification 1.1), for one repository. */
import {
  outboundFetch,
  RedirectRefusedError,
  UnreachableError,
  type OutboundFetch,
} from '@plumbline/contract/outbound/outbound-fetch';
import { fetchFailure } from '@plumbline/contract/system/fetch-failure';
import { registryAuth } from '../runtime/bridge/registry-auth.js';
import { authorizationFor } from './authorization.js';
import { readChallenges } from './challenge.js';
import { RegistryError } from './errors.js';
import { apiHost, isLoopback } from './hosts.js';
import { imageNameText, type ImageName } from './image-name.js';
import { notUnderstood, refusal, tooLong } from './refusal.js';

export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Below `/v2/<repository>/`, or a URL of the same host. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface RegistryOptions {
  /** `pull`, or `pull,push`. */
  readonly actions: 'pull' | 'pull,push';
  /** Has the place of Docker's configuration, and what credential helpers need. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export interface Registry {
  readonly name: ImageName;
  /**
   * @param expected statuses that are not failures
   * @returns the reply; its URL is that of the request
   * @throws RegistryError
   */
  send(request: RegistryRequest, expected: readonly number[]): Promise<{ readonly reply: Response; readonly url: URL }>;
}

const TIMEOUT_MS = 60_000;
const MIB = 1024 * 1024;
const LARGEST_MANIFEST = 4 * MIB;
/** The most bytes of an error, or of another reply that is not a manifest. */
const LARGEST_REPLY = MIB;

/** Connects when the first request is sent. Requests go to the registry of the name, and to its token server. */
export function openRegistry(name: ImageName, { actions, environment, signal }: RegistryOptions): Registry {
  const { registry, repository } = name;
  const fetch = fetchFor(registry);
  let scheme: Promise<'https' | 'http'> | undefined;
  let authorization: string | undefined;

  async function sendOnce(url: URL, { method, headers, body }: RegistryRequest): Promise<Response> {
    const sent = { ...headers, ...(authorization !== undefined && { authorization }) };
    const maxBytes = method === 'GET' ? LARGEST_MANIFEST : LARGEST_REPLY;
    try {
      return await fetch(url.href, {
        method,
        headers: sent,
        ...(body && { body }),
        signal,
        timeoutMs: TIMEOUT_MS,
        maxBytes,
      });
    } catch (error) {
      throw tooLong(url.host, maxBytes, error) ?? error;
    }
  }

  async function authorize(reply: Response): Promise<boolean> {
    const { chosen: challenge, schemes } = readChallenges(reply.headers.get('www-authenticate') ?? '');
    if (challenge === undefined) {
      if (authorization === undefined) throw notUnderstood(name, schemes);
      return false;
    }
    authorization = await authorizationFor({
      registry,
      challenge,
      credentials: await registryAuth(imageNameText(name), environment),
      scope: `repository:${repository}:${actions}`,
      fetch,
      signal,
    });
    return authorization !== undefined;
  }

  return {
    name,
    async send(request, expected) {
      try {
        scheme ??= schemeOf(registry, fetch, signal);
        const url = urlOf(`${await scheme}://${apiHost(registry)}`, repository, request.path);
        let reply = await sendOnce(url, request);
        if (reply.status === 401 && (await authorize(reply))) reply = await sendOnce(url, request);
        if (!expected.includes(reply.status)) throw await refusal(name, reply, authorization !== undefined);
        return { reply, url };
      } catch (error) {
        throw asRegistryError(registry, error);
      }
    },
  };
}

/** A reply that continues elsewhere, such as the place of an upload, must stay on the host of the registry. */
function urlOf(base: string, repository: string, path: string): URL {
  const url = new URL(path, `${base}/v2/${repository}/`);
  if (url.username !== '' || url.password !== '') {
    throw new RegistryError('invalidReply', `${new URL(base).host} continues at an address with a user.`);
  }
  if (url.origin === new URL(base).origin) return url;
  throw new RegistryError('invalidReply', `${new URL(base).host} continues on another host, ${url.host}.`);
}

/** Registries of this machine are asked directly, as by engines: a proxy has another machine's loopback interface. */
function fetchFor(registry: string): OutboundFetch {
  return outboundFetch(isLoopback(registry) ? { networks: ['127.0.0.0/8', '::1/128'] } : 'any');
}

/** Only a registry of this machine may be without TLS. */
async function schemeOf(registry: string, fetch: OutboundFetch, signal: AbortSignal): Promise<'https' | 'http'> {
  if (!isLoopback(registry)) return 'https';
  try {
    await fetch(`https://${registry}/v2/`, { signal, timeoutMs: TIMEOUT_MS, statusOnly: true });
    return 'https';
  } catch (error) {
    if (error instanceof UnreachableError) return 'http';
    throw error;
  }
}

function asRegistryError(registry: string, error: unknown): unknown {
  // For registries of this machine, only the cause says why.
  const cause = error instanceof UnreachableError && error.cause !== undefined ? error.cause : error;
  if (cause instanceof RedirectRefusedError) {
    return new RegistryError('invalidReply', `${registry} cannot be used: ${cause.message}.`, { cause });
  }
  if (!(error instanceof UnreachableError)) return error;
  return new RegistryError('unreachable', `${registry} cannot be reached: ${fetchFailure(cause)}.`, { cause });
}
