/** `completion`, and the hidden command that shells call for completions. */
import { Argument, type Command, type Option } from 'commander';
import { loadProject } from '../../model/loader/load.js';
import { listProjects } from '../../orchestrator/projects.js';
import { completionScript, SHELLS, type Shell } from '@plumbline/contract/system/completion-script';
import { environmentFrom } from '../../model/dotenv/environment.js';
import type { Io } from '../io.js';
import { Session, type GlobalOptions } from '../session.js';

/** @param names of all commands, whether loaded or not */
export function completionCommand(compose: Command, io: Io, names: readonly string[]): void {
  compose
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      await io.stdout.write(completionScript(shell, ['compose']));
    });
  compose
    .command('__complete', { hidden: true })
    .argument('[words...]', 'the words after "compose"; the word under the cursor is last')
    .action(async (words: readonly string[]) => {
      const found = await candidates(compose, io, words, names);
      const typed = words.at(-1) ?? '';
      await io.stdout.write(
        found
          .filter((each) => each.startsWith(typed))
          .map((each) => `${each}\n`)
          .join(''),
      );
    });
}

async function candidates(
  compose: Command,
  io: Io,
  words: readonly string[],
  names: readonly string[],
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const { command, options, pending } = understood(compose, words.slice(0, -1));
  if (pending !== undefined) return valuesOf(pending, io, options);
  if (typed.startsWith('-')) return (command ?? compose).options.flatMap(({ long }) => long ?? []);
  if (command === undefined) return names;
  const first = command.registeredArguments[0];
  if (first?.argChoices !== undefined) return first.argChoices;
  return /^services?$/.test(first?.name() ?? '') ? servicesOf(io, options) : [];
}

interface Understood {
  readonly command: Command | undefined;
  readonly options: GlobalOptions;
  /** The option whose value is under the cursor. */
  readonly pending: Option | undefined;
}

/** Parses the words before the cursor for completion. Errors are ignored. */
function understood(compose: Command, words: readonly string[]): Understood {
  let command: Command | undefined;
  let pending: Option | undefined;
  const files: string[] = [];
  const texts = new Map<string, string>();
  for (const word of words) {
    if (pending !== undefined) {
      if (pending.attributeName() === 'file') files.push(word);
      texts.set(pending.attributeName(), word);
      pending = undefined;
    } else if (word.startsWith('-')) {
      const option = (command ?? compose).options.find(({ short, long }) => word === short || word === long);
      pending = option?.required === true ? option : undefined;
    } else command ??= compose.commands.find((each) => each.name() === word || each.aliases().includes(word));
  }
  const text = <Key extends string>(key: Key): Partial<Record<Key, string>> => {
    const value = texts.get(key);
    // The key is the requested one, which the compiler cannot infer from a computed name.
    return value === undefined ? {} : ({ [key]: value } as Partial<Record<Key, string>>);
  };
  const options = {
    ...(files.length > 0 && { file: files }),
    ...text('projectName'),
    ...text('projectDirectory'),
    ...text('backend'),
    ...text('context'),
  };
  return { command, options, pending };
}

async function valuesOf(option: Option, io: Io, options: GlobalOptions): Promise<readonly string[]> {
  if (option.argChoices !== undefined) return option.argChoices;
  switch (option.attributeName()) {
    case 'projectName':
      return projectsOn(io, options);
    case 'attach':
    case 'noAttach':
    case 'exitCodeFrom':
      return servicesOf(io, options);
    default:
      return [];
  }
}

/** A missing or invalid file completes nothing. */
async function servicesOf(io: Io, options: GlobalOptions): Promise<readonly string[]> {
  try {
    const { project } = await loadProject(sessionOf(io, options).loadOptions());
    return Object.keys(project.services);
  } catch {
    return [];
  }
}

async function projectsOn(io: Io, options: GlobalOptions): Promise<readonly string[]> {
  try {
    return (await listProjects(await sessionOf(io, options).orchestration())).map(({ name }) => name);
  } catch {
    return [];
  }
}

function sessionOf(io: Io, options: GlobalOptions): Session {
  const never = new AbortController().signal;
  return new Session(io, options, environmentFrom(io.environment), { signal: never, impatient: never, stops: false });
}
