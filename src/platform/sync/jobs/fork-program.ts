import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from './program-environment.js';

/**
 * Starts a program of this repository in a process of its own, which speaks over its IPC channel and shares nothing of
 * the settings of the server.
 *
 * @param module the address of the module that asks, beside which the program is
 * @param name of the program's file, without its ending
 */
export function forkProgram(module: string, name: string): { readonly child: ChildProcess; complaint(): string } {
  const isSource = module.endsWith('.ts'); // as tests run it: the process needs the same loader
  const child = fork(fileURLToPath(new URL(`./${name}${isSource ? '.ts' : '.js'}`, module)), {
    execArgv: isSource ? ['--import', 'tsx'] : [],
    env: programEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4096)));
  return { child, complaint: () => complaint };
}
