/** A decision for every key of the specification. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ALLOWANCES, isAllowance } from '../../../../src/compose/service/trust/allowances.js';
import { DECISIONS } from '../../../../src/compose/service/trust/decisions.js';
import { publishedKeyPaths, readSpecification, skipReason, type Schema } from '../../model/schema/specification.js';

const schema = readSpecification();

/** The place of a key as decisions have it. A key that is refused as a whole decides for what is inside. */
function isDecided(path: readonly (string | number)[], specification: Schema): boolean {
  const place = path.map((part) => (typeof part === 'number' || part === 'name' ? '*' : part));
  if (path.at(-1) === 'name' && isKey(path, specification)) place[place.length - 1] = 'name';
  const own = DECISIONS[place.join('.')];
  if (own !== undefined) return true;
  return place.some((_, length) => {
    const above = DECISIONS[place.slice(0, length).join('.')];
    return above !== undefined && above !== 'allowed';
  });
}

/** Names that authors choose stand as `name`, which is a key of some mappings as well. */
function isKey(path: readonly (string | number)[], specification: Schema): boolean {
  return publishedKeyPaths(specification).some((one) => one.join('.') === path.join('.'));
}

describe('the trust decisions for projects that are sent', () => {
  it.skipIf(schema === undefined)(`exist for every key of the specification${skipReason(schema)}`, () => {
    const specification = schema ?? {};
    const paths = publishedKeyPaths(specification);
    expect(paths.length).toBeGreaterThan(300);
    expect(paths.filter((path) => !isDecided(path, specification)).map((path) => path.join('.'))).toEqual([]);
  });

  it.skipIf(schema === undefined)(`report a new key of the specification as undecided${skipReason(schema)}`, () => {
    expect(isDecided(['services', 'name', 'brand_new'], schema ?? {})).toBe(false);
    expect(isDecided(['services', 'name', 'healthcheck', 'brand_new'], schema ?? {})).toBe(false);
  });

  it('have a reason for every refused key', () => {
    for (const decision of Object.values(DECISIONS)) {
      if (decision !== 'allowed') expect(decision.reason).toMatch(/^[a-z]/);
    }
    expect(isAllowance('everything')).toBe(false);
  });
});

it('list every class of allowances in TRUST.md, with the text of the help', async () => {
  const page = (await readFile('src/compose/TRUST.md', 'utf8')).replaceAll(/ +/g, ' ');
  for (const [name, meaning] of Object.entries(ALLOWANCES)) expect(page).toContain(`| \`${name}\` | ${meaning} |`);
});
