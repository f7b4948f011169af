/**
 * `npm run diff [-- [base] [--all] [--json]]`: compares the contracts of the working tree with those of a git revision,
 * by default the last release. Exits with 1 if a contract changed more than its version says, with 2 if nothing could
 * be compared.
 */
import { parseArgs } from 'node:util';
import { compareContracts } from './compare-contracts.js';
import { printChanges } from './print-changes.js';
import { filesAt, hasRevision, isCheckout, lastRelease, NoBase, workingTree } from './revision.js';
import { isDeclared } from './versions.js';

const usage = `Usage: npm run diff -- [base] [options]

Compares the contracts with those of a git revision, and classifies each change as breaking, additive or neutral.

  base         commit, tag or branch (default: the last release)
  --all        list neutral changes too
  --brief      list only what the versions do not declare
  --json       print one JSON object
  --help       print this

Exit codes: 0 the versions of the contracts declare all changes; 1 one of them does not; 2 nothing could be compared.`;

process.exitCode = await main(process.cwd());

async function main(root: string): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        brief: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      return 0;
    }
    const [named] = positionals;
    if (named === undefined && !(await isCheckout(root))) {
      console.log('The contracts were not compared with the last release: this is not a git checkout.');
      return 0;
    }
    const base = named === undefined ? await lastRelease(root) : { revision: named, origin: `revision ${named}` };
    if (named === undefined && !(await hasRevision(root, base.revision))) {
      console.log(
        `The contracts were not compared with ${base.origin}: this clone does not have it (git fetch --unshallow).`,
      );
      return 0;
    }
    const contracts = await compareContracts(await filesAt(root, base.revision), workingTree(root));
    if (values.json) console.log(JSON.stringify({ base, contracts }, null, 2));
    else {
      console.log(`Contracts, compared with ${base.origin}:`);
      for (const contract of contracts) {
        const brief = values.brief && isDeclared(contract);
        console.log(
          printChanges(
            contract,
            values.all ? ['breaking', 'additive', 'neutral'] : brief ? [] : ['breaking', 'additive'],
          ),
        );
      }
    }
    return contracts.every(isDeclared) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NoBase) && !(error instanceof TypeError && 'code' in error)) throw error;
    console.error(`${error.message}\n${error instanceof NoBase ? '' : usage}`.trim());
    return 2;
  }
}
