import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Io } from './io.js';

/**
 * The socket of `compose serve` without `--listen`: in the directory of this installation, otherwise in the system's
 * directory for sockets of a user's session.
 */
export function defaultSocket({ environment, workingDirectory }: Io): string {
  const ownHome = environment['PLUMBLINE_HOME'];
  if (ownHome) return resolve(workingDirectory, ownHome, 'compose', 'compose.sock');
  const run = environment['XDG_RUNTIME_DIR'];
  if (run && isAbsolute(run)) return join(run, 'plumbline', 'compose.sock');
  return join(environment['HOME'] ?? homedir(), '.local', 'state', 'plumbline', 'compose', 'compose.sock');
}
