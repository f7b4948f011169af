/** Connects to the server of `--remote`, and unwraps its replies. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { ConnectionError, TimeoutError, UnexpectedReplyError, type AnyResult, type DataOf } from '@plumbline/sdk';
import { createComposeClient, type ComposeClient } from '@plumbline/sdk/compose';
import { nodeTransport, type TlsCredentials } from '@plumbline/sdk/compose/node';
import { readRegularFile, UnreadableFileError } from '../../../system/regular-file.js';
import { listenAddressText, parseListenAddress } from '../../service/listen-address.js';
import { UsageError } from '../failures.js';
import type { Session } from '../session.js';
import { printable } from '../text.js';
import { RemoteFailure } from './failures.js';

export interface Remote {
  readonly client: ComposeClient;
  /** Passed to every call. */
  readonly signal: AbortSignal;
  /** The data of a successful reply. */
  ask<Result extends AnyResult>(result: Promise<Result>): Promise<DataOf<Result>>;
  /** As `ask`, for a stream, whose items can also fail. */
  follow<Item>(result: Promise<StreamResult<Item>>): AsyncGenerator<Item, void>;
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
    ask: async (result) => dataOf(await told(result)),
    async *follow(result) {
      const items = dataOf(await told(result))[Symbol.asyncIterator]();
      try {
        for (let next = await told(items.next()); next.done !== true; next = await told(items.next())) yield next.value;
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
  const { problem } = result;
  const entry =
    'error' in problem && 'case' in problem ? `${String(problem.error)}.${String(problem.case)}` : problem.type;
  throw new RemoteFailure(printable(problem.message), entry);
}

/** Describes why there is no valid reply. */
function asFailure(error: unknown, where: string): unknown {
  if (error instanceof UnexpectedReplyError) {
    const message = `The reply from ${where} is not from a compose server of this version (${error.status}).`;
    return new RemoteFailure(message, undefined, { cause: error });
  }
  if (!(error instanceof ConnectionError || error instanceof TimeoutError)) return error;
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message : 'it does not respond';
  return new RemoteFailure(`The server on ${where} cannot be reached: ${reason}.`, undefined, { cause });
}
