import { withFileLock } from '@plumbline/contract/system/file-lock';
import type { TokenStore } from '../sdk.js';
import { loginFile, prepareLoginFolder, readLogin, removeLogin, writeLogin } from './login-files.js';

/** The longest pause between two attempts to lock, in milliseconds. With 200 attempts it outlasts a slow exchange. */
const longestPauseMs = 600;

/** The token store of the SDK on the file of a server. Exchanges of several commands take turns. */
export function storedTokens(folder: string, server: string): TokenStore {
  return {
    get: async () => {
      const login = await readLogin(folder, server);
      if (login === null) return null;
      const { access_token, refresh_token } = login;
      return { access_token, ...(refresh_token !== undefined && { refresh_token }) };
    },
    set: (tokens) => writeLogin(folder, { ...tokens, server }),
    clear: () => removeLogin(folder, server),
    exclusively: async (exchange) => {
      await prepareLoginFolder(folder);
      return withFileLock(loginFile(folder, server), exchange, { longestPauseMs });
    },
  };
}
