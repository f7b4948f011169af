/**
 * `plumbline authors import`: stores which e-mails, logins and names belong to one person, and derives work units
 * again. `plumbline authors suggest` lists authors that are probably one person.
 */
import type { Command } from 'commander';
import type { SuggestionReason } from '../sync/work-units/authors/suggest-authors.js';
import type { DerivationResources } from '../sync/work-units/derivation/resources.js';
import { registerImportCommand } from './import-command.js';
import { UsageError } from './usage-error.js';
import type { WorkUnitOptions } from './work-units.js';

const HELP = `
The file is YAML:
  authors:
    - author: ada@example.com                   shown in the analytics
      also: [ada@old.example.com, ada, Ada L.]  other e-mails, logins and names of the same person

Authors of an earlier import are replaced, and "authors: []" removes all of them: records keep what their sources
say. The .mailmap of a repository and the noreply addresses of code hosts are followed without a file. Where syncs use a
rules file, give the same one here: units are derived again by it.`;

const SUGGEST_HELP = `
Two authors are suggested if they have the same name of several words, the same part of their addresses before the @ and
similar names, or if the login of one is the name of the other. What is merged already is not suggested. Look at each
entry, and add those that are right to the file that you import.

Example:
  plumbline authors suggest >suggested.yaml`;

export function registerAuthorsCommand(program: Command): void {
  const command = registerImportCommand(program, {
    name: 'authors',
    description: 'manage the authors of an organization',
    purpose: 'store the authors of a file, and assign work units to them',
    help: HELP,
    progress: 'deriving the work units of',
    load: async (file) => (await import('../sync/work-units/authors/authors-file.js')).loadAuthors(file),
    store: async (resources, authors, report) => {
      const { importAuthors } = await import('../sync/work-units/authors/import-authors.js');
      return importAuthors(resources, authors, report);
    },
    count: ({ length }) => length,
    listed: (authors) => authors.length,
  });
  command
    .command('suggest')
    .description('list authors that are probably one person, as entries of an authors file')
    .option('--limit <number>', 'the most pairs', '100')
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', SUGGEST_HELP)
    .action(async (options: SuggestOptions) => {
      const { reportingUsage, withDerivation } = await import('./work-units.js');
      await reportingUsage('authors suggest', () =>
        withDerivation(options, (resources) => suggest(resources, options)),
      );
    });
}

type SuggestOptions = WorkUnitOptions & { readonly limit: string; readonly json?: boolean };

async function suggest(resources: DerivationResources, { limit, json }: SuggestOptions): Promise<void> {
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw new UsageError('--limit must be a whole number from 1 to 9999');
  const { personsOf, suggestAuthors } = await import('../sync/work-units/authors/suggest-authors.js');
  const suggestions = await suggestAuthors(resources, Number(limit));
  if (json === true) {
    console.log(JSON.stringify({ suggestions }));
    return;
  }
  // JSON strings are strings of YAML, whatever characters a name has.
  const lines = personsOf(suggestions).flatMap(({ authors, reasons }) => {
    const [author = '', ...also] = authors.map((each) => JSON.stringify(each.author));
    const units = authors.map((each) => each.units).join(', ');
    return [
      `  # ${reasons.map((reason) => REASONS[reason]).join(', ')}; work units: ${units}`,
      `  - author: ${author}`,
      `    also: [${also.join(', ')}]`,
    ];
  });
  console.log(suggestions.length === 0 ? 'authors: []' : ['authors:', ...lines].join('\n'));
}

const REASONS: Readonly<Record<SuggestionReason, string>> = {
  same_name: 'same name',
  same_mailbox: 'same mailbox name, similar names',
  login_is_name: 'the login of one is the name of the other',
};
