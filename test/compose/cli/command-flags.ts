/** The commands and flags of both tools, for the table of src/compose/COMMANDS.md. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { globalOptions } from '../../../src/compose/cli/command.js';
import { registerComposeCommands } from '../../../src/compose/cli/register.js';

/** Long names of flags by command; `compose` has the global ones. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/**
 * Those that commands accept, also those that the help does not show. Global flags, which every command accepts, and
 * negations of flags that the help shows are left out.
 *
 * @param except flags of commands that are included all the same
 */
export async function ourFlags(except: Flags): Promise<Flags> {
  const compose = await registerComposeCommands(new Command('plumbline'), ['--help']);
  const longNames = (command: Command): string[] => command.options.flatMap(({ long }) => long ?? []);
  const flags = new Map([['compose', longNames(compose)]]);
  const globals = globalOptions().flatMap(({ long }) => long ?? []);
  for (const command of compose.commands) {
    if (command.name().startsWith('__')) continue;
    const shown = command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])));
    const named = [...shown, ...(except.get(command.name()) ?? [])];
    const implied = [...globals, ...shown.map((flag) => flag.replace('--', '--no-'))];
    flags.set(
      command.name(),
      longNames(command).filter((flag) => named.includes(flag) || !implied.includes(flag)),
    );
  }
  return flags;
}

/**
 * The flags that docker compose accepts and does not show in its help, read from the sources of its commands: those
 * that it marks as hidden, and other spellings that it replaces by the usual one.
 *
 * @param sources the folder of docker compose's `cmd/compose`
 */
export async function theirHiddenFlags(sources: string): Promise<Flags> {
  const flags = new Map<string, readonly string[]>();
  for (const file of await readdir(sources)) {
    const text = await readFile(path.join(sources, file), 'utf8');
    const hidden = [...text.matchAll(/\.MarkHidden\("([^"]+)"\)/g)].flatMap(([, flag]) => flag ?? []);
    const replaced = [...text.matchAll(/(?:name == |case )"([^"]+)"[^}]{0,200}?\bname = "/g)].flatMap(
      ([, flag]) => flag ?? [],
    );
    if (hidden.length + replaced.length === 0) continue;
    const command = file === 'compose.go' ? 'compose' : (/Use: +"([a-z]+)/.exec(text)?.[1] ?? file);
    flags.set(
      command,
      [...hidden, ...replaced].map((flag) => `--${flag}`),
    );
  }
  return flags;
}

/** @param program docker compose's standalone program */
export async function theirFlags(program: string): Promise<Flags> {
  const help = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)(program, [...words, '--help'], { env: { HOME: '/nonexistent' } })).stdout;
  const whole = await help();
  const flags = new Map([['compose', flagsIn(whole)]]);
  const names = [...whole.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].flatMap(([, name]) => name ?? []);
  await Promise.all(names.map(async (name) => flags.set(name, flagsIn(await help(name)))));
  return flags;
}

/** Every command has --dry-run, which is listed once, among the global ones. */
function flagsIn(help: string): string[] {
  const found = [...help.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].flatMap(([, flag]) => flag ?? []);
  const isGlobal = /^Commands:/m.test(help);
  return found.filter((flag) => isGlobal || flag !== '--dry-run').sort();
}
