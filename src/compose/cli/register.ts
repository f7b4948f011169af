/** The command line of the compose tool. */
import type { Command } from 'commander';
import { globalOptions } from './command.js';
import { authCommand } from './commands/auth.js';
import { configCommand } from './commands/config.js';
import { eventsCommand } from './commands/events.js';
import { execCommand } from './commands/exec.js';
import { buildCommand, pullCommand } from './commands/images.js';
import { killCommand, restartCommand, rmCommand, startCommand, stopCommand } from './commands/lifecycle.js';
import { lsCommand, portCommand, psCommand, topCommand } from './commands/listings.js';
import { logsCommand } from './commands/logs.js';
import { runCommand } from './commands/run.js';
import { createCommand, downCommand, upCommand } from './commands/up.js';
import { serveCommand } from './commands/serve.js';
import { versionCommand } from './commands/version.js';
import { waitCommand, watchCommand } from './commands/watching.js';
import { EXIT_USAGE } from './failures.js';
import { processIo, type Io } from './io.js';

const COMMANDS = [
  upCommand,
  downCommand,
  createCommand,
  startCommand,
  stopCommand,
  restartCommand,
  killCommand,
  rmCommand,
  psCommand,
  lsCommand,
  logsCommand,
  topCommand,
  portCommand,
  eventsCommand,
  configCommand,
  buildCommand,
  pullCommand,
  runCommand,
  execCommand,
  waitCommand,
  watchCommand,
  authCommand,
] as const;

/**
 * Adds `compose` and its commands to a program. Wrong usage ends the process with 2.
 *
 * @param io the world around the commands; default: this process
 * @returns the `compose` command, for further commands such as `serve`
 */
export function registerComposeCommands(program: Command, io: Io = processIo()): Command {
  program.enablePositionalOptions();
  const compose = program
    .command('compose')
    .description('run the services of a compose file as containers')
    .enablePositionalOptions()
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', OVERVIEW)
    .exitOverride((error) => {
      // Asked-for help is a success; everything else that the parser ends with is wrong usage.
      io.exit(error.exitCode === 0 ? 0 : EXIT_USAGE);
    });
  for (const option of globalOptions()) compose.addOption(option);
  for (const add of COMMANDS) add(compose, io);
  serveCommand(compose, io, program.version() ?? '');
  versionCommand(compose, io, program.version() ?? '');
  return compose;
}

const OVERVIEW = `
The project's files are compose.yml, compose.yaml, docker-compose.yml or docker-compose.yaml of this directory, with
the override file beside it, unless -f or COMPOSE_FILE says otherwise. Its name is --project-name,
COMPOSE_PROJECT_NAME, the file's name:, or the directory's.

Containers run on --backend or COMPOSE_BACKEND: bridge (a container engine's socket), native (Podman, no service) or
mock (in memory). Without either, the first that is there is used.

--remote or COMPOSE_REMOTE has a server do it: what "plumbline compose serve" answers there, unix:///path,
tcp://host:port, or tls://host:port with --tls-ca, --tls-cert and --tls-key. It gets the compose file as it is
understood here, and none of the files that it names.

Examples:
  plumbline compose up -d                 start everything in the background
  plumbline compose logs -f web           follow the output of one service
  plumbline compose up -d --scale web=3   three containers of web
  plumbline compose run --rm web sh       a container of its own for one command
  plumbline compose config                the project as it is understood
  plumbline compose down -v               remove everything, with the data

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted; run, exec and up --exit-code-from give the
container's own.`;
