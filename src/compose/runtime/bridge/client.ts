/** The connection to an engine that serves the Docker Engine API. */
import type DockerEngine from 'dockerode';
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http';
import { Agent } from 'node:https';
import type { Readable } from 'node:stream';
import { addAbortSignal } from 'node:stream';
import { textOf } from '../json.js';
import type { EngineAddress } from './address.js';
import { Docker } from './dockerode.js';
import { runtimeErrorOf, type Subject } from './failures.js';
import type { RegistryAuth } from './registry-auth.js';

export interface EngineClient {
  readonly docker: DockerEngine;
  /** Values removed from error texts. */
  readonly secrets: readonly string[];
  /** Runs one call. Converts a failure to a RuntimeError about the subject; an abort rejects with its reason. */
  call<T>(subject: Subject, signal: AbortSignal | undefined, act: (docker: DockerEngine) => Promise<T>): Promise<T>;
  /** Runs one call that returns a stream, bypassing dockerode's own handling of the response. */
  stream(subject: Subject, request: StreamRequest): Promise<Readable>;
  /** The engine's API version, requested once. */
  apiVersion(signal?: AbortSignal): Promise<string>;
  /** Whether the engine is Podman, whose compatible socket differs in places. */
  isPodman(signal?: AbortSignal): Promise<boolean>;
  /** The same client, with more values to remove from error texts. */
  knowing(secrets: readonly string[]): EngineClient;
}

export interface StreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Ends with `?` when there is a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly auth?: RegistryAuth | undefined;
  /** A request body, for example a build context. */
  readonly body?: Readable | Buffer;
  /** Upgrade the connection to a bidirectional stream. */
  readonly hijack?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export function engineClient(address: EngineAddress, secrets: readonly string[]): EngineClient {
  const docker = new Docker(optionsOf(address));
  let pinged: Promise<IncomingHttpHeaders> | undefined;

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
    const call: EngineClient['call'] = async (subject, signal, act) => {
      signal?.throwIfAborted();
      try {
        return await act(docker);
      } catch (error) {
        signal?.throwIfAborted();
        throw runtimeErrorOf(error, subject, known);
      }
    };
    return {
      docker,
      secrets: known,
      call,
      stream: (subject, request) => call(subject, request.signal, () => dialled(docker, request)),
      apiVersion: async (signal) => textOf((await ping(signal))['api-version']),
      isPodman: async (signal) => Object.hasOwn(await ping(signal), 'libpod-api-version'),
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

function dialled(docker: DockerEngine, request: StreamRequest): Promise<Readable> {
  // docker-modem types this member; dockerode declares it untyped.
  const modem = docker.modem;
  return new Promise((resolve, reject) => {
    modem.dial(
      {
        path: request.path,
        method: request.method,
        isStream: true,
        statusCodes: { 200: true, 204: true },
        ...(request.query && { options: { ...request.query } }),
        ...(request.auth && { authconfig: { ...request.auth } }),
        ...(request.body && { file: request.body }),
        ...(request.hijack && { hijack: true }),
        ...(request.signal && { abortSignal: request.signal }),
      },
      (error, result) => {
        if (error !== null) reject(error);
        // With isStream the modem returns the response itself.
        else resolve(result as Readable);
      },
    );
  });
}

/** Sets every option, because docker-modem fills absent ones from the process environment. */
function optionsOf(address: EngineAddress): DockerEngine.DockerOptions {
  if (address.kind === 'socket') {
    return { protocol: 'http', socketPath: address.path, host: undefined, port: undefined };
  }
  const { host, port, tls } = address;
  return {
    protocol: tls === undefined ? 'http' : 'https',
    host,
    port,
    socketPath: undefined,
    ca: tls?.ca,
    cert: tls?.cert,
    key: tls?.key,
    // docker-modem has no setting for this.
    ...(tls?.isUnverified === true && { agent: new Agent({ rejectUnauthorized: false }) }),
  };
}
