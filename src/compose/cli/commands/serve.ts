import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import type { pino as createLog } from 'pino';
import type { Log } from '@plumbline/contract/contract-types';
import type { RunningServer } from '@plumbline/contract/server';
import { parseListenAddress, type ListenAddress } from '../../service/listen-address.js';
import { DEFAULT_LIMITS, type ProjectLimits } from '../../service/projects/limits.js';
import { prepareListening, type Listening, type ListenOptions } from '../../service/listening.js';
import { ALLOWANCES, allowanceNames, isAllowance, type Allowance } from '../../service/trust/allowances.js';
import { collected, positiveNumber, wholeNumber } from '../arguments.js';
import { define } from '../command.js';
import { defaultSocket } from '../default-socket.js';
import { UsageError } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';
import { errorCode } from '@plumbline/contract/system/error-code';

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
  readonly maxProjects?: number;
  readonly maxServices?: number;
  readonly maxProjectContainers?: number;
  readonly maxContainers?: number;
  readonly loadTimeout?: number;
  readonly stopTimeout?: number;
  readonly ui?: boolean;
}

const DEFAULT_STOP_SECONDS = 10;

/** @param version of the product */
export function serveCommand(compose: Command, io: Io, version: string): void {
  define<ServeFlags>(compose, io, {
    usage: 'serve',
    description: 'serve the REST API: containers and projects over a socket or TLS',
    remote: 'here',
    hasNoDryRun: true,
    options: (command) =>
      command
        .option(
          '--listen <address>',
          'unix:///path, tcp://host:port or tls://host:port (default: a socket in the run directory)',
        )
        .option('--cert <file>', 'server certificate, PEM (tls://)')
        .option('--key <file>', 'key of that certificate, PEM (tls://)')
        .option('--client-ca <file>', 'require client certificates signed by this authority, PEM (tls://)')
        .option('--auth-store <file>', 'accept only clients in this store (default: COMPOSE_AUTH_STORE)')
        .option('--insecure', 'allow plain TCP from other machines')
        .option('--allow-host <name>', 'accept requests for this host name; repeatable (tcp://, tls://)', collected)
        .option('--allow <classes>', allowHelp, collectedAllowances)
        .option('--ui', 'serve the web page at the address (default then: tcp://127.0.0.1, a free port)')
        .option('--projects <folder>', 'directory for received compose files (default: kept until the server stops)')
        .option('--max-projects <number>', limitHelp('received projects', 'projects'), positiveNumber)
        .option('--max-services <number>', limitHelp('services of one received project', 'services'), positiveNumber)
        .option(
          '--max-project-containers <number>',
          limitHelp('containers of one received project', 'projectContainers'),
          positiveNumber,
        )
        .option(
          '--max-containers <number>',
          limitHelp('containers of all received projects', 'containers'),
          positiveNumber,
        )
        .option(
          '--load-timeout <seconds>',
          limitHelp('time to validate one received compose file', 'loadSeconds'),
          positiveNumber,
        )
        .option('--stop-timeout <seconds>', 'time for requests to finish at shutdown', wholeNumber),
    examples: [
      'compose serve',
      'compose serve --backend mock --listen tcp://127.0.0.1:7070',
      'compose serve --ui',
      'compose serve --listen tls://0.0.0.0:7070 --cert s.pem --key s.key --client-ca ca.pem --auth-store clients.json',
    ],
    run: (session, _args, flags) => serve(session, flags, version),
  });
}

const allowHelp = `features that received projects may use, comma-separated; repeatable:\n${Object.entries(ALLOWANCES)
  .map(([name, meaning]) => `${name}: ${meaning}`)
  .join('\n')}`;

function limitHelp(what: string, limit: keyof ProjectLimits): string {
  return `limit: ${what} (default: ${DEFAULT_LIMITS[limit]})`;
}

function limitsOf(flags: ServeFlags): Partial<ProjectLimits> {
  const limits = {
    projects: flags.maxProjects,
    services: flags.maxServices,
    projectContainers: flags.maxProjectContainers,
    containers: flags.maxContainers,
    loadSeconds: flags.loadTimeout,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function collectedAllowances(text: string, before: readonly Allowance[] = []): readonly Allowance[] {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !isAllowance(name));
  if (wrong !== undefined) {
    throw new InvalidArgumentError(`'${wrong}' is not one of ${allowanceNames.join(', ')}.`);
  }
  return [...before, ...names.filter(isAllowance)];
}

/** Serves until the process receives a signal. Then streams end, and requests finish within the deadline. */
async function serve(session: Session, flags: ServeFlags, version: string): Promise<number> {
  const { io } = session;
  // Loaded on demand, because the server takes longer to load than other commands take to run.
  const { createComposeService } = await import('../../service/service.js');
  const { createPageAccess } = await import('../../service/page/access.js');
  const log = logOf((await import('pino')).pino, io);
  const address = await addressOf(session, flags);
  const listening = await prepareListening(listenOptions(session, flags, address), log);
  const commands = flags.ui === true ? await listeningForCommands(session, log) : null;
  const backend = await session.openBackend();
  let origin: URL | null = null;
  const access = createPageAccess(io.clock, () => {
    if (origin === null) throw new Error('the server does not listen yet');
    return origin;
  });
  const service = await createComposeService({
    backend,
    clock: io.clock,
    log,
    version,
    projectsFolder: flags.projects === undefined ? null : resolve(io.workingDirectory, flags.projects),
    allowances: new Set(flags.allow),
    limits: limitsOf(flags),
    loadingWorker,
    entrance: listening,
    page: flags.ui === true ? { access, folder: consoleFolder } : null,
    replyValidation: 'sampled',
    pages: { openapi: contractFile, reference },
  });
  const servers: RunningServer[] = [];
  const stop = (): Promise<unknown> => {
    service.endStreams();
    return Promise.all(servers.map((each) => each.stop((flags.stopTimeout ?? DEFAULT_STOP_SECONDS) * 1000)));
  };
  try {
    const running = await listening.listen(service.listener);
    servers.push(running);
    if (commands !== null) servers.push(await commands.listen(service.listenerFor(commands)));
    await session.print(`Listening on ${running.url} (${backend.conformer} backend)\n`);
    if (commands !== null) {
      origin = pageOrigin(running.url, flags.allowHost);
      await session.print(`Commands go to ${servers.at(-1)?.url ?? ''}\n${pageText(access.createLink().url)}`);
    }
    await fired(session.signal);
    log.info({ address: running.url }, 'stopping');
    // The second signal stops the server immediately.
    session.impatient.addEventListener('abort', () => {
      for (const { server } of servers) server.closeAllConnections();
    });
    return 0;
  } finally {
    await stop();
    await service.close();
  }
}

/**
 * The socket for commands when the address serves only the page. Commands also request the page's links there.
 *
 * @throws ListenError when another server uses it
 */
async function listeningForCommands({ io }: Session, log: Log): Promise<Listening> {
  return prepareListening({ address: await defaultAddress(io) }, log);
}

/** The origin of the page for browsers. A wildcard address is not a host name. */
function pageOrigin(url: string, names: readonly string[] = []): URL {
  const origin = new URL(url.replace(/^tcp:/, 'http:').replace(/^tls:/, 'https:'));
  if (/^(0\.0\.0\.0|\[::\])$/.test(origin.hostname)) origin.hostname = names[0] ?? 'localhost';
  return origin;
}

function pageText(link: string): string {
  return `Page: ${link}\nThe link works once, for five minutes. "plumbline compose ui" gives a new one.\n`;
}

async function addressOf({ io }: Session, { listen, ui }: ServeFlags): Promise<ListenAddress> {
  if (listen !== undefined) return parseListenAddress(listen, io.environment['HOME'] ?? homedir());
  return ui === true ? { scheme: 'tcp', host: '127.0.0.1', port: 0 } : defaultAddress(io);
}

/** The default socket, in a folder that exists. */
async function defaultAddress(io: Io): Promise<ListenAddress> {
  const path = defaultSocket(io);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const code = errorCode(error) ?? 'it failed';
    throw new UsageError(
      `The directory of the socket ${path} cannot be created (${code}). Choose another with --listen.`,
    );
  });
  return { scheme: 'unix', path };
}

function listenOptions({ io }: Session, flags: ServeFlags, address: ListenAddress): ListenOptions {
  const file = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(io.workingDirectory, path);
  // COMPOSE_AUTH_STORE applies only to servers with client certificates; an explicit option always applies.
  const authStore = flags.authStore ?? (flags.clientCa && io.environment['COMPOSE_AUTH_STORE']) ?? undefined;
  return {
    address,
    insecure: flags.insecure,
    allowedHosts: flags.allowHost,
    page: flags.ui,
    cert: file(flags.cert),
    key: file(flags.key),
    clientCa: file(flags.clientCa),
    authStore: file(authStore || undefined),
  };
}

/** JSON lines on standard error, because standard output has the address. */
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

/** `generated/` is beside `src/` both in the source tree and in the package's `dist/`; the rest is only in `dist/`. */
const contractFile = new URL('../../../../generated/compose/openapi.json', import.meta.url);
const builtTree = import.meta.url.includes('/dist/src/') ? '../../../../' : '../../dist/';
const reference = new URL(`${builtTree}docs/compose/`, import.meta.url);
const loadingWorker = new URL(`${builtTree}src/compose/service/projects/loading-worker.js`, import.meta.url);
const consoleFolder = new URL(`${builtTree}console/`, import.meta.url);
