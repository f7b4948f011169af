/**
 * `plumbline authors import`: stores which e-mails, logins and names belong to one person, and derives work units
 * again.
 */
import type { Command } from 'commander';
import { registerImportCommand } from './import-command.js';

const HELP = `
The file is YAML:
  authors:
    - author: ada@example.com                   shown in the analytics
      also: [ada@old.example.com, ada, Ada L.]  other e-mails, logins and names of the same person

Authors of an earlier import are replaced, and "authors: []" removes all of them: records keep what their sources
say. The .mailmap of a repository and the noreply addresses of code hosts are followed without a file. Where syncs use a
rules file, give the same one here: units are derived again by it.`;

export function registerAuthorsCommand(program: Command): void {
  registerImportCommand(program, {
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
}
