/** Parses an engine address from DOCKER_HOST and the related DOCKER_* variables. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { backendFailure, type RuntimeError } from '../errors.js';
import { readTls, type EngineTls } from './tls.js';

export type EngineAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls?: EngineTls;
    }
  | {
      readonly kind: 'ssh';
      readonly user?: string;
      readonly host: string;
      readonly port?: number;
      /** The socket on that machine. Absent: the one that its docker command uses. */
      readonly path?: string;
    };

/**
 * Parses an address in the form of DOCKER_HOST: `unix:///path`, `npipe:////./pipe/name`, `tcp://host:port`,
 * `ssh://user@host:port/path`.
 *
 * @param environment DOCKER_TLS_VERIFY or DOCKER_TLS turn TLS on; the files come from DOCKER_CERT_PATH
 *   (default `~/.docker`): ca.pem, cert.pem and key.pem. The engine's certificate is always checked
 * @param given TLS configured elsewhere, for example in a Docker context
 * @throws RuntimeError.backendFailure for any other form, and when the TLS files cannot be read
 */
export async function engineAddress(
  text: string,
  environment: NodeJS.ProcessEnv,
  given?: EngineTls,
): Promise<EngineAddress> {
  const match = /^(unix|npipe):\/\/(.+)$/.exec(text);
  if (match?.[2] !== undefined) return { kind: 'socket', path: match[2] };
  if (/^(tcp|https?):\/\//.test(text) && URL.canParse(text)) {
    // URL drops the default ports of schemes that it knows. The engine's defaults differ.
    const url = new URL(text.replace(/^\w+:/, 'tcp:'));
    const asked =
      text.startsWith('https:') || Boolean(environment.DOCKER_TLS_VERIFY) || Boolean(environment.DOCKER_TLS);
    const tls = asked || given !== undefined;
    const port = url.port === '' ? (tls ? 2376 : 2375) : Number(url.port);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (host === '') throw badAddress();
    return { kind: 'tcp', host, port, ...(tls && { tls: given ?? (await tlsFiles(environment)) }) };
  }
  if (text.startsWith('ssh://') && URL.canParse(text)) return sshAddress(new URL(text));
  throw badAddress();
}

function sshAddress({ username, password, hostname, port, pathname, search, hash }: URL): EngineAddress {
  if (password !== '') throw backendFailure('ssh:// addresses take no password: use a key, or the agent of ssh.');
  const host = decoded(hostname).replace(/^\[|\]$/g, '');
  if (host === '' || search !== '' || hash !== '') throw badAddress();
  return {
    kind: 'ssh',
    host,
    ...(username !== '' && { user: decoded(username) }),
    ...(port !== '' && { port: Number(port) }),
    ...(pathname.length > 1 && { path: decoded(pathname) }),
  };
}

/** No argument of a program holds NUL, and no name or path of a socket needs another control character. */
function decoded(part: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch (error) {
    throw badAddress(error);
  }
  if (/\p{Cc}/u.test(text)) throw badAddress();
  return text;
}

function badAddress(cause?: unknown): RuntimeError {
  return backendFailure(
    'The address of the engine is invalid: write unix:///path/to/socket, tcp://host:port or ssh://user@host.',
    cause,
  );
}

/** The address in the form that users write. */
export function addressText(address: EngineAddress): string {
  if (address.kind === 'socket') return `unix://${address.path}`;
  if (address.kind === 'ssh') return sshText(address);
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `tcp://${host}:${address.port}${tlsText(address.tls)}`;
}

function tlsText(tls: EngineTls | undefined): string {
  if (tls === undefined) return '';
  return tls.isUnverified === true ? ' (TLS, not verified)' : ' (TLS)';
}

function sshText({ user, host, port, path = '' }: Extract<EngineAddress, { kind: 'ssh' }>): string {
  const whole = host.includes(':') ? `[${host}]` : host;
  return `ssh://${user === undefined ? '' : `${user}@`}${whole}${port === undefined ? '' : `:${port}`}${path}`;
}

async function tlsFiles(environment: NodeJS.ProcessEnv): Promise<EngineTls> {
  const given = environment.DOCKER_CERT_PATH;
  const directory = given || join(environment.HOME ?? homedir(), '.docker');
  const tls = await readTls(directory, 'the folder of DOCKER_CERT_PATH');
  // Without a folder, the authorities of Node.js may be meant. A folder that is named must have something.
  if (given && tls === undefined) {
    throw backendFailure('The folder of DOCKER_CERT_PATH has neither ca.pem nor cert.pem and key.pem.');
  }
  return tls ?? {};
}
