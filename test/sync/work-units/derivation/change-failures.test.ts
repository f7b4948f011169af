import { expect, it } from 'vitest';
import { usualProduction } from '../../../../src/sync/work-units/classify/production.js';
import { ChangeFailures } from '../../../../src/sync/work-units/derivation/change-failures.js';
import { NOW } from '../../harness.js';
import { deploymentRow, HOUR } from './deriving.js';

const at = (hours: number): number => NOW + hours * HOUR;
const rows = [
  deploymentRow('first', { started_at: at(0), deployed_at: at(1) }),
  deploymentRow('second', { started_at: at(9), deployed_at: at(10) }),
  deploymentRow('staged', { started_at: at(11), deployed_at: at(12), environment: 'staging' }),
  deploymentRow('broken', { started_at: at(13), deployed_at: null }),
];

it.each([
  ['before any deployment', at(0.5), { first: false, second: false }],
  ['after the first', at(9.5), { first: true, second: false }],
  ['at the moment of the second', at(10), { first: false, second: true }],
  ['after ones that did not reach production', at(20), { first: false, second: true }],
])('an incident %s counts against the latest deployment to production', (_when, begin, expected) => {
  const failures = new ChangeFailures(rows, [begin], usualProduction);
  expect({ first: failures.of('first'), second: failures.of('second') }).toEqual(expected);
});

it('says nothing of deployments that did not reach production', () => {
  const failures = new ChangeFailures(rows, [at(20)], usualProduction);
  expect([failures.of('staged'), failures.of('broken'), failures.of('unknown')]).toEqual([null, null, null]);
});
