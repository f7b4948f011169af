/** version. */
import { Option, type Command } from 'commander';
import { define } from '../command.js';
import type { Io } from '../io.js';

/** @param version of the product */
export function versionCommand(compose: Command, io: Io, version: string): void {
  define<{ short?: boolean; format: 'text' | 'json' }>(compose, io, {
    usage: 'version',
    description: 'print the version',
    remote: 'here',
    options: (command) =>
      command
        .option('--short', 'the number only')
        .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text')),
    run: async (session, _args, { short, format }) => {
      if (format === 'json') await session.printJson({ version });
      else await session.print(short === true ? `${version}\n` : `Plumbline Compose version ${version}\n`);
      return 0;
    },
  });
}
