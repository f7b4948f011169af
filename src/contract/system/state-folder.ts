import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** Where commands keep their own state: PLUMBLINE_HOME, else the state directory of the XDG specification. */
export function stateFolder(environment: NodeJS.ProcessEnv, workingDirectory: string): string {
  const home = environment['PLUMBLINE_HOME'];
  if (home) return resolve(workingDirectory, home);
  const state = environment['XDG_STATE_HOME'];
  const base = state && isAbsolute(state) ? state : join(environment['HOME'] ?? homedir(), '.local', 'state');
  return join(base, 'plumbline');
}
