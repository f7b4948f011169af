/** How `compose serve` is reached, and by whom: from an address and its options to a server that listens. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Log } from '../../../generated/contract.js';
import { TurnTakenError } from '../../contract/in-turn.js';
import { listen, type RunningServer, type TlsMaterial } from '../../contract/server.js';
import { SocketPathError } from '../../contract/unix-socket.js';
import { createAdmission, type Admission } from './admission.js';
import { openAuthStore } from './auth-store.js';
import { isLoopback, listenAddressText, type ListenAddress } from './listen-address.js';
import { ListenError, ListenOptionsError } from './refusals.js';

export interface ListenOptions {
  readonly address: ListenAddress;
  /** Lets plain TCP be reached from other machines, without any proof of who calls. */
  readonly insecure?: boolean | undefined;
  /** Names that requests may call the server by, beside its address and those in its certificate. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The server's certificate and key: paths of PEM files. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** What client certificates must chain to: path of a PEM file. */
  readonly clientCa?: string | undefined;
  /** Which of those clients are let in: path of the auth store. */
  readonly authStore?: string | undefined;
  /** Whether the page for people is served there: to browsers of this machine, or over TLS. */
  readonly page?: boolean | undefined;
}

/** Who calls: `name` is the client's in the auth store, null where the server has none. */
export interface Caller {
  readonly name: string | null;
}

/** Options and files that hold up; nothing listens yet. */
export interface Listening {
  /** Who calls over a connection; null: a certificate that is not in the auth store, whose requests are refused (403). */
  callerOf(socket: Socket): Promise<Caller | null>;
  /** Refuses what web pages of other sites ask. */
  readonly admission: Admission;
  /**
   * Begins to listen. `url` of the answer is what `--remote` takes.
   *
   * @throws ListenError when the address cannot be had
   */
  listen(
    listener: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  ): Promise<RunningServer>;
}

/**
 * Checks the options and reads the files that they name.
 *
 * @throws ListenOptionsError
 * @throws AuthStoreError when the store cannot be loaded
 */
export async function prepareListening(options: ListenOptions, log: Log): Promise<Listening> {
  const { address } = options;
  requireSense(options);
  const tls = address.scheme === 'tls' ? await readTlsMaterial(options) : null;
  const certificate = tls?.cert ?? null;
  const admission = createAdmission({ address, allowedHosts: options.allowedHosts ?? [], certificate });
  const store = options.authStore === undefined ? null : await openAuthStore(options.authStore, log);
  warn(options, log);
  return {
    admission,
    async callerOf(socket) {
      if (store === null) return { name: null };
      const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
      return certificate === undefined ? null : store.find(certificate.fingerprint256);
    },
    async listen(listener) {
      const where = address.scheme === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
      const running = await listen(listener, where, tls).catch((cause: unknown) => {
        throw listenError(address, cause);
      });
      return { ...running, url: listenAddressText(bound(address, running)) };
    },
  };
}

function requireSense(options: ListenOptions): void {
  const { address, insecure, allowedHosts = [], cert, key, clientCa, authStore } = options;
  if (address.scheme === 'unix' && allowedHosts.length > 0) {
    throw new ListenOptionsError('--allow-host: only a tcp:// or tls:// address has hosts.');
  }
  if (address.scheme !== 'tls') {
    const given = Object.entries({ '--cert': cert, '--key': key, '--client-ca': clientCa, '--auth-store': authStore });
    const misplaced = given.flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (misplaced.length > 0) {
      throw new ListenOptionsError(`${misplaced.join(', ')}: only a tls:// address has certificates.`);
    }
  } else {
    if (cert === undefined || key === undefined) {
      throw new ListenOptionsError(
        'A tls:// address needs --cert and --key: PEM files with the certificate and its key.',
      );
    }
    if (authStore !== undefined && clientCa === undefined) {
      throw new ListenOptionsError('--auth-store needs --client-ca: without it no client shows a certificate.');
    }
  }
  if (options.page === true && address.scheme !== 'tls' && (address.scheme === 'unix' || !isLoopback(address.host))) {
    throw new ListenOptionsError(
      '--ui needs a tcp:// address of this machine (tcp://127.0.0.1:7070), or a tls:// one.',
    );
  }
  if (address.scheme === 'tcp' && !isLoopback(address.host) && insecure !== true) {
    const where = listenAddressText(address);
    throw new ListenOptionsError(
      `${where} would let everyone who reaches this machine control its containers: use tls:// with --client-ca, or add --insecure.`,
    );
  }
}

/** What is allowed, and still worth a second look. */
function warn({ address, clientCa }: ListenOptions, log: Log): void {
  if (address.scheme === 'unix' || isLoopback(address.host) || clientCa !== undefined) return;
  log.warn({ address: listenAddressText(address) }, 'everyone who reaches this address controls the containers');
}

async function readTlsMaterial({ cert, key, clientCa }: ListenOptions): Promise<TlsMaterial> {
  const material: TlsMaterial = {
    cert: await readPem('--cert', cert),
    key: await readPem('--key', key),
    ...(clientCa !== undefined && { clientCa: await readPem('--client-ca', clientCa) }),
  };
  verify(`--cert ${cert ?? ''} and --key ${key ?? ''}`, { cert: material.cert, key: material.key });
  if (material.clientCa !== undefined) verify(`--client-ca ${clientCa ?? ''}`, { ca: material.clientCa });
  return material;
}

async function readPem(option: string, path = ''): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
    throw new ListenOptionsError(`${option}: '${path}' cannot be read (${code}).`, { cause: error });
  });
  // OpenSSL takes a file without any for an empty list, and would then let no client in.
  if (!text.includes('-----BEGIN ')) throw new ListenOptionsError(`${option}: '${path}' is no PEM file.`);
  return text;
}

function verify(what: string, options: { cert?: string; key?: string; ca?: string }): void {
  try {
    createSecureContext(options);
  } catch (cause) {
    const reason = cause instanceof Error && 'reason' in cause ? String(cause.reason) : 'not understood';
    throw new ListenOptionsError(`${what} cannot be used: ${reason}.`, { cause });
  }
}

function listenError(address: ListenAddress, cause: unknown): unknown {
  if (cause instanceof SocketPathError || cause instanceof TurnTakenError)
    return new ListenError(cause.message, { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  if (code === undefined) return cause;
  const reason = reasons[code] ?? 'the system refuses it';
  return new ListenError(`Cannot listen on ${listenAddressText(address)}: ${reason} (${code}).`, { cause });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port; stop it or choose another',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'you may not; choose a port above 1023, or a folder of your own',
  ENOENT: 'the folder does not exist',
  ENOTFOUND: 'this name has no address',
};

/** The address with the port that the system chose. */
function bound(address: ListenAddress, { server }: RunningServer): ListenAddress {
  const at = server.address();
  return address.scheme === 'unix' || at === null || typeof at === 'string' ? address : { ...address, port: at.port };
}
