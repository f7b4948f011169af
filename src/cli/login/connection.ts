/** The server that a command talks to, and the tokens that it sends. */
import { createPlatformClient, type Fetch, type PlatformClient } from '../sdk.js';
import { UsageError } from '../usage-error.js';
import { currentServer, loginFolder, readLogin } from './login-files.js';
import { storedTokens } from './stored-tokens.js';

/** Where `npm start` serves. */
const DEFAULT_SERVER = 'http://127.0.0.1:8080';

export interface Connection {
  /** The address of the server, without a slash at its end. */
  readonly server: string;
  readonly client: PlatformClient;
  /** What the command is authenticated by. */
  readonly credential: 'PLUMBLINE_TOKEN' | 'stored login' | 'none';
}

/**
 * Connects to a server. The option comes first, then PLUMBLINE_SERVER, then the server that was logged in to last. A
 * token in PLUMBLINE_TOKEN comes before a stored login.
 *
 * @throws UsageError for an invalid address or token
 */
export async function connect(
  server: string | undefined,
  { environment = process.env, fetch }: { readonly environment?: NodeJS.ProcessEnv; readonly fetch?: Fetch } = {},
): Promise<Connection> {
  const folder = loginFolder(environment);
  const address = await serverOf(server, environment);
  const token = tokenOf(environment);
  const options = { baseUrl: address, timeoutMs, fetch };
  if (token !== undefined) {
    return { server: address, client: createPlatformClient({ ...options, token }), credential: 'PLUMBLINE_TOKEN' };
  }
  const login = await readLogin(folder, address);
  const client = createPlatformClient({ ...options, tokens: storedTokens(folder, address) });
  return { server: address, client, credential: login === null ? 'none' : 'stored login' };
}

/** Slightly longer than the server's limit for one query. */
const timeoutMs = 60_000;

/** The server of a command. @throws UsageError for an invalid address */
export async function serverOf(given: string | undefined, environment: NodeJS.ProcessEnv): Promise<string> {
  const named = given ?? environment['PLUMBLINE_SERVER'];
  if (named !== undefined && named !== '') return checkedServer(named);
  return (await currentServer(loginFolder(environment))) ?? DEFAULT_SERVER;
}

function checkedServer(server: string): string {
  const address = URL.canParse(server) ? new URL(server) : null;
  const isPlain = address !== null && /^https?:$/.test(address.protocol) && !/[@?#]/.test(server);
  if (!isPlain) {
    throw new UsageError(
      '--server must be the address of a server, such as https://plumbline.example.com, and nothing else',
    );
  }
  return `${address.origin}${address.pathname}`.replace(/\/+$/, '');
}

function tokenOf(environment: NodeJS.ProcessEnv): string | undefined {
  const token = environment['PLUMBLINE_TOKEN'];
  if (token === undefined || token === '') return undefined;
  return checkedToken(token, 'set PLUMBLINE_TOKEN to a service token');
}

/** @throws UsageError for a text that cannot be a token; the message does not contain it */
export function checkedToken(token: string, hint: string): string {
  if (!/^[\w.~+/-]+=*$/.test(token)) throw new UsageError(`what was given is not a token; ${hint}`);
  return token;
}
