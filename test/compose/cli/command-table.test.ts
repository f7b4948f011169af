/** src/compose/COMMANDS.md is true: of our commands, and of docker compose's where it is built. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ourFlags, theirFlags, theirHiddenFlags, type Flags } from './command-flags.js';
import { sourcesBeside, theirProgram } from './docker-compose-program.js';

interface Row {
  readonly command: string;
  readonly isTheirs: boolean;
  readonly isOurs: boolean;
  readonly both: readonly string[];
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
}

const text = await readFile('src/compose/COMMANDS.md', 'utf8');
const rows = cellsOf('flags').map(([name = '', both = '', theirs = '', ours = '']): Row => ({
  command: wordsOf(name)[0] ?? '',
  isTheirs: !name.includes('only here'),
  isOurs: !name.includes('docker compose only'),
  both: wordsOf(both),
  theirs: wordsOf(theirs),
  ours: wordsOf(ours),
}));

/** Flags of both that no help shows, by command. */
const hidden = flagsOf('hidden');
/** Flags that docker compose has from the library of the Docker CLI, and not from its own sources. */
const docker = flagsOf('docker');
const hiddenOf = (command: string): readonly string[] => [
  ...(hidden.get(command) ?? []),
  ...(docker.get(command) ?? []),
];

const { program, missing } = await theirProgram();

describe('the table of commands', () => {
  it('has all our commands and flags', async () => {
    const listed = new Map(
      rows
        .filter(({ isOurs }) => isOurs)
        .map(({ command, both, ours }) => [command, [...both, ...ours, ...hiddenOf(command)]]),
    );
    expect(sorted(listed)).toEqual(sorted(await ourFlags(hidden)));
  });

  it.skipIf(missing !== undefined)(
    `has all those of docker compose${missing ? ` (skipped: ${missing})` : ''}`,
    async () => {
      const listed = new Map(
        rows
          .filter(({ isTheirs }) => isTheirs)
          .map(({ command, both, theirs }) => [command, plain([...both, ...theirs])]),
      );
      const actual = [...(await theirFlags(program ?? ''))].map(([command, flags]) => [command, plain(flags)] as const);
      expect(sorted(listed)).toEqual(sorted(new Map(actual)));
    },
  );

  it.skipIf(missing !== undefined)(
    `has all hidden flags of docker compose${missing ? ` (skipped: ${missing})` : ''}`,
    async () => {
      const actual = await theirHiddenFlags(sourcesBeside(program ?? ''));
      expect(actual.size).toBeGreaterThan(5);
      expect(sorted(actual)).toEqual(sorted(hidden));
    },
  );

  it('gives a reason for each command and flag that is missing', () => {
    const missing = rows.flatMap(({ command, isOurs, theirs }) =>
      isOurs ? theirs.map((flag) => `${command} ${flag}`) : [command],
    );
    const explained = cellsOf('reasons').filter(([, why = '']) => why.trim() !== '');
    expect(explained.map(([name = '']) => name.replaceAll('`', '').trim()).sort()).toEqual(missing.sort());
  });
});

function flagsOf(table: string): Flags {
  return new Map(cellsOf(table).map(([name = '', flags = '']) => [wordsOf(name)[0] ?? '', wordsOf(flags)]));
}

/** The cells of a table between two comments, without its head. */
function cellsOf(name: string): string[][] {
  const table = new RegExp(`<!-- ${name} -->(.*)<!-- /${name} -->`, 's').exec(text)?.[1] ?? '';
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => line.split('|').slice(1, -1));
}

function wordsOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, word]) => word ?? []);
}

/** A flag and its negation are one. */
function plain(flags: readonly string[]): string[] {
  return [...new Set(flags.map((flag) => flag.replace(/^--no-/, '--')))].sort();
}

function sorted(flags: Flags): Record<string, readonly string[]> {
  return Object.fromEntries(
    [...flags].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, all]) => [name, [...all].sort()]),
  );
}
