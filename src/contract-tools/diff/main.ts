/**
 * `npm run diff [-- [base] [--all] [--json]]`: compares the contracts of the working tree with those of a git revision,
 * by default the last release. Exits with 1 if a contract changed more than its version says, with 2 if nothing could
 * be compared. A clone without the last release is only a warning, unless CI is true: CI must not pass unchecked.
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

Exit codes: 0 the versions of the contracts declare all changes; 1 one of them does not; 2 nothing could be compared.
Without a base, a clone that lacks the last release exits with 0 and a warning, or with 2 if CI is true.`;

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
      return withoutRelease('The contracts were not compared with the last release: this is not a git checkout.');
    }
    const base = named === undefined ? await lastRelease(root) : { revision: named, origin: `revision ${named}` };
    if (named === undefined && !(await hasRevision(root, base.revision))) {
      return withoutRelease(
        `The contracts were not compared with ${base.origin}: this clone does not have it (git fetch --unshallow).`,
      );
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

/** @throws NoBase in CI; elsewhere the message is a warning */
function withoutRelease(message: string): number {
  if (process.env['CI'] === 'true') throw new NoBase(`${message} CI needs them to be compared.`);
  console.log(message);
  return 0;
}
