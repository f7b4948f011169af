import type { Command } from 'commander';
import type { DerivationResources } from '../sync/work-units/derivation/resources.js';
import type { WorkUnitOptions } from './work-units.js';

type ImportOptions = WorkUnitOptions & { readonly json?: boolean };

/** `plumbline <name> import <file>`: stores the entries of a file, and derives work units again. */
export interface ImportCommand<Content> {
  readonly name: string;
  readonly description: string;
  /** The description of `import`. */
  readonly purpose: string;
  readonly help: string;
  /** Printed before the name of each repository. */
  readonly progress: string;
  /** @throws FileError naming every problem of the file */
  readonly load: (file: string) => Promise<Content>;
  readonly store: (
    resources: DerivationResources,
    content: Content,
    report: (repository: string) => void,
  ) => Promise<{ readonly repositories: number; readonly workUnits: number }>;
  /** The value of `name` in the JSON output. */
  readonly listed: (content: Content) => unknown;
  /** The number of entries. */
  readonly count: (content: Content) => number;
}

/** @returns the command that has `import`, for further ones */
export function registerImportCommand<Content>(program: Command, command: ImportCommand<Content>): Command {
  const { name, description, purpose, help } = command;
  const parent = program.command(name).description(description);
  parent
    .command('import')
    .description(purpose)
    .argument('<file>', `${name} file`)
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (file: string, options: ImportOptions) => {
      const { reportingUsage } = await import('./work-units.js');
      await reportingUsage(`${name} import`, () => importFile(command, file, options));
    });
  return parent;
}

async function importFile<Content>(
  command: ImportCommand<Content>,
  file: string,
  options: ImportOptions,
): Promise<void> {
  const { name, progress, load, store, listed, count } = command;
  const { withDerivation } = await import('./work-units.js');
  const content = await load(file);
  await withDerivation(options, async (resources) => {
    const { repositories, workUnits } = await store(resources, content, (repository) => {
      console.error(`${progress} ${repository}`);
    });
    const summary = { org_id: resources.orgId, [name]: listed(content), repositories, work_units: workUnits };
    if (options.json === true) console.log(JSON.stringify(summary));
    else
      console.log(
        `${count(content)} ${name} of ${resources.orgId} stored; ${workUnits} work units of ${repositories} repositories derived again`,
      );
  });
}
