import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Option, type Command } from 'commander';
import { selectServices } from '../../model/project/profiles.js';
import { readEnvFile } from '../../model/dotenv/dotenv.js';
import type { Project } from '../../model/project/project.js';
import { removeOrphansOf } from '../../orchestrator/down.js';
import type { Mount, PublishedPort } from '../../runtime/spec.js';
import { attachOneOff, createOneOff, endOneOff, startOneOff } from '../../orchestrator/run.js';
import { collected, variables } from '../arguments.js';
import { define } from '../command.js';
import { Detached } from '../detach-keys.js';
import { EXIT_INTERRUPTED, Interrupted, UsageError } from '../failures.js';
import { interact } from '../interaction.js';
import type { Io } from '../io.js';
import { splitShellWords, ShellWordsError } from '../../model/normalize/shell-words.js';
import { quieter, type Quiet } from '../quiet.js';
import type { Session } from '../session.js';

interface RunFlags extends Quiet {
  readonly capAdd?: readonly string[];
  readonly capDrop?: readonly string[];
  readonly envFromFile?: readonly string[];
  readonly removeOrphans?: boolean;
  readonly detach?: boolean;
  readonly rm?: boolean;
  readonly deps?: boolean;
  readonly env?: readonly string[];
  readonly label?: readonly string[];
  readonly volume?: readonly string[];
  readonly publish?: readonly string[];
  readonly servicePorts?: boolean;
  readonly useAliases?: boolean;
  readonly entrypoint?: string;
  readonly user?: string;
  readonly workdir?: string;
  readonly name?: string;
  readonly tty?: boolean;
  readonly interactive?: boolean;
  readonly build?: boolean;
  readonly pull?: 'always' | 'missing' | 'never';
}

export function runCommand(compose: Command, io: Io): void {
  define<RunFlags>(compose, io, {
    usage: 'run <service> [command...]',
    description: 'run a command in a one-off container',
    options: (command) =>
      command
        .passThroughOptions()
        .option('-d, --detach', 'run in the background and print the container name')
        .option('--rm', 'remove the container after it exits')
        .option('--no-deps', 'do not start dependencies')
        .option(
          '-e, --env <name=value>',
          'environment variable; a name alone takes its local value; repeatable',
          collected,
        )
        .option('-l, --label <name=value>', 'label; repeatable', collected)
        .option('-v, --volume <source:target>', 'volume or directory to mount; repeatable', collected)
        .option('-p, --publish <host:container>', 'port to publish; repeatable', collected)
        .option('-P, --service-ports', "publish the service's ports")
        .option('--use-aliases', "use the service's network aliases")
        .option('--entrypoint <command>', "override the image's entrypoint")
        .option('-u, --user <user>', 'user to run as')
        .option('-w, --workdir <path>', 'directory to run in')
        .option('--name <name>', 'container name')
        .option('-T, --no-tty', 'do not allocate a terminal')
        .option('-i, --interactive', 'attach standard input (default)')
        .option('--no-interactive', 'do not attach standard input')
        .option('--cap-add <capability>', 'capability to add; repeatable', collected)
        .option('--cap-drop <capability>', 'capability to drop; repeatable', collected)
        .option('--env-from-file <file>', 'file with environment variables; repeatable', collected)
        .option('--remove-orphans', 'remove containers of services not in the compose file')
        .option('-q, --quiet', 'do not print progress')
        .option('--quiet-build', 'do not print the output of builds')
        .option('--quiet-pull', 'do not print the progress of pulls')
        .option('--build', 'build the image first')
        .addOption(new Option('--pull <policy>', 'when to pull images').choices(['always', 'missing', 'never'])),
    examples: ['compose run --rm web sh', 'compose run --no-deps -e DEBUG=1 tests npm test'],
    run: runOneOff,
  });
}

async function runOneOff(
  session: Session,
  [service = '', ...command]: readonly string[],
  flags: RunFlags,
): Promise<number> {
  const { io } = session;
  const loaded = await session.load([service]);
  const chosen = flags.deps === false ? selectServices(loaded.project, [service], 'ignore') : loaded.project;
  const project = withCapabilities(chosen, service, flags);
  const orchestration = quieter(await session.orchestration(), flags);
  const fromFiles = await filesOf(session, flags.envFromFile);
  if (flags.removeOrphans === true) await removeOrphansOf(orchestration, loaded.project);
  const interactive = flags.detach !== true && flags.interactive !== false;
  const tty = flags.detach !== true && flags.tty !== false && io.stdin.isTerminal && io.stdout.isTerminal;
  const container = await session.explaining(
    () =>
      createOneOff(
        orchestration,
        { project, contents: loaded.contents },
        {
          service,
          dependencies: flags.deps !== false,
          tty,
          interactive,
          environment: { ...fromFiles, ...variables(flags.env, io.environment) },
          labels: variables(flags.label, {}),
          mounts: (flags.volume ?? []).map((text) => mountOf(text, io.workingDirectory)),
          ports: (flags.publish ?? []).map(publishedPortOf),
          servicePorts: flags.servicePorts === true,
          useAliases: flags.useAliases === true,
          ...(command.length > 0 && { command }),
          ...(flags.entrypoint !== undefined && { entrypoint: wordsOf(flags.entrypoint) }),
          ...(flags.user !== undefined && { user: flags.user }),
          ...(flags.workdir !== undefined && { workingDirectory: flags.workdir }),
          ...(flags.name !== undefined && { name: flags.name }),
          ...(flags.build === true && { build: 'always' as const }),
          ...(flags.pull && { pull: flags.pull }),
        },
      ),
    project,
  );
  if (flags.detach === true) {
    await startOneOff(orchestration, container);
    await session.print(`${container.name}\n`);
    return 0;
  }
  await session.progress.close();
  let isLeftRunning = false;
  try {
    return await interact(session, { tty, interactive }, (stdin, signal) =>
      attachOneOff({ ...orchestration, signal }, container, stdin),
    );
  } catch (error) {
    isLeftRunning = error instanceof Detached;
    if (isLeftRunning) return 0;
    if (!(error instanceof Interrupted)) throw error;
    return EXIT_INTERRUPTED;
  } finally {
    if (!isLeftRunning) await endOneOff(orchestration, container, { remove: flags.rm === true });
  }
}

function withCapabilities(project: Project, service: string, { capAdd = [], capDrop = [] }: RunFlags): Project {
  const definition = project.services[service];
  if (definition === undefined || (capAdd.length === 0 && capDrop.length === 0)) return project;
  const cap_add = [...(definition.cap_add ?? []), ...capAdd];
  const cap_drop = [...(definition.cap_drop ?? []), ...capDrop];
  return { ...project, services: { ...project.services, [service]: { ...definition, cap_add, cap_drop } } };
}

/** @throws ComposeFailure EnvFileError for a malformed file, UsageError for one that cannot be read */
async function filesOf({ io }: Session, files: readonly string[] = []): Promise<Record<string, string>> {
  const found = new Map<string, string>();
  for (const file of files) {
    const text = await readFile(path.resolve(io.workingDirectory, file), 'utf8').catch(() => undefined);
    if (text === undefined) throw new UsageError(`The environment file '${file}' cannot be read.`);
    readEnvFile(text, file, found, (name) => io.environment[name]);
  }
  return Object.fromEntries(found);
}

function wordsOf(text: string): string[] {
  try {
    return splitShellWords(text);
  } catch (error) {
    throw error instanceof ShellWordsError ? new UsageError(`--entrypoint: ${error.message}.`) : error;
  }
}

/** `source:target[:ro]`. A source that starts with a slash or dot is a host directory. */
function mountOf(text: string, workingDirectory: string): Mount {
  const [first = '', target, access] = text.split(':');
  const readOnly = access?.split(',').includes('ro') === true;
  if (target === undefined) return { type: 'volume', target: first };
  if (!/^[./~]/.test(first)) return { type: 'volume', source: first, target, readOnly };
  return { type: 'bind', source: path.resolve(workingDirectory, first), target, readOnly, createHostPath: true };
}

/** `[[address:]host:]container[/protocol]` */
function publishedPortOf(text: string): PublishedPort {
  const match = /^(?:(?:(\[[^\]]+\]|[^:]*):)?(\d*):)?(\d+)(?:\/(tcp|udp|sctp))?$/.exec(text);
  const [, address, host, container, protocol] = match ?? [];
  if (match === null) throw new UsageError(`'${text}' is not a valid port mapping: use host:container.`);
  return {
    containerPort: Number(container),
    protocol: protocol === 'udp' || protocol === 'sctp' ? protocol : 'tcp',
    ...(address && { hostAddress: address.replace(/^\[|\]$/g, '') }),
    ...(host && { hostPort: Number(host) }),
  };
}
