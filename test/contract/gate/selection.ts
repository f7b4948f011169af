import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { record } from '../../../src/contract-tools/documents.js';
import { separator } from '../../../src/contract-tools/gate/exceptions.js';
import { isFailure, type JudgedSurface, type Verdict } from '../../../src/contract-tools/gate/judge.js';
import { summary } from '../../../src/contract-tools/gate/tree.js';

/** The most lines that are printed of what fails. */
const mostLines = 60;

/**
 * The operations that are asked for, by id and by tag.
 *
 * @param apis names of the contracts
 * @throws Error when no contract has an operation or a tag
 */
export function operationsAskedFor(
  root: string,
  apis: readonly string[],
  { operations, tags }: { readonly operations: readonly string[]; readonly tags: readonly string[] },
): ReadonlySet<string> {
  const all = apis.flatMap((api) => operationsOf(join(root, 'generated', api, 'openapi.json')));
  for (const id of operations)
    if (!all.some((each) => each.id === id)) throw new Error(`no contract has an operation ${id}`);
  for (const tag of tags)
    if (!all.some((each) => each.tags.includes(tag))) throw new Error(`no contract has a tag ${tag}`);
  const tagged = all.filter((each) => each.tags.some((tag) => tags.includes(tag)));
  return new Set([...operations, ...tagged.map(({ id }) => id)]);
}

/** What a verdict says of some operations alone. Faults do not name their operation, so all of them count. */
export function selected(verdict: Verdict, operations: ReadonlySet<string>): Verdict {
  const surfaces = verdict.surfaces
    .map((surface): JudgedSurface => ({
      ...surface,
      units: surface.units.filter(({ unit }) => operations.has(unit[0] ?? '')),
    }))
    .filter(({ units }) => units.length > 0);
  const passed = surfaces.every(
    ({ units, faults }) => faults.length === 0 && units.every(({ mark }) => !isFailure(mark)),
  );
  return { surfaces, staleExceptions: [], passed };
}

/** Prints what fails, in at most 60 lines, and the sums. */
export function printFailing({ surfaces, staleExceptions, passed }: Verdict): string {
  const failing = surfaces.flatMap(({ name, units, faults }) => [
    ...units
      .filter(({ mark }) => isFailure(mark))
      .map(({ unit, mark }) => `${mark}: ${[name, ...unit].join(separator)}`),
    ...faults.map((fault) => `not as documented: ${name}: ${fault}`),
  ]);
  for (const { surface, unit } of staleExceptions)
    failing.push(`stale exception: ${[surface, ...unit].join(separator)}`);
  const shown = failing.slice(0, mostLines);
  const rest = failing.length - shown.length;
  return [
    ...shown,
    ...(rest > 0 ? [`and ${rest} more; the page has all of them`] : []),
    ...surfaces.map(summary),
    passed ? 'The contract gate is green.' : 'The contract gate is RED.',
  ].join('\n');
}

function operationsOf(path: string): { readonly id: string; readonly tags: readonly string[] }[] {
  const items = Object.values(record(record(JSON.parse(readFileSync(path, 'utf8')))['paths']));
  return items.flatMap((item) =>
    Object.values(record(item)).flatMap((value) => {
      const { operationId, tags } = typeof value === 'object' && !Array.isArray(value) ? record(value) : {};
      return typeof operationId === 'string' ? [{ id: operationId, tags: [tags].flat().map(String) }] : [];
    }),
  );
}
