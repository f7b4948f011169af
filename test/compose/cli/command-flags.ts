/** The commands and flags of both tools, for the table of src/compose/COMMANDS.md. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { globalOptions } from '../../../src/compose/cli/command.js';
import { registerComposeCommands } from '../../../src/compose/cli/register.js';

/** Long names of flags by command; `compose` has the global ones. */
export type Flags = ReadonlyMap<string, readonly string[]>;

/** Those that the help shows. */
export async function ourFlags(): Promise<Flags> {
  const compose = await registerComposeCommands(new Command('plumbline'), ['--help']);
  const flags = new Map([['compose', globalOptions().flatMap(({ long }) => long ?? [])]]);
  for (const command of compose.commands) {
    if (command.name().startsWith('__')) continue;
    const shown = command.options.filter(({ hidden }) => !hidden);
    flags.set(command.name(), shown.flatMap(({ long }) => long ?? []).sort());
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
