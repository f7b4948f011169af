import { isDeepStrictEqual } from 'node:util';
import { entries, record, resolve } from '../documents.js';

/** Alternatives of two versions of a schema, brought together. */
export interface Matched {
  readonly pairs: readonly (readonly [unknown, unknown])[];
  /** The names of those without a partner. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * Finds for each alternative the one that it became: the equal one, else the one of the same name, else the one with
 * the same constants, else, where one is left on both sides, that one.
 */
export function matchBranches(
  documents: { readonly before: unknown; readonly after: unknown },
  before: readonly unknown[],
  after: readonly unknown[],
): Matched {
  const old = before.map((raw) => describe(documents.before, raw));
  const left = after.map((raw) => describe(documents.after, raw));
  const pairs: (readonly [unknown, unknown])[] = [];
  const tests: ((a: Branch, b: Branch) => boolean)[] = [
    (a, b) => a.name !== '' && a.name === b.name,
    (a, b) => isDeepStrictEqual(a.schema, b.schema),
    (a, b) => a.constants.length > 0 && isDeepStrictEqual(a.constants, b.constants),
    (a, b) => a.constants.length === 0 && b.constants.length === 0 && isDeepStrictEqual(a.type, b.type),
    () => old.length === 1 && left.length === 1 && before.length === after.length,
  ];
  for (const test of tests) {
    for (const branch of [...old]) {
      const partner = left.find((each) => test(branch, each));
      if (partner === undefined) continue;
      pairs.push([branch.raw, partner.raw]);
      old.splice(old.indexOf(branch), 1);
      left.splice(left.indexOf(partner), 1);
    }
  }
  return { pairs, removed: old.map(nameOf), added: left.map(nameOf) };
}

interface Branch {
  readonly raw: unknown;
  readonly schema: unknown;
  /** The last segment of its `$ref`, or its title; empty without. */
  readonly name: string;
  /** Properties with a constant, such as `kind`, that distinguish alternatives. */
  readonly constants: readonly string[];
  readonly type: unknown;
}

function describe(document: unknown, raw: unknown): Branch {
  const schema = record(resolve(document, raw));
  const reference = record(raw)['$ref'];
  const constants = Object.entries(record(schema['properties'])).flatMap(([name, each]) => {
    const property = record(resolve(document, each));
    const values = property['const'] === undefined ? entries(property['enum']) : [property['const']];
    return values.length === 1 ? [`${name} ${JSON.stringify(values[0])}`] : [];
  });
  const title = typeof schema['title'] === 'string' ? schema['title'] : '';
  const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : title;
  return { raw, schema, name, constants, type: schema['type'] };
}

function nameOf({ name, constants, type, schema }: Branch): string {
  if (name !== '') return name;
  if (constants.length > 0) return `with ${constants.join(', ')}`;
  return typeof type === 'string' ? type : JSON.stringify(schema).slice(0, 60);
}
