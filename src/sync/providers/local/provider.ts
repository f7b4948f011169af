/** A clone on this machine, read with the git program. */
import { basename, resolve } from 'node:path';
import type { ProviderDescription } from '../description.js';
import { singlePart } from '../selections.js';

export const local: ProviderDescription<'local', 'repoPath'> = {
  name: 'local',
  title: 'Repositories on the server',
  // A clone has its history, but no pipelines, deployments, incidents or issues.
  targets: ['git', 'prs', 'blame'],
  options: { repoPath: ['--repo-path <path>', 'clone to read (default: REPO_PATH, else .)'] },
  variable: ['REPO_PATH', '.', 'clone to read, unless --repo-path is set'],
  tokens: null,
  example: 'api\nweb',
  // A clone detects merged requests by their merge commits; `(#12)` is then more often an issue.
  marks: { mentions: ['pull', 'see'] },

  select: (options, { variable }, report) => {
    if (options.search !== undefined) return report('--search is for code hosts: a local sync reads one --repo-path');
    const path = resolve(options.repoPath ?? variable ?? '.');
    return {
      name: basename(path),
      open: async (request, dependencies) => (await import('./open-local.js')).openLocal(path, request, dependencies),
    };
  },
  parts: async (selected, { localRoot }) => {
    const found = await (await import('./folders.js')).foldersFor(selected, localRoot);
    return found.map(({ name, path }) => singlePart(name, { repoPath: path }));
  },
  names: async ({ localRoot }) => (await import('./folders.js')).repositoriesBelow(localRoot),
};
