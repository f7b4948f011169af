/**
 * Starts the git program with a clean environment: no pager, no prompts, and no programs from a repository's settings.
 */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { SyncError } from '../../failures.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** One repository, as the git program sees it. */
export interface Git {
  readonly path: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** GIT_* variables that confine git to a folder; empty if it may read everything. */
  readonly confinement: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether git has `--since-as-filter` (2.37 and later). */
  readonly filtersSince: boolean;
}

/** The oldest git with `--diff-merges`. */
const OLDEST = 31;

/**
 * Prepares a repository for reading.
 *
 * @throws SyncError (`repository_unreadable`) if the git program is missing or too old
 */
export async function openGit(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  confinement: Git['confinement'] = {},
): Promise<Git> {
  const git: Git = { path, environment, confinement, signal, filtersSince: false };
  const text = (await runGit(git, ['version'])).toString('utf8').trim();
  const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(text)?.slice(1) ?? []).map(Number);
  if (major < 2 || (major === 2 && minor < OLDEST)) {
    throw new SyncError('repository_unreadable', `A git of version 2.${OLDEST} or later is needed; this is ${text}.`);
  }
  return { ...git, filtersSince: major > 2 || minor >= 37 };
}

/**
 * Overrides settings of the user or the repository that would change the output, or run a program chosen by the
 * repository. Command-line settings take precedence over all files.
 */
const SETTINGS = [
  'core.quotePath=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'advice.graftFileDeprecated=false',
  'i18n.logOutputEncoding=UTF-8',
  'log.showRoot=true',
  'log.showSignature=false',
  'log.mailmap=false',
  'diff.renames=true',
  'diff.ignoreSubmodules=none',
  'diff.orderFile=/dev/null',
  'blame.ignoreRevsFile=',
  'blame.markIgnoredLines=false',
  'blame.markUnblamableLines=false',
].flatMap((setting) => ['-c', setting]);

/** The number of characters kept from the end of a failing git's error output. */
const STDERR_CHARACTERS = 2000;

/**
 * Streams the output of a git command.
 *
 * Untrusted values must follow a `--` or `--end-of-options` in the arguments, except hashes that git printed.
 *
 * @param more standard input, and a last argument that may be invalid UTF-8
 * @throws SyncError (`repository_unreadable`) with the end of git's error output, if its exit code is not 0
 */
export async function* streamGit(
  git: Git,
  args: readonly string[],
  { input, lastArgument }: { readonly input?: string; readonly lastArgument?: Buffer } = {},
): AsyncGenerator<Buffer> {
  const child = start(git, args, lastArgument);
  const ended = ending(child, git, args);
  // A consumer that stops early does not await the exit, which is then a failure.
  ended.catch(() => {});
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let complete = false;
  try {
    // A readable without an encoding yields buffers.
    for await (const chunk of child.stdout) yield chunk as Buffer;
    await ended;
    complete = true;
  } finally {
    if (!complete) child.kill('SIGKILL');
  }
}

/** The whole output of a git command, for output that is small or needed as a whole. */
export async function runGit(
  git: Git,
  args: readonly string[],
  more: Parameters<typeof streamGit>[2] = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of streamGit(git, args, more)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** The output of a git command as trimmed text; undefined if it fails, as look-ups without a result do. */
export async function askGit(git: Git, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await runGit(git, args)).toString('utf8').replace(/\n$/, '');
  } catch (error) {
    if (error instanceof SyncError && error.code === 'repository_unreadable' && !git.signal.aborted) return undefined;
    throw error;
  }
}

function start(git: Git, args: readonly string[], lastArgument?: Buffer): ChildProcessWithoutNullStreams {
  const all = ['--no-pager', '-C', git.path, ...SETTINGS, ...args];
  const [program, programArgs] = lastArgument === undefined ? ['git', all] : ['sh', throughShell(all, lastArgument)];
  return spawn(program, programArgs, {
    env: { ...cleanEnvironment(git.environment), ...git.confinement },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: git.signal,
    killSignal: 'SIGKILL',
    // A separate process group: this process handles Ctrl-C and ends git after the current page. If this process is
    // killed, git's pipe breaks.
    detached: true,
    windowsHide: true,
  });
}

/**
 * Node encodes arguments as UTF-8, so a name with other bytes cannot be passed directly. The shell's printf creates it.
 * The trailing full stop preserves newlines at the end of the name, which command substitution would remove.
 */
function throughShell(args: readonly string[], lastArgument: Buffer): string[] {
  const escaped = [...lastArgument].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
  return ['-c', 'name=$(printf "%b." "$1"); shift; exec git "$@" "${name%.}"', 'sh', escaped, ...args];
}

/**
 * The environment without GIT_* variables, which could name another repository, index or program (a sync may run inside
 * a git hook). Sets the locale whose messages this code recognizes. History is read as it was committed: replacement
 * objects and grafts can hide commits, and exist in one clone only.
 */
function cleanEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.startsWith('GIT_')) clean[name] = value;
  }
  // Buffered output: with a pipe, git would flush after each commit.
  const git = { GIT_FLUSH: '0', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  const history = { GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: devNull };
  return { ...clean, ...git, ...history, LC_ALL: 'C', LANGUAGE: '', TZ: 'UTC' };
}

function ending(child: ChildProcess, git: Git, args: readonly string[]): Promise<void> {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-STDERR_CHARACTERS);
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      reject(git.signal.aborted ? new SyncError('aborted', 'The sync was stopped.') : startProblem(error));
    });
    child.once('close', (status, signal) => {
      if (status === 0) resolve();
      else reject(new SyncError('repository_unreadable', explain(words, args[0] ?? '', git.path, status, signal)));
    });
  });
}

function startProblem(error: Error): SyncError {
  const missing = errorCode(error) === 'ENOENT';
  const text = missing ? 'The git program was not found (or the path does not exist).' : error.message;
  return new SyncError('repository_unreadable', text, { cause: error });
}

function explain(words: string, command: string, path: string, status: number | null, signal: string | null): string {
  if (words.includes('dubious ownership')) {
    return (
      `${path} belongs to another user, so git refuses to read it. ` +
      `If you trust it: git config --global --add safe.directory ${JSON.stringify(path)}`
    );
  }
  if (/not a git repository|cannot change to/.test(words)) return `${path} is not a git repository.`;
  const last = words.trim().split('\n').slice(-3).join('; ');
  return `git ${command} in ${path} ended with ${signal ?? `status ${String(status)}`}${last === '' ? '' : `: ${last}`}`;
}
