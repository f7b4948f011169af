import { createPlatformClient, signOut } from '../sdk.js';
import { UsageError } from '../usage-error.js';
import { serverOf } from './connection.js';
import { callFailure, reportingCalls } from './failures.js';
import { loginFolder, readLogin } from './login-files.js';
import type { ServerOption } from './options.js';
import { storedTokens } from './stored-tokens.js';

/** `plumbline logout`. The tokens are deleted even if the server cannot be reached. */
export function logOut(options: ServerOption): Promise<void> {
  return reportingCalls('logout', async () => {
    const folder = loginFolder(process.env);
    const server = await serverOf(options.server, process.env);
    const login = await readLogin(folder, server);
    if (login === null) throw new UsageError(`you are not logged in to ${server}`);
    const tokens = storedTokens(folder, server);
    try {
      await signOut(createPlatformClient({ baseUrl: server, tokens }));
    } catch (error) {
      const failure = callFailure(error);
      if (failure === null) throw error;
      console.error(`plumbline logout: ${failure.lines.join(' ')}; the session at the server remains until it expires`);
    }
    console.log(`Logged out of ${server}.`);
  });
}
