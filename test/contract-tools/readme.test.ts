import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { registerContractTools } from '../../src/contract-tools/commands.js';

const program = new Command();
registerContractTools(program);

test.each(program.commands.map((command) => [command.name(), command] as const))(
  'the README lists the options and the exit codes of %s',
  (name, command) => {
    const readme = readFileSync(`src/contract-tools/${name}/README.md`, 'utf8');
    const table = readme.split(`<!-- options ${name} -->`)[1]?.split(`<!-- /options ${name} -->`)[0] ?? '';
    const listed = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, flags]) => flags);
    expect(listed).toEqual(command.options.map(({ flags }) => flags));
    const help: string[] = [];
    command.configureOutput({ writeOut: (text) => help.push(text) }).outputHelp();
    const codes = /Exit codes: [\s\S]*?\.\n/.exec(help.join(''))?.[0].replaceAll(/\s+/g, ' ').trim();
    expect(codes).toBeDefined();
    expect(readme.replaceAll(/\s+/g, ' ')).toContain(codes);
  },
);
