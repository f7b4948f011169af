import { Option, type Command } from 'commander';
import { define } from '../command.js';
import { describe } from '../failures.js';
import type { Io } from '../io.js';
import type { Session } from '../session.js';

/** `text` is an older name of `pretty`. */
type Format = 'pretty' | 'text' | 'json';

/** @param version of the product */
export function versionCommand(compose: Command, io: Io, version: string): void {
  define<{ short?: boolean; format: Format }>(compose, io, {
    usage: 'version',
    description: 'print the version',
    remote: 'here',
    options: (command) =>
      command
        .option('--short', 'print only the version number')
        .addOption(
          new Option('-f, --format <format>', 'output format').choices(['pretty', 'json', 'text']).default('pretty'),
        ),
    run: async (session, _args, { short, format }) => {
      if (short === true && format !== 'json') await session.print(`${version}\n`);
      else await printWithEngine(session, version, format);
      return 0;
    },
  });
}

/** If no engine is available, prints the reason. */
async function printWithEngine(session: Session, version: string, format: Format): Promise<void> {
  try {
    const { conformer, place, source } = await session.engine();
    if (format === 'json') await session.printJson({ version, engine: { backend: conformer, place, source } });
    else await session.print(`Plumbline Compose version ${version}\nEngine: ${place} (${conformer}), ${source}\n`);
  } catch (error) {
    const reason = describe(error);
    if (format === 'json') await session.printJson({ version, engine: { error: reason } });
    else await session.print(`Plumbline Compose version ${version}\nEngine: none. ${reason}\n`);
  }
}
