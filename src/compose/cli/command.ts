/** How every command is put together: the options that all take, and what happens around its run. */
import { setMaxListeners } from 'node:events';
import { Option, type Command, type OptionValues } from 'commander';
import { notSupported } from '../runtime/errors.js';
import { collected, wholeNumber } from './arguments.js';
import { describe, exitCodeFor, Interrupted, UsageError } from './failures.js';
import type { Io } from './io.js';
import { PROGRESS_STYLES } from './progress.js';
import { Session, type GlobalOptions } from './session.js';

/** @returns the exit code; nothing is 0 */
export type Handler<Flags extends OptionValues> = (
  session: Session,
  args: readonly string[],
  flags: Flags,
) => Promise<number | undefined>;

export interface Definition<Flags extends OptionValues> {
  /** As commander has it: `logs [services...]`. */
  readonly usage: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly options?: (command: Command) => void;
  readonly examples?: readonly string[];
  readonly run: Handler<Flags>;
  /**
   * What it does on a server (`--remote`): a handler, loaded when it is needed, or `here` for what is about this
   * machine in any case. Left out where the API of a server has nothing for it.
   */
  readonly remote?: 'here' | (() => Promise<Handler<Flags>>);
}

/** What the options are called in the help of `compose`. */
export function globalOptions(): Option[] {
  return [
    new Option(
      '-f, --file <path>',
      'compose file, - for standard input; repeatable, later ones are merged in',
    ).argParser(collected),
    new Option('-p, --project-name <name>', 'name of the project'),
    new Option('--project-directory <path>', 'directory that relative paths start at'),
    new Option('--profile <name>', 'profile to enable, * for all; repeatable').argParser(collected),
    new Option('--env-file <path>', 'file of variables in place of .env; repeatable').argParser(collected),
    new Option('--parallel <number>', 'images pulled or built at the same time').argParser(wholeNumber),
    new Option('--backend <name>', 'what runs the containers (default: what is found)').choices([
      'mock',
      'bridge',
      'native',
    ]),
    new Option('--context <name>', "Docker context whose engine is used (default: Docker's current one)"),
    new Option('--remote <address>', 'run it on the server there: unix://, tcp:// or tls:// (default: COMPOSE_REMOTE)'),
    new Option('--tls-ca <file>', 'what the certificate of that server must chain to'),
    new Option('--tls-cert <file>', 'certificate to show that server'),
    new Option('--tls-key <file>', 'key of that certificate'),
    new Option('--ansi <when>', 'colours').choices(['auto', 'always', 'never']),
    new Option('--progress <style>', 'how progress is shown').choices([...PROGRESS_STYLES]),
    new Option('--support <mode>', 'keys without effect: warn, refuse them, or say nothing').choices([
      'default',
      'strict',
      'loose',
    ]),
  ];
}

/** Adds a command to `compose`. */
export function define<Flags extends OptionValues>(compose: Command, io: Io, definition: Definition<Flags>): void {
  const command = compose.command(definition.usage).description(definition.description);
  for (const alias of definition.aliases ?? []) command.alias(alias);
  definition.options?.(command);
  acceptGlobals(command);
  if (definition.examples) {
    command.addHelpText('after', `\nExamples:\n${definition.examples.map((line) => `  plumbline ${line}`).join('\n')}`);
  }
  command.action(async () => {
    const globals = { ...compose.opts<GlobalOptions>(), ...command.opts<GlobalOptions>() };
    io.setExitCode(
      await perform(io, globals, async (session) => {
        const handler = await handlerOf(definition, session, command.name());
        return handler(session, command.args, command.opts<Flags>());
      }),
    );
  });
}

/** @throws RuntimeError.notSupported for what a server does not do */
async function handlerOf<Flags extends OptionValues>(
  { run, remote }: Definition<Flags>,
  { io, options }: Session,
  name: string,
): Promise<Handler<Flags>> {
  const address = options.remote ?? io.environment['COMPOSE_REMOTE'];
  if (!address || remote === 'here') return run;
  if (options.backend !== undefined) throw new UsageError('--remote and --backend exclude each other.');
  if (remote === undefined) throw notSupported(name, 'remote');
  return remote();
}

/** The same options are understood after the command's name; a short form that the command has itself is its own. */
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

/** Runs a command's work until it ends or is given up, and turns its failure into a line and an exit code. */
async function perform(
  io: Io,
  options: GlobalOptions,
  work: (session: Session) => Promise<number | undefined>,
): Promise<number> {
  const interrupted = new AbortController();
  // Each call to the engine that is under way listens: many are no leak.
  setMaxListeners(0, interrupted.signal);
  const impatient = new AbortController();
  const release = io.onInterrupt(() => {
    if (interrupted.signal.aborted) impatient.abort(new Interrupted());
    interrupted.abort(new Interrupted());
  });
  const session = new Session(io, options, interrupted.signal, impatient.signal);
  try {
    const code = (await work(session)) ?? 0;
    await session.progress.close();
    return code;
  } catch (error) {
    await session.progress.close();
    await io.stderr.write(`${describe(error)}\n`);
    return exitCodeFor(error);
  } finally {
    release();
  }
}
