/** Generated repositories, to try things out. */
import { matchesPattern } from '../../batch.js';
import { TARGETS } from '../../targets.js';
import type { ProviderDescription } from '../description.js';
import { isPattern, refusedPart, singlePart } from '../selections.js';

const DEFAULT_NAME = 'acme/demo-app';

export const synthetic: ProviderDescription<'synthetic', 'repoName' | 'seed'> = {
  name: 'synthetic',
  title: 'Made-up data',
  targets: TARGETS,
  options: {
    repoName: ['--repo-name <name>', `name of the generated repository (default: ${DEFAULT_NAME})`],
    seed: ['--seed <number>', 'seed of the generator; the same seed generates the same data (default: 1)'],
  },
  variable: null,
  tokens: null,
  example: 'acme/api\nacme/web-*',
  isGenerated: true,
  marks: { mentions: ['pull', 'squash', 'see'], hasAllReviews: true, hasAllFiles: true },

  select: ({ owner, repo, search, ...options }, _environment, report) => {
    const owned = owner !== undefined && repo !== undefined ? `${owner}/${repo}` : search;
    const name = options.repoName ?? owned ?? DEFAULT_NAME;
    if (isPattern(name)) report('synthetic makes up one repository: its name cannot be a pattern');
    const text = options.seed ?? '1';
    if (!/^\d{1,9}$/.test(text)) return report(`--seed must be a whole number; it is ${JSON.stringify(text)}`);
    const seed = Number(text);
    return {
      name,
      seed,
      open: async (request, dependencies) =>
        (await import('./open-synthetic.js')).openSynthetic(name, seed, request, dependencies),
    };
  },
  // A name without a pattern is used as it is.
  parts: (selected, { madeUp }) => {
    const names = isPattern(selected) ? madeUp.filter((name) => matchesPattern(selected, name)) : [selected];
    if (names.length === 0)
      throw refusedPart(selected, `matches none of the synthetic repositories: ${madeUp.join(', ')}`);
    return names.map((repoName) => singlePart(repoName, { repoName }));
  },
  names: ({ madeUp }) => madeUp,
};
