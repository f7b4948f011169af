import { execFile } from 'node:child_process';

import type { Account } from './account.js';

export interface ToolCall {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly account: Account | undefined;
  readonly input?: string;
}

/** Runs one PostgreSQL program. @throws Error with the end of its error output. */
export function runTool({ file, args, cwd, account, input }: ToolCall): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ...account, env: serverEnvironment(), timeout: 120_000, ...(cwd === undefined ? {} : { cwd }) };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      const said = stderr.trim().split('\n').slice(-5).join('\n');
      reject(new Error(`${file} failed: ${said === '' ? error.message : said}`, { cause: error }));
    });
    child.stdin?.on('error', () => undefined); // A program that exits early breaks this pipe; its exit is handled above.
    child.stdin?.end(input);
  });
}

/**
 * The environment of all PostgreSQL processes: without variables of this process, which contain secrets, and without
 * those that would make a cluster depend on the starting user (locale, time zone, PG* variables).
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of ['PATH', 'SystemRoot']) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/**
 * The value of `-D` for a program whose working directory is the data directory.
 *
 * The home of a root process may be in a directory that the server's account cannot traverse (/root, or mode 0700). The
 * working directory is entered before privileges are dropped, and this link refers to it without a path lookup, in the
 * server and in its child processes. Tested on Linux; elsewhere the plain path is used.
 */
export function dataDirectoryArgument(dataDirectory: string, account: Account | undefined): string {
  return account !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : dataDirectory;
}
