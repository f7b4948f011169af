/** Every row of the trust table refuses some values, for want of the right allowance, and accepts others. */
import { describe, expect, it } from 'vitest';
import { ComposeFailure } from '../../../../src/compose/model/errors.js';
import { parseYaml } from '../../../../src/compose/model/loader/parse.js';
import type { Json } from '../../../../src/compose/model/node.js';
import { allowanceNames, isAllowance } from '../../../../src/compose/service/trust/allowances.js';
import { DECISIONS } from '../../../../src/compose/service/trust/decisions.js';
import { requireAllowed } from '../../../../src/compose/service/trust/trust.js';
import { DIRECTORY, ROW_VALUES } from './row-values.js';

/** The rows that do not allow their key for all values. */
const conditionalRows = Object.entries(DECISIONS).flatMap(([row, decision]) => (decision === 'allowed' ? [] : row));

/** What a file gets that has the value in the place of the row, and nothing else. */
function verdict(row: string, value: Json, allowances: readonly string[]): string {
  const keys = row.split('.').map((part) => (part === '*' ? 'one' : part));
  const file = keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  try {
    for (const model of parseYaml(JSON.stringify(file), 'compose.yaml')) {
      requireAllowed(model, { allowances: new Set(allowances.filter(isAllowance)), directory: DIRECTORY });
    }
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ComposeFailure) || error.case !== 'notAllowed') throw error;
    expect(error.fields['path']).toEqual(keys);
    return `needs ${String(error.fields['allowance'])}`;
  }
}

it('every row of the table has values here, and no other place has', () => {
  expect(Object.keys(ROW_VALUES).sort()).toEqual([...conditionalRows].sort());
});

describe.each(conditionalRows)('%s', (row) => {
  const { refused, accepted } = ROW_VALUES[row] ?? { refused: [], accepted: [] };
  const refusals = refused.flatMap(([need, ...values]) => values.map((value) => ({ value, need })));
  /** What the rows above this one need, so that a project gets to it. */
  const needsAbove = conditionalRows
    .filter((above) => row.startsWith(`${above}.`))
    .flatMap((above) => ROW_VALUES[above]?.refused.map(([need]) => need) ?? []);

  it('refuses values although the operator allows all other classes', () => {
    expect(refusals).not.toEqual([]);
    for (const { value, need } of refusals) {
      const others = allowanceNames.filter((name) => name !== need);
      expect([value, verdict(row, value, others)]).toEqual([value, `needs ${need === 'never' ? 'none' : need}`]);
    }
  });

  it('accepts these values where the operator allows their class', () => {
    for (const { value, need } of refusals) {
      if (need !== 'never') {
        expect([value, verdict(row, value, [...needsAbove, need])]).toEqual([value, 'accepted']);
      }
    }
  });

  it(accepted === 'no value' ? 'accepts no value' : 'accepts other values without an allowance', () => {
    const values = accepted === 'no value' ? ['', 'x', 0, false, [[]], {}] : accepted;
    expect(values).not.toEqual([]);
    for (const value of values) {
      const outcome = verdict(row, value, needsAbove);
      expect([value, outcome === 'accepted']).toEqual([value, accepted !== 'no value']);
    }
  });
});
