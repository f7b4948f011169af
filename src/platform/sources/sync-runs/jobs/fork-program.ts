import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tracingVariables } from '@plumbline/contract/system/start-tracing';
import { programEnvironment } from './program-environment.js';

/**
 * Starts a program of this repository in a separate process with an IPC channel and without the server's settings.
 *
 * @param module the URL of the calling module; the program is in the same directory
 * @param name the program's file name without extension
 */
export function forkProgram(module: string, name: string): { readonly child: ChildProcess; complaint(): string } {
  const isSource = module.endsWith('.ts'); // in tests: the process needs the same loader
  const child = fork(fileURLToPath(new URL(`./${name}${isSource ? '.ts' : '.js'}`, module)), {
    execArgv: isSource ? ['--conditions=@plumbline/source', '--import', 'tsx'] : [],
    env: { ...programEnvironment(process.env), ...tracingVariables(process.env) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4096)));
  return { child, complaint: () => complaint };
}
