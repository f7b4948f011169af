/** The connection to an engine that speaks the Docker Engine API. */
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
  /** Values that no error text may quote. */
  readonly secrets: readonly string[];
  /** One call: its failure becomes a RuntimeError about the subject, an abort rejects with the reason. */
  call<T>(subject: Subject, signal: AbortSignal | undefined, act: (docker: DockerEngine) => Promise<T>): Promise<T>;
  /** One call that answers a stream, whatever dockerode's own method would do with it. */
  stream(subject: Subject, request: StreamRequest): Promise<Readable>;
  /** Of the Engine API, as the engine has it; asked once. */
  apiVersion(signal?: AbortSignal): Promise<string>;
  /** Podman's compatible socket differs where this asks. */
  isPodman(signal?: AbortSignal): Promise<boolean>;
  /** The same client, with more values that no error text may quote. */
  knowing(secrets: readonly string[]): EngineClient;
}

export interface StreamRequest {
  readonly method: 'GET' | 'POST';
  /** Ends in `?` when there is a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly auth?: RegistryAuth | undefined;
  /** A request body, for example a build context. */
  readonly body?: Readable | Buffer;
  /** Keep the connection, once the engine has agreed, as a stream in both directions. */
  readonly hijack?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export function engineClient(address: EngineAddress, secrets: readonly string[]): EngineClient {
  const docker = new Docker(optionsOf(address));
  let pinged: Promise<IncomingHttpHeaders> | undefined;

  // An engine of another version is another process: whoever held a connection to the old one has lost it. Its version
  // proper is not asked for, because for that Docker runs other programs and asks them for theirs.
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

/** The values of an environment that is handed to the engine. */
export function secretsOf(environment: Readonly<Record<string, string>> | undefined): string[] {
  return Object.values(environment ?? {});
}

/** What a stream yields, with an abort as the signal's reason and a broken connection as a RuntimeError. */
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
  // The cast undoes dockerode's untyped member; docker-modem types it, dockerode does not.
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
        // With isStream the modem answers the response itself.
        else resolve(result as Readable);
      },
    );
  });
}

/** All of it is said, because docker-modem fills what is left out from the process environment. */
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
