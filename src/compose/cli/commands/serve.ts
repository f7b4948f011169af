/** serve: the REST API. */
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import type { pino as createLog } from 'pino';
import type { Log } from '../../../../generated/contract.js';
import { parseListenAddress, type ListenAddress } from '../../service/listen-address.js';
import { prepareListening, type ListenOptions } from '../../service/listening.js';
import { ALLOWANCES, allowanceNames, isAllowance, type Allowance } from '../../service/trust/allowances.js';
import { collected, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';

interface ServeFlags {
  readonly listen?: string;
  readonly insecure?: boolean;
  readonly allowHost?: readonly string[];
  readonly allow?: readonly Allowance[];
  readonly cert?: string;
  readonly key?: string;
  readonly clientCa?: string;
  readonly authStore?: string;
  readonly projects?: string;
  readonly stopTimeout?: number;
}

const DEFAULT_STOP_SECONDS = 10;

/** @param version of the product */
export function serveCommand(compose: Command, io: Io, version: string): void {
  define<ServeFlags>(compose, io, {
    usage: 'serve',
    description: 'serve the REST API: containers and projects over a socket or TLS',
    remote: 'here',
    options: (command) =>
      command
        .option(
          '--listen <address>',
          'unix:///path, tcp://host:port or tls://host:port (default: a socket in the run folder)',
        )
        .option('--cert <file>', 'certificate of the server, PEM (tls://)')
        .option('--key <file>', 'key of that certificate, PEM (tls://)')
        .option('--client-ca <file>', 'demand client certificates that chain to this one, PEM (tls://)')
        .option('--auth-store <file>', 'let in those clients only that the store has (default: COMPOSE_AUTH_STORE)')
        .option('--insecure', 'let plain TCP be reached from other machines')
        .option(
          '--allow-host <name>',
          'let requests call the server by this name too; repeatable (tcp://, tls://)',
          collected,
        )
        .option('--allow <classes>', allowHelp, collectedAllowances)
        .option('--projects <folder>', 'keep compose files that are sent here (default: until the server ends)')
        .option('--stop-timeout <seconds>', 'how long requests may take to finish at the end', wholeNumber),
    examples: [
      'compose serve',
      'compose serve --backend mock --listen tcp://127.0.0.1:7070',
      'compose serve --listen tls://0.0.0.0:7070 --cert s.pem --key s.key --client-ca ca.pem --auth-store clients.json',
    ],
    run: (session, _args, flags) => serve(session, flags, version),
  });
}

const allowHelp = `let projects that are sent use more of this machine, as a list with commas; repeatable:\n${Object.entries(
  ALLOWANCES,
)
  .map(([name, meaning]) => `${name}: ${meaning}`)
  .join('\n')}`;

function collectedAllowances(text: string, before: readonly Allowance[] = []): readonly Allowance[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !isAllowance(name));
  if (wrong !== undefined) {
    throw new InvalidArgumentError(`'${wrong}' is not one of ${allowanceNames.join(', ')}.`);
  }
  return [...before, ...names.filter(isAllowance)];
}

/** Serves until the process is told to end; then streams end, and requests finish within the deadline. */
async function serve(session: Session, flags: ServeFlags, version: string): Promise<number> {
  const { io } = session;
  // Loaded when it serves: the server takes longer to load than other commands take to run.
  const { createComposeService } = await import('../../service/service.js');
  const log = logOf((await import('pino')).pino, io);
  const address = await addressOf(session, flags.listen);
  const listening = await prepareListening(listenOptions(session, flags, address), log);
  const backend = await session.openBackend();
  const service = await createComposeService({
    backend,
    clock: io.clock,
    log,
    version,
    projectsFolder: flags.projects === undefined ? null : resolve(io.workingDirectory, flags.projects),
    allowances: new Set(flags.allow),
    callerOf: listening.callerOf,
    admit: listening.admit,
    replyValidation: 'sampled',
    pages: { openapi: contractFile, referenceScript },
  });
  try {
    const running = await listening.listen(service.listener);
    await session.print(`Listening on ${running.url} (${backend.conformer} backend)\n`);
    await fired(session.signal);
    log.info({ address: running.url }, 'stopping');
    service.endStreams();
    const stopped = running.stop((flags.stopTimeout ?? DEFAULT_STOP_SECONDS) * 1000);
    // The second signal: whoever sends it will not wait.
    session.impatient.addEventListener('abort', () => {
      running.server.closeAllConnections();
    });
    await stopped;
    return 0;
  } finally {
    await service.close();
  }
}

async function addressOf({ io }: Session, given: string | undefined): Promise<ListenAddress> {
  const home = io.environment['HOME'] ?? homedir();
  if (given !== undefined) return parseListenAddress(given, home);
  const path = defaultSocket(io, home);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it failed';
    throw new UsageError(`The folder of the socket ${path} cannot be made (${code}): name another with --listen.`);
  });
  return { scheme: 'unix', path };
}

/** Beside what else belongs to this installation, else where the system keeps the sockets of a user's session. */
function defaultSocket({ environment, workingDirectory }: Io, home: string): string {
  const ownHome = environment['PLUMBLINE_HOME'];
  if (ownHome) return resolve(workingDirectory, ownHome, 'compose', 'compose.sock');
  const run = environment['XDG_RUNTIME_DIR'];
  if (run && isAbsolute(run)) return join(run, 'plumbline', 'compose.sock');
  return join(home, '.local', 'state', 'plumbline', 'compose', 'compose.sock');
}

function listenOptions({ io }: Session, flags: ServeFlags, address: ListenAddress): ListenOptions {
  const file = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(io.workingDirectory, path);
  // A store in the environment is for servers that have certificates; one that is named is an order.
  const authStore = flags.authStore ?? (flags.clientCa && io.environment['COMPOSE_AUTH_STORE']) ?? undefined;
  return {
    address,
    insecure: flags.insecure,
    allowedHosts: flags.allowHost,
    cert: file(flags.cert),
    key: file(flags.key),
    clientCa: file(flags.clientCa),
    authStore: file(authStore || undefined),
  };
}

/** JSON lines on standard error: standard output has the address. */
function logOf(pino: typeof createLog, { stderr, environment }: Io): Log {
  const level = environment['LOG_LEVEL'] || 'info';
  if (!(level in pino.levels.values) && level !== 'silent') {
    throw new UsageError(`LOG_LEVEL must be one of ${Object.keys(pino.levels.values).join(', ')}, silent.`);
  }
  const write = (line: string): void => void stderr.write(line);
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

/** Both the sources and the built tree under `dist/` have `generated/` beside `src/`; the script is in the built one. */
const contractFile = new URL('../../../../generated/compose/openapi.json', import.meta.url);
const builtTree = import.meta.url.includes('/dist/src/') ? '../../../../' : '../../../../dist/';
const referenceScript = new URL(`${builtTree}docs/redoc.standalone.js`, import.meta.url);
