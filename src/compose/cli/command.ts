/** Defines commands: the options common to all, and error handling around their run. */
import { setMaxListeners } from 'node:events';
import { Option, type Command, type OptionValues } from 'commander';
import { variablesBeforeLoad } from '../model/loader/load.js';
import { notSupported } from '../runtime/errors.js';
import { collected, wholeNumber } from './arguments.js';
import { acceptBooleanWords } from './boolean-words.js';
import { withDockerFlags } from './docker-flags.js';
import { describe, exitCodeFor, Interrupted, UsageError } from './failures.js';
import { hiddenFlags } from './hidden-flags.js';
import type { Io } from './io.js';
import { PROGRESS_STYLES } from './progress-view.js';
import { loadOptions, Session, type GlobalOptions } from './session.js';
import { ANSI_CHOICES, withDefaults } from './settings.js';

/** @returns the exit code; nothing means 0 */
export type Handler<Flags extends OptionValues> = (
  session: Session,
  args: readonly string[],
  flags: Flags,
) => Promise<number | undefined>;

export interface Definition<Flags extends OptionValues> {
  /** In commander's syntax: `logs [services...]`. */
  readonly usage: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly options?: (command: Command) => void;
  readonly examples?: readonly string[];
  readonly run: Handler<Flags>;
  /**
   * The implementation for a server (`--remote`): a handler, loaded on demand, or `here` for commands that always run
   * locally. Absent if the server's API does not support it.
   */
  readonly remote?: 'here' | (() => Promise<Handler<Flags>>);
  /** Whether it can stop containers, so that users should know of stop times that have no effect. */
  readonly stops?: true;
  /** Whether it changes something besides the engine, so that it has no dry run. */
  readonly hasNoDryRun?: true;
}

/** The options in the help of `compose`. */
export function globalOptions(): Option[] {
  return [
    new Option(
      '-f, --file <path>',
      'compose file, - for standard input; repeatable, later files override earlier ones',
    ).argParser(collected),
    new Option('-p, --project-name <name>', 'project name'),
    new Option('--project-directory <path>', 'base directory of relative paths'),
    new Option('--profile <name>', 'profile to enable, * for all; repeatable').argParser(collected),
    new Option('--env-file <path>', 'environment file to use instead of .env; repeatable').argParser(collected),
    new Option('--all-resources', 'include networks and volumes that no service uses'),
    new Option('--compatibility', 'name containers and images as Compose 1 did: project_service_1'),
    new Option('--dry-run', 'print what would be done, and change nothing'),
    new Option('--parallel <number>', 'maximum number of concurrent pulls and builds').argParser(wholeNumber),
    new Option('--backend <name>', 'container backend (default: the first one found)').choices([
      'mock',
      'bridge',
      'native',
      'swarm',
    ]),
    new Option('--context <name>', "Docker context to use (default: Docker's current context)"),
    new Option(
      '--remote <address>',
      'run the command on a server: unix://, tcp:// or tls:// (default: COMPOSE_REMOTE)',
    ),
    new Option('--tls-ca <file>', 'certificate authority of the server'),
    new Option('--tls-cert <file>', 'client certificate for the server'),
    new Option('--tls-key <file>', 'key of the client certificate'),
    new Option('--ansi <when>', 'colours and lines that are redrawn').choices([...ANSI_CHOICES]),
    new Option('--progress <style>', 'progress output').choices([...PROGRESS_STYLES]),
    new Option('--support <mode>', 'unsupported keys: warn, fail, or ignore').choices(['default', 'strict', 'loose']),
  ];
}

/** Adds a command to `compose`. */
export function define<Flags extends OptionValues>(compose: Command, io: Io, definition: Definition<Flags>): void {
  const command = compose.command(definition.usage).description(definition.description);
  for (const alias of definition.aliases ?? []) command.alias(alias);
  definition.options?.(command);
  for (const option of hiddenFlags(command.name())) command.addOption(option);
  acceptGlobals(command);
  acceptBooleanWords(command, /command\.\.\./.test(definition.usage));
  if (definition.examples) {
    command.addHelpText('after', `\nExamples:\n${definition.examples.map((line) => `  plumbline ${line}`).join('\n')}`);
  }
  command.action(async () => {
    // `compose` may be a command of it, such as `bridge`.
    const globals = { ...compose.optsWithGlobals<GlobalOptions>(), ...command.opts<GlobalOptions>() };
    io.setExitCode(
      await perform(io, globals, definition.stops === true, async (session) => {
        const handler = await handlerOf(definition, session, command.name());
        return handler(session, command.args, command.opts<Flags>());
      }),
    );
  });
}

/** @throws RuntimeError.notSupported for a command that a server does not support */
async function handlerOf<Flags extends OptionValues>(
  { run, remote, hasNoDryRun }: Definition<Flags>,
  { io, options }: Session,
  name: string,
): Promise<Handler<Flags>> {
  if (options.dryRun === true && hasNoDryRun === true) throw new UsageError(`${name} has no dry run.`);
  const address = options.remote ?? io.environment['COMPOSE_REMOTE'];
  if (!address || remote === 'here') return run;
  if (options.backend !== undefined) throw new UsageError('--remote and --backend cannot be combined.');
  const here = options.dryRun === true ? 'dry-run' : options.compatibility === true ? 'compatibility' : undefined;
  if (here !== undefined) throw new UsageError(`--remote and --${here} cannot be combined.`);
  if (remote === undefined) throw notSupported(name, 'remote');
  return remote();
}

/**
 * The global options are also accepted after the command's name. A short form that the command defines takes
 * precedence.
 */
function acceptGlobals(command: Command): void {
  const taken = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  for (const option of globalOptions()) {
    if (taken.has(option.long)) continue;
    const [, flags = option.flags] = taken.has(option.short) ? (/^-\w, (.*)$/.exec(option.flags) ?? []) : [];
    const hidden = new Option(flags, option.description).hideHelp();
    if (option.parseArg) hidden.argParser(option.parseArg);
    if (option.argChoices) hidden.choices(option.argChoices);
    command.addOption(hidden);
  }
}

/** Runs a command until it ends or is interrupted, and converts its failure to a message and an exit code. */
async function perform(
  io: Io,
  options: GlobalOptions,
  stops: boolean,
  work: (session: Session) => Promise<number | undefined>,
): Promise<number> {
  const interrupted = new AbortController();
  // Each engine request in progress adds a listener, so many listeners are not a leak.
  setMaxListeners(0, interrupted.signal);
  const impatient = new AbortController();
  const release = io.onInterrupt(() => {
    if (interrupted.signal.aborted) impatient.abort(new Interrupted());
    interrupted.abort(new Interrupted());
  });
  let session: Session | undefined;
  try {
    const ofCommand = withDockerFlags(io, options);
    const variables = await variablesBeforeLoad(loadOptions(ofCommand, options));
    const signals = { signal: interrupted.signal, impatient: impatient.signal };
    session = new Session(ofCommand, withDefaults(options, variables), variables, { ...signals, stops });
    const code = (await work(session)) ?? 0;
    await session.progress.close();
    return code;
  } catch (error) {
    await session?.progress.close();
    await io.stderr.write(`${describe(error)}\n`);
    return exitCodeFor(error);
  } finally {
    release();
  }
}
