import { isFailure, type JudgedSurface, type JudgedUnit, type Mark, type Verdict } from './judge.js';
import { separator } from './exceptions.js';

/** The sign that stands before a unit. */
export const signs: Readonly<Record<Mark, string>> = {
  seen: '✓',
  excepted: '–',
  missing: '✗',
  undocumented: '!',
  'needlessly excepted': '!',
};

/** Units under what they have in common, two levels deep: for REST, operation and status. */
export type Groups = ReadonlyMap<string, ReadonlyMap<string, readonly JudgedUnit[]>>;

/** Groups the units of a surface, in the order of the contract. */
export function group(units: readonly JudgedUnit[]): Groups {
  const groups = new Map<string, Map<string, JudgedUnit[]>>();
  for (const judged of units) {
    const [first = '', second = ''] = judged.unit;
    const inner = groups.get(first) ?? new Map<string, JudgedUnit[]>();
    groups.set(first, inner);
    inner.set(second, [...(inner.get(second) ?? []), judged]);
  }
  return groups;
}

/** What is left of a unit's name below the groups. */
export function nameBelowGroups({ unit }: JudgedUnit): string {
  return unit.slice(2).join(' ');
}

/** Prints the verdict for a terminal: the tree, then everything that fails, then the sum. */
export function printTree(verdict: Verdict): string {
  const lines = verdict.surfaces.flatMap((surface) => ['', ...printSurface(surface)]);
  const failures = failuresOf(verdict);
  if (failures.length > 0) lines.push('', 'What fails:', ...failures.map((each) => `  ${each}`));
  lines.push(
    '',
    ...verdict.surfaces.map(summary),
    verdict.passed ? 'The contract gate is green.' : 'The contract gate is RED.',
  );
  return lines.join('\n');
}

/** Everything that fails, a line each. */
export function failuresOf({ surfaces, staleExceptions }: Verdict): string[] {
  const stale = staleExceptions.map(({ surface, unit }) => [surface, ...unit].join(separator));
  return [...surfaces.flatMap(printFailures), ...stale.map((each) => `stale exception, nothing documents it: ${each}`)];
}

/** How much of a surface was seen, in one line. */
export function summary({ name, units }: JudgedSurface): string {
  const count = (mark: Mark): number => units.filter((each) => each.mark === mark).length;
  const documented = units.length - count('undocumented');
  const share = documented === 0 ? 100 : Math.floor((count('seen') / documented) * 1000) / 10;
  const excepted = count('excepted') > 0 ? `, ${count('excepted')} excepted` : '';
  return `${name}: ${count('seen')} of ${documented} documented units seen (${share} %)${excepted}`;
}

function printSurface({ name, units }: JudgedSurface): string[] {
  const lines = [name];
  for (const [first, inner] of group(units)) {
    const all = [...inner.values()].flat();
    lines.push(`  ${worst(all)} ${first}`);
    for (const [second, below] of inner) {
      if (second === '') continue;
      lines.push(`    ${[second, ...below.map((each) => `${signs[each.mark]} ${nameBelowGroups(each)}`)].join('  ')}`);
    }
  }
  return lines;
}

function printFailures({ name, units, faults }: JudgedSurface): string[] {
  const failing = units.filter(({ mark }) => isFailure(mark));
  return [
    ...failing.map(({ unit, mark }) => `${mark}: ${[name, ...unit].join(separator)}`),
    ...faults.map((fault) => `not as documented: ${name}: ${fault}`),
  ];
}

/** The sign of a group: that of its first failure, else seen. */
function worst(units: readonly JudgedUnit[]): string {
  const failing = units.find(({ mark }) => isFailure(mark));
  if (failing !== undefined) return signs[failing.mark];
  return signs[units.every(({ mark }) => mark === 'excepted') ? 'excepted' : 'seen'];
}
