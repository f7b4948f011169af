/** `plumbline authors import`: stores which e-mails, logins and names are one person, and derives work units by it. */
import type { Command } from 'commander';
import type { WorkUnitOptions } from './work-units.js';

const HELP = `
The file is YAML:
  authors:
    - author: ada@example.com                   what the analytics show
      also: [ada@old.example.com, ada, Ada L.]  other e-mails, logins and names of the same person

Authors of an earlier import are replaced, and "authors: []" takes all of them back: records keep what their sources
say. The .mailmap of a repository and the noreply addresses of code hosts are followed without a file. Where syncs use a
rules file, give the same one here: units are derived again by it.`;

export function registerAuthorsCommand(program: Command): void {
  program
    .command('authors')
    .description('manage the authors of an organization')
    .command('import')
    .description('store the authors of a file, and give work units to them')
    .argument('<file>', 'authors file')
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string, options: WorkUnitOptions & { readonly json?: boolean }) => {
      const { reportingUsage } = await import('./work-units.js');
      await reportingUsage('authors import', () => importFile(file, options));
    });
}

async function importFile(file: string, options: WorkUnitOptions & { readonly json?: boolean }): Promise<void> {
  const { withDeriver } = await import('./work-units.js');
  const { loadAuthors } = await import('../sync/work-units/authors/authors-file.js');
  const { importAuthors } = await import('../sync/work-units/authors/import-authors.js');
  const authors = await loadAuthors(file);
  await withDeriver(options, async (deriver) => {
    const { repositories, workUnits } = await importAuthors(deriver, authors, (name) => {
      console.error(`deriving the work units of ${name}`);
    });
    const summary = { org_id: deriver.orgId, authors: authors.length, repositories, work_units: workUnits };
    if (options.json === true) console.log(JSON.stringify(summary));
    else
      console.log(
        `${authors.length} authors of ${deriver.orgId} stored; ${workUnits} work units of ${repositories} repositories derived again`,
      );
  });
}
