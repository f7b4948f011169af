/** The connection to an engine that serves the Docker Engine API. */
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import { textOf } from '../json.js';
import type { EngineAddress } from './address.js';
import { runtimeErrorOf, type Subject } from './failures.js';
import { jsonOf, sender, type EngineRequest, type Send } from './requests.js';

export interface EngineClient {
  /** Values removed from error texts. */
  readonly secrets: readonly string[];
  /**
   * Sends a request. Converts a failure to a RuntimeError about the subject; an abort rejects with its reason.
   *
   * @returns the reply's JSON; undefined if it is not JSON
   */
  call(subject: Subject, request: EngineRequest): Promise<unknown>;
  /** Does what `call` does, for a reply that is read as a stream. */
  stream(subject: Subject, request: EngineRequest): Promise<Readable>;
  /** The engine's API version, which every reply names. */
  apiVersion(signal?: AbortSignal): Promise<string>;
  /** Whether the engine is Podman, whose compatible socket differs in places. */
  isPodman(signal?: AbortSignal): Promise<boolean>;
  /** The same client, with more values to remove from error texts. */
  knowing(secrets: readonly string[]): EngineClient;
}

export function engineClient(
  address: EngineAddress,
  secrets: readonly string[],
  environment: NodeJS.ProcessEnv,
): EngineClient {
  const request = sender(address, environment);
  let pinged: Promise<IncomingHttpHeaders> | undefined;
  /** The headers of the first reply. */
  let headers: IncomingHttpHeaders | undefined;

  const send: Send = async (details) => {
    const reply = await request(details);
    if (reply instanceof IncomingMessage) headers ??= reply.headers;
    return reply;
  };

  // An engine of another version is another process, so connections to the old one are lost. The version endpoint is
  // not used because Docker runs other programs to answer it.
  const ping = (signal?: AbortSignal): Promise<IncomingHttpHeaders> => {
    pinged ??= clientKnowing(secrets)
      .stream({}, { method: 'GET', path: '/_ping', signal })
      .then((reply) => {
        reply.resume();
        return reply instanceof IncomingMessage ? reply.headers : {};
      })
      .catch((error: unknown) => {
        pinged = undefined;
        throw error;
      });
    return pinged;
  };

  function clientKnowing(known: readonly string[]): EngineClient {
    const attempt = async <T>(subject: Subject, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> => {
      signal?.throwIfAborted();
      try {
        return await act();
      } catch (error) {
        signal?.throwIfAborted();
        throw runtimeErrorOf(error, subject, known);
      }
    };
    return {
      secrets: known,
      call: (subject, request) => attempt(subject, request.signal, async () => jsonOf(await send(request))),
      stream: (subject, request) => attempt(subject, request.signal, () => send(request)),
      apiVersion: async (signal) => textOf((headers ?? (await ping(signal)))['api-version']),
      isPodman: async (signal) => Object.hasOwn(headers ?? (await ping(signal)), 'libpod-api-version'),
      knowing: (more) => clientKnowing([...known, ...more]),
    };
  }

  return clientKnowing(secrets);
}

/** The values of an environment that is passed to the engine. */
export function secretsOf(environment: Readonly<Record<string, string>> | undefined): string[] {
  return Object.values(environment ?? {});
}

/** Yields a stream's chunks. An abort rejects with the signal's reason, a broken connection with a RuntimeError. */
export async function* chunksOf(
  client: EngineClient,
  stream: Readable,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void> {
  if (signal !== undefined) addAbortSignal(signal, stream);
  try {
    for await (const chunk of stream) yield Buffer.from(chunk as Uint8Array); // No encoding is set: it is bytes.
  } catch (error) {
    signal?.throwIfAborted();
    throw runtimeErrorOf(error, {}, client.secrets);
  }
}
