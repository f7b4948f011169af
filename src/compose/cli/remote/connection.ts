/** Connects to the server of `--remote`, and unwraps its replies. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { ConnectionError, TimeoutError, UnexpectedReplyError, type AnyResult, type DataOf } from '@plumbline/sdk';
import { createComposeClient, type ComposeClient } from '@plumbline/sdk/compose';
import { nodeTransport, type TlsCredentials } from '@plumbline/sdk/compose/node';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { listenAddressText, parseListenAddress } from '../../service/listen-address.js';
import { UsageError } from '../failures.js';
import type { Session } from '../session.js';
import { RemoteFailure } from './failures.js';
import { cleaned, cleanedText } from './cleaned.js';

export interface Remote {
  readonly client: ComposeClient;
  /** The client for every call. */
  readonly signal: AbortSignal;
  /** The data of a successful reply, without control characters. */
  ask<Result extends AnyResult>(result: Promise<Result>): Promise<DataOf<Result>>;
  /**
   * Does what `ask` does for a stream, whose items can also fail.
   *
   * @param payload the member with the output of a container, which is not changed
   * @throws RemoteFailure also for an item that reports a failure of the stream
   */
  follow<Item extends object>(result: Promise<StreamResult<Item>>, payload?: keyof Item): AsyncGenerator<Item, void>;
}

type StreamResult<Item> = AnyResult &
  ({ readonly ok: true; readonly data: AsyncIterable<Item> } | { readonly ok: false });

/** Commands have no time limit; Ctrl-C ends them. */
const noTimeoutMs = 2 ** 31 - 1;

/**
 * Creates a client of the server. Sends nothing yet.
 *
 * @throws ListenAddressError for an invalid address
 * @throws UsageError for certificates that cannot be read or do not match the address
 */
export async function connect({ io, options, signal }: Pick<Session, 'io' | 'options' | 'signal'>): Promise<Remote> {
  const named = options.remote ?? io.environment['COMPOSE_REMOTE'] ?? '';
  const address = parseListenAddress(named, io.environment['HOME'] ?? homedir());
  const files = {
    '--tls-ca': options.tlsCa ?? io.environment['COMPOSE_TLS_CA'],
    '--tls-cert': options.tlsCert ?? io.environment['COMPOSE_TLS_CERT'],
    '--tls-key': options.tlsKey ?? io.environment['COMPOSE_TLS_KEY'],
  };
  if (address.scheme !== 'tls' && (options.tlsCa ?? options.tlsCert ?? options.tlsKey) !== undefined) {
    throw new UsageError('--tls-ca, --tls-cert and --tls-key need a tls:// address.');
  }
  if ((files['--tls-cert'] === undefined) !== (files['--tls-key'] === undefined)) {
    throw new UsageError('--tls-cert and --tls-key must be given together.');
  }
  const tls = address.scheme === 'tls' ? await readCredentials(files, io.workingDirectory) : {};
  const where = listenAddressText(address);
  const client = createComposeClient({ address: where, transport: nodeTransport(tls), timeoutMs: noTimeoutMs });
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      signal.throwIfAborted();
      throw asFailure(error, where);
    });
  return {
    client,
    signal,
    ask: async (result) => cleaned(dataOf(await told(result))),
    async *follow(result, payload) {
      const items = dataOf(await told(result))[Symbol.asyncIterator]();
      try {
        for (let next = await told(items.next()); next.done !== true; next = await told(items.next())) {
          const item = next.value;
          const kept = payload === undefined ? {} : { [payload]: item[payload] };
          yield withoutFailure({ ...cleaned(item), ...kept });
        }
      } finally {
        await items.return?.();
      }
    },
  };
}

async function readCredentials(
  files: Readonly<Record<'--tls-ca' | '--tls-cert' | '--tls-key', string | undefined>>,
  directory: string,
): Promise<TlsCredentials> {
  const read = async (option: keyof typeof files): Promise<Uint8Array | undefined> => {
    const path = files[option];
    if (path === undefined) return undefined;
    return readRegularFile(resolve(directory, path)).catch((error: unknown) => {
      if (!(error instanceof UnreadableFileError)) throw error;
      throw new UsageError(`${option}: '${path}' ${error.reason}.`);
    });
  };
  return { ca: await read('--tls-ca'), cert: await read('--tls-cert'), key: await read('--tls-key') };
}

function dataOf<Result extends AnyResult>(result: Result): DataOf<Result> {
  if (result.ok) return result.data;
  const problem = cleaned(result.problem);
  const entry =
    'error' in problem && 'case' in problem ? `${String(problem.error)}.${String(problem.case)}` : problem.type;
  throw new RemoteFailure(problem.message, entry);
}

/** Streams whose status has been sent report a failure in their last item. */
function withoutFailure<Item extends object>(item: Item): Item {
  const { type, message, error, case: failureCase }: FailedItem = item;
  if (type !== 'error') return item;
  const entry = typeof error === 'string' && typeof failureCase === 'string' ? `${error}.${failureCase}` : undefined;
  throw new RemoteFailure(typeof message === 'string' ? message : 'The server failed.', entry);
}

type FailedItem = Partial<Record<'type' | 'message' | 'error' | 'case', unknown>>;

/** Describes why there is no valid reply. */
function asFailure(error: unknown, where: string): unknown {
  if (error instanceof UnexpectedReplyError) {
    const message = `The reply from ${where} is not from a compose server of this version (${error.status}).`;
    return new RemoteFailure(message, undefined, { cause: error });
  }
  if (!(error instanceof ConnectionError || error instanceof TimeoutError)) return error;
  const { cause } = error;
  // OpenSSL's messages contain parts of the server's certificate.
  const reason = cause instanceof Error ? cleanedText(cause.message) : 'it does not respond';
  return new RemoteFailure(`The server on ${where} cannot be reached: ${reason}.`, undefined, { cause });
}
