/** Validates the listen options of `compose serve` and starts the listener. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import type { Log } from '@plumbline/contract/contract-types';
import { FileLockedError } from '@plumbline/contract/system/file-lock';
import { listen, type RunningServer, type TlsMaterial } from '@plumbline/contract/server';
import { SocketPathError } from '@plumbline/contract/unix-socket';
import { createAdmission, type Admission } from './admission.js';
import { openAuthStore } from './auth-store.js';
import { isLoopback, listenAddressText, type ListenAddress } from './listen-address.js';
import { ListenError, ListenOptionsError } from './refusals.js';

export interface ListenOptions {
  readonly address: ListenAddress;
  /** Allows plain TCP from other machines, without authentication. */
  readonly insecure?: boolean | undefined;
  /** Accepted host names besides the address and those in the certificate. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The server's certificate and key: paths of PEM files. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The authority that must have signed client certificates: path of a PEM file. */
  readonly clientCa?: string | undefined;
  /** The accepted clients: path of the auth store. */
  readonly authStore?: string | undefined;
  /** Whether the web page is served there: to browsers of this machine, or over TLS. */
  readonly page?: boolean | undefined;
}

/** The calling client: `name` is from the auth store, null if the server has none. */
export interface Caller {
  readonly name: string | null;
}

/** Validated options and files; not listening yet. */
export interface Listening {
  /**
   * Identifies the client of a connection. Null: its certificate is not in the auth store, and requests are rejected
   * with 403.
   */
  callerOf(socket: Socket): Promise<Caller | null>;
  /** Rejects requests of web pages from other sites. */
  readonly admission: Admission;
  /**
   * Starts listening. The returned `url` is valid for `--remote`.
   *
   * @throws ListenError when the address is unavailable
   */
  listen(
    listener: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  ): Promise<RunningServer>;
}

/**
 * Validates the options and reads the files that they name.
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
      throw new ListenOptionsError('--auth-store needs --client-ca: without it no client presents a certificate.');
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

/** Warns about allowed but risky options. */
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
  const bytes = await readRegularFile(path).catch((error: unknown) => {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new ListenOptionsError(`${option}: ${error.message}.`, { cause: error });
  });
  const text = bytes.toString('utf8');
  // OpenSSL reads a file without certificates as an empty list, and would then reject every client.
  if (!text.includes('-----BEGIN ')) throw new ListenOptionsError(`${option}: '${path}' is not a PEM file.`);
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
  if (cause instanceof SocketPathError || cause instanceof FileLockedError)
    return new ListenError(cause.message, { cause });
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  if (code === undefined) return cause;
  const reason = reasons[code] ?? 'the system rejects it';
  return new ListenError(`Cannot listen on ${listenAddressText(address)}: ${reason} (${code}).`, { cause });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has this port; stop it or choose another',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'permission denied; choose a port above 1023, or a directory that you own',
  ENOENT: 'the directory does not exist',
  ENOTFOUND: 'the host name cannot be resolved',
};

/** The address with the port chosen by the system. */
function bound(address: ListenAddress, { server }: RunningServer): ListenAddress {
  const at = server.address();
  return address.scheme === 'unix' || at === null || typeof at === 'string' ? address : { ...address, port: at.port };
}
