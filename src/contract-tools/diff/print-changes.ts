import type { Change, ChangeClass, Side } from './change.js';
import { gravest, isDeclared, requiredVersion, type ContractChanges } from './versions.js';

const classes = ['breaking', 'additive', 'neutral'] as const satisfies readonly ChangeClass[];
const headings: Readonly<Record<Side, string>> = {
  contract: 'operations and documents',
  request: 'requests',
  reply: 'replies',
};

/**
 * Prints what changed in a contract: the counts, then each change below its side and class.
 *
 * @param listed the classes of which every change is printed; the others are only counted
 */
export function printChanges(contract: ContractChanges, listed: readonly ChangeClass[]): string {
  const { name, before, after, changes } = contract;
  const counts = classes.map((kind) => `${changes.filter((each) => each.class === kind).length} ${kind}`);
  const lines = [`${name}: version ${before} -> ${after}; ${counts.join(', ')}`];
  for (const side of ['contract', 'request', 'reply'] as const) {
    const shown = changes.filter((each) => each.side === side && listed.includes(each.class));
    if (shown.length === 0) continue;
    lines.push(`  ${headings[side]}`);
    for (const kind of classes) lines.push(...shown.filter((each) => each.class === kind).map(line));
  }
  if (!isDeclared(contract)) {
    const least = requiredVersion(before, gravest(changes));
    lines.push(`  The version must be at least ${least}: there is a change that is ${gravest(changes) ?? ''}.`);
  }
  return lines.join('\n');
}

function line({ class: kind, place, what }: Change): string {
  return `    ${kind.padEnd(8)} ${place === '' ? '' : `${place}: `}${what}`;
}
