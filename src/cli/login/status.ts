import { oneLine } from '../one-line.js';
import { createPlatformClient } from '../sdk.js';
import { connect, serverOf } from './connection.js';
import { callFailure, reportingCalls } from './failures.js';
import { describeIdentity, identityOf, type Identity } from './identity.js';
import { loginFolder, readLogins } from './login-files.js';
import type { ServerOption } from './options.js';
import { storedTokens } from './stored-tokens.js';

interface LoginStatus {
  readonly server: string;
  readonly is_current: boolean;
  /** null: the server refuses the tokens, or cannot be reached. */
  readonly identity: Identity | null;
  readonly problem: string | null;
}

/** `plumbline status`. */
export function showStatus({ json = false }: { readonly json?: boolean }): Promise<void> {
  return reportingCalls('status', async () => {
    const folder = loginFolder(process.env);
    const current = await serverOf(undefined, process.env);
    const logins = await readLogins(folder);
    const statuses = await Promise.all(
      logins.map(async ({ server }): Promise<LoginStatus> => ({
        server,
        is_current: server === current,
        ...(await checked(() =>
          identityOf(createPlatformClient({ baseUrl: server, tokens: storedTokens(folder, server) })),
        )),
      })),
    );
    if (json) console.log(JSON.stringify(statuses, null, 2));
    else for (const line of linesOf(statuses, current)) console.log(oneLine(line));
    if (!statuses.some((each) => each.is_current && each.identity !== null)) process.exitCode = 1;
  });
}

/** `plumbline whoami`. */
export function whoAmI({ server, json = false }: ServerOption & { readonly json?: boolean }): Promise<void> {
  return reportingCalls('whoami', async () => {
    const connection = await connect(server);
    const identity = await identityOf(connection.client);
    if (json) console.log(JSON.stringify({ server: connection.server, ...identity }, null, 2));
    else console.log(oneLine(`${describeIdentity(identity)} at ${connection.server} (${connection.credential})`));
  });
}

function linesOf(statuses: readonly LoginStatus[], current: string): string[] {
  const token = process.env['PLUMBLINE_TOKEN'] ? ['PLUMBLINE_TOKEN is set, and comes before the stored logins.'] : [];
  if (statuses.length === 0) return [`You are not logged in. The server is ${current}: plumbline login`, ...token];
  const lines = statuses.map(({ server, is_current: isCurrent, identity, problem }) => {
    const what = identity === null ? (problem ?? '') : describeIdentity(identity);
    return `${isCurrent ? '*' : ' '} ${server}  ${what}`;
  });
  return [...lines, ...token];
}

async function checked(ask: () => Promise<Identity>): Promise<Pick<LoginStatus, 'identity' | 'problem'>> {
  try {
    return { identity: await ask(), problem: null };
  } catch (error) {
    const failure = callFailure(error);
    if (failure === null) throw error;
    return { identity: null, problem: failure.lines[0] ?? '' };
  }
}
