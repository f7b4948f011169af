/** Starting the git program: a clean environment, no pager, no prompts, nothing that a repository's settings could run. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { SyncError } from '../../failures.js';

/** One repository, as the git program sees it. */
export interface Git {
  readonly path: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** GIT_* variables that keep git inside a folder; none where it may read anything. */
  readonly confinement: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether git has `--since-as-filter` (2.37 and later). */
  readonly filtersSince: boolean;
}

/** The oldest git with `--diff-merges`. */
const OLDEST = 31;

/**
 * Gets a repository ready to be read.
 *
 * @throws SyncError (`repository_unreadable`) where the git program is missing or too old
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
 * Settings of the user or of the repository that would change what is printed, or run a program of the repository's
 * choice. Command-line settings win over all files.
 */
const SETTINGS = [
  'core.quotePath=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
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

/** How much of a failing git's last words are kept. */
const STDERR_CHARACTERS = 2000;

/**
 * Streams what a git command prints.
 *
 * Nothing that comes from outside may stand before a `--` or `--end-of-options` in the arguments, except hashes that
 * git itself printed.
 *
 * @param more what goes to its standard input, and a last argument that need not be UTF-8
 * @throws SyncError (`repository_unreadable`) with git's own last words, when it exits with anything but 0
 */
export async function* streamGit(
  git: Git,
  args: readonly string[],
  { input, lastArgument }: { readonly input?: string; readonly lastArgument?: Buffer } = {},
): AsyncGenerator<Buffer> {
  const child = start(git, args, lastArgument);
  const ended = ending(child, git, args);
  // A consumer that stops early does not await the exit, which then is expected to be a failure.
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

/** All that a git command prints. For output that is small, or that has to be at hand as a whole. */
export async function runGit(
  git: Git,
  args: readonly string[],
  more: Parameters<typeof streamGit>[2] = {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of streamGit(git, args, more)) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** What a git command prints, as trimmed text; undefined where it fails, as lookups do that find nothing. */
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
 * Node encodes arguments as UTF-8, so that a name in other bytes cannot be handed over directly: the shell's printf
 * makes it. The full stop keeps newlines at the end of the name, which a substitution would drop.
 */
function throughShell(args: readonly string[], lastArgument: Buffer): string[] {
  const escaped = [...lastArgument].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
  return ['-c', 'name=$(printf "%b." "$1"); shift; exec git "$@" "${name%.}"', 'sh', escaped, ...args];
}

/**
 * The environment without the GIT_* variables, which could name another repository, index or program (a sync may run
 * inside a git hook), in the language that messages are recognized in.
 */
function cleanEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !name.startsWith('GIT_')) clean[name] = value;
  }
  // Buffered output: into a pipe, git would flush after each commit.
  const git = { GIT_FLUSH: '0', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  return { ...clean, ...git, LC_ALL: 'C', LANGUAGE: '', TZ: 'UTC' };
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
  const missing = 'code' in error && error.code === 'ENOENT';
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
