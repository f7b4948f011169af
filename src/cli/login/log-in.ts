import { isLoopbackName } from '@plumbline/contract/local-request';
import { oneLine } from '../one-line.js';
import { createPlatformClient, login, unwrap, type PlatformClient } from '../sdk.js';
import { UsageError } from '../usage-error.js';
import { checkedToken, serverOf } from './connection.js';
import { reportingCalls } from './failures.js';
import { describeIdentity, identityOf, SERVICE_TOKEN_PREFIX } from './identity.js';
import { loginFolder, setCurrentServer, writeLogin } from './login-files.js';
import { inputLines, withQuestions } from './read-secret.js';
import { completeLogin } from './second-factor.js';
import type { LoginOptions } from './options.js';

/** `plumbline login`. */
export function logIn(options: LoginOptions): Promise<void> {
  return reportingCalls('login', async () => {
    const server = await serverOf(options.server, process.env);
    if (isReadable(server)) {
      const reason = 'is not encrypted: others on the way can read what is sent, such as passwords and tokens';
      console.error(`plumbline login: warning: the connection to ${server} ${reason}; use https if the server has it`);
    }
    const client = options.tokenStdin === true ? await byServiceToken(server) : await byPassword(server, options);
    const tokens = await client.tokens.get();
    if (tokens === null) throw new UsageError('the e-mail address is not verified; open the link in the mail first');
    const identity = await identityOf(client);
    const folder = loginFolder(process.env);
    await writeLogin(folder, { ...tokens, server });
    await setCurrentServer(folder, server);
    console.log(oneLine(`Logged in to ${server} as ${describeIdentity(identity)}.`));
    if (process.env['PLUMBLINE_TOKEN']) {
      console.error('plumbline login: PLUMBLINE_TOKEN is set, and commands use it instead of this login');
    }
  });
}

/** Whether others than this machine see what is sent to a server. */
function isReadable(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === 'http:' && !isLoopbackName(hostname);
}

async function byServiceToken(server: string): Promise<PlatformClient> {
  const [line = ''] = await inputLines();
  const token = checkedToken(line.trim(), 'its first line must be a service token');
  if (!token.startsWith(SERVICE_TOKEN_PREFIX)) {
    throw new UsageError(`standard input is not a service token: those begin with ${SERVICE_TOKEN_PREFIX}`);
  }
  return createPlatformClient({ baseUrl: server, token });
}

async function byPassword(server: string, { email, org }: LoginOptions): Promise<PlatformClient> {
  const { code, ...known } = await credentials(email);
  const client = createPlatformClient({ baseUrl: server });
  const reply = unwrap(await login(client, { body: { ...known, ...(org !== undefined && { org_id: org }) } }));
  if ('mfa_token' in reply) await completeLogin(client, reply.mfa_token, code);
  return client;
}

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** The second factor, '' if standard input has none; null: the terminal can be asked. */
  readonly code: string | null;
}

async function credentials(given: string | undefined): Promise<Credentials> {
  if (process.stdin.isTTY) {
    return withQuestions(async ({ ask, askSecret }) => ({
      email: given ?? (await ask('E-mail: ')),
      password: await askSecret('Password: '),
      code: null,
    }));
  }
  const lines = await inputLines();
  const [email = '', password = '', code = ''] = given === undefined ? lines : [given, ...lines];
  if (email === '' || password === '') {
    throw new UsageError('standard input must have the password; without --email, the e-mail address before it');
  }
  return { email, password, code };
}
