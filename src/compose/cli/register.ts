/** The command line of the compose tool. */
import type { Command } from 'commander';
import { globalOptions } from './command.js';
import { EXIT_USAGE } from './failures.js';
import { dockerFlags } from './docker-flags.js';
import { hiddenGlobals } from './hidden-flags.js';
import { processIo, type Io } from './io.js';

/** Adds one command. */
type Add = (compose: Command, io: Io, version: string) => void;

/** Commands in the order of the help. Each is loaded on demand, because loading dominates the run time. */
const COMMANDS: Readonly<Record<string, () => Promise<Add>>> = {
  up: async () => (await import('./commands/up.js')).upCommand,
  down: async () => (await import('./commands/down.js')).downCommand,
  create: async () => (await import('./commands/up.js')).createCommand,
  start: async () => (await import('./commands/lifecycle.js')).startCommand,
  stop: async () => (await import('./commands/lifecycle.js')).stopCommand,
  restart: async () => (await import('./commands/lifecycle.js')).restartCommand,
  scale: async () => (await import('./commands/scale.js')).scaleCommand,
  kill: async () => (await import('./commands/lifecycle.js')).killCommand,
  pause: async () => (await import('./commands/lifecycle.js')).pauseCommand,
  unpause: async () => (await import('./commands/lifecycle.js')).unpauseCommand,
  rm: async () => (await import('./commands/lifecycle.js')).rmCommand,
  ps: async () => (await import('./commands/ps.js')).psCommand,
  ls: async () => (await import('./commands/ls.js')).lsCommand,
  images: async () => (await import('./commands/inventory.js')).imagesCommand,
  volumes: async () => (await import('./commands/inventory.js')).volumesCommand,
  stats: async () => (await import('./commands/stats.js')).statsCommand,
  logs: async () => (await import('./commands/logs.js')).logsCommand,
  top: async () => (await import('./commands/listings.js')).topCommand,
  port: async () => (await import('./commands/listings.js')).portCommand,
  events: async () => (await import('./commands/events.js')).eventsCommand,
  config: async () => (await import('./commands/config.js')).configCommand,
  build: async () => (await import('./commands/build.js')).buildCommand,
  pull: async () => (await import('./commands/images.js')).pullCommand,
  push: async () => (await import('./commands/images.js')).pushCommand,
  publish: async () => (await import('./commands/publish.js')).publishCommand,
  run: async () => (await import('./commands/run.js')).runCommand,
  exec: async () => (await import('./commands/exec.js')).execCommand,
  attach: async () => (await import('./commands/one-container.js')).attachCommand,
  cp: async () => (await import('./commands/cp.js')).cpCommand,
  export: async () => (await import('./commands/one-container.js')).exportCommand,
  commit: async () => (await import('./commands/one-container.js')).commitCommand,
  wait: async () => (await import('./commands/watching.js')).waitCommand,
  watch: async () => (await import('./commands/watching.js')).watchCommand,
  bridge: async () => (await import('./commands/bridge.js')).bridgeCommand,
  auth: async () => (await import('./commands/auth.js')).authCommand,
  ui: async () => (await import('./commands/ui.js')).uiCommand,
  serve: async () => (await import('./commands/serve.js')).serveCommand,
  version: async () => (await import('./commands/version.js')).versionCommand,
  completion: completionCommand,
};

async function completionCommand(): Promise<Add> {
  const { completionCommand: add } = await import('./commands/completion.js');
  return (compose, io) => {
    add(compose, io, Object.keys(COMMANDS));
  };
}

/** The command that shells call on each Tab. It also needs the command being completed. */
const COMPLETE = '__complete';

const ALIASES: Readonly<Record<string, string>> = { convert: 'config' };

/** These may list all commands. */
const HELP = ['help', '--help', '-h'];

/**
 * Adds `compose` and the commands named in the arguments to a program. A usage error exits with 2.
 *
 * @param args the words after `compose`; if they name no command, all commands are added
 * @param io the environment of the commands; default: this process
 * @returns the `compose` command
 */
export async function registerComposeCommands(
  program: Command,
  args: readonly string[],
  io: Io = processIo(),
): Promise<Command> {
  program.enablePositionalOptions();
  const compose = program
    .command('compose')
    .description('run the services of a compose file as containers')
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', OVERVIEW)
    .exitOverride((error) => {
      // Requested help is a success; every other exit of the parser is a usage error.
      io.exit(error.exitCode === 0 ? 0 : EXIT_USAGE);
    });
  for (const option of [...globalOptions(), ...hiddenGlobals(), ...dockerFlags()]) compose.addOption(option);
  const version = program.version() ?? '';
  compose.version(`Plumbline Compose version ${version}`, '-v, --version');
  compose.options.find(({ long }) => long === '--version')?.hideHelp();
  for (const add of await Promise.all(named(args))) add(compose, io, version);
  return compose;
}

/** The command that the arguments name; empty if none. A file or service name may be mistaken for a command. */
export function commandIn(args: readonly string[]): string {
  return args.map((word) => ALIASES[word] ?? word).find((word) => Object.hasOwn(COMMANDS, word)) ?? '';
}

/** A word that is a file or service name may load an unneeded command, which is harmless. */
function named(args: readonly string[]): Promise<Add>[] {
  const words = new Set(args.map((word) => (word === COMPLETE ? 'completion' : (ALIASES[word] ?? word))));
  const asked = Object.entries(COMMANDS).filter(([name]) => words.has(name));
  const isHelp = HELP.some((word) => words.has(word));
  return (isHelp || asked.length === 0 ? Object.entries(COMMANDS) : asked).map(([, load]) => load());
}

const OVERVIEW = `
The project's files are compose.yml, compose.yaml, docker-compose.yml or docker-compose.yaml of this directory, with
the override file beside it, unless -f or COMPOSE_FILE says otherwise. Its name is --project-name,
COMPOSE_PROJECT_NAME, the file's name:, or the directory's.

Containers run on the backend set by --backend or COMPOSE_BACKEND: bridge (a container engine's socket), native
(Podman without a service) or mock (in memory). Without either: the engine of --context, DOCKER_HOST, DOCKER_CONTEXT
or Docker's current context; if none is configured, an engine that listens on this machine, else Podman.
"compose version" prints which.

--remote or COMPOSE_REMOTE runs the command on a server, at the address of its "plumbline compose serve": unix:///path,
tcp://host:port, or tls://host:port with --tls-ca, --tls-cert and --tls-key. The server gets the
compose file, resolved on this machine, and none of the files that it names.

Examples:
  plumbline compose up -d                 start everything in the background
  plumbline compose logs -f web           follow the output of one service
  plumbline compose up -d --scale web=3   three containers of web
  plumbline compose run --rm web sh       a new container for one command
  plumbline compose config                print the resolved project
  plumbline compose down -v               remove everything, with the data

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted; run, exec and up --exit-code-from return
that of the container.`;
