import { describe, expect, it } from 'vitest';
import { deliveryRulesBy, usualDelivery } from '../../../../src/sync/work-units/classify/delivery-rules.js';
import { ChangeFailures } from '../../../../src/sync/work-units/derivation/change-failures.js';
import { textOf } from '../../../../src/sync/work-units/row-values.js';
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
  const failures = new ChangeFailures(rows, [begin], usualDelivery);
  expect({ first: failures.of('first'), second: failures.of('second') }).toEqual(expected);
});

it('says nothing of deployments that did not reach production', () => {
  const failures = new ChangeFailures(rows, [at(20)], usualDelivery);
  expect([failures.of('staged'), failures.of('broken'), failures.of('unknown')]).toEqual([null, null, null]);
});

describe('a deployment of older code', () => {
  const deployed = [
    deploymentRow('first', { started_at: at(0), deployed_at: at(1), committed_at: at(-3) }),
    deploymentRow('second', { started_at: at(2), deployed_at: at(3), committed_at: at(1.5) }),
    deploymentRow('back', { started_at: at(4), deployed_at: at(5), committed_at: at(-3) }),
    deploymentRow('unknown', { started_at: at(6), deployed_at: at(7), committed_at: null }),
    deploymentRow('third', { started_at: at(8), deployed_at: at(9), committed_at: at(7.5) }),
  ];
  const failed = (failures: readonly string[] | null): readonly string[] => {
    const delivery = deliveryRulesBy({ production: null, incidents: null, failures });
    const found = new ChangeFailures(deployed, [], delivery);
    return deployed.map((row) => textOf(row, 'deployment_id')).filter((id) => found.of(id));
  };

  it('shows that the one before failed, if the organization counts rollbacks', () => {
    expect(failed(['deployment:rollback'])).toEqual(['second']);
  });

  it('says nothing otherwise', () => {
    expect(failed(null)).toEqual([]);
    expect(failed(['hotfix'])).toEqual([]);
  });
});
