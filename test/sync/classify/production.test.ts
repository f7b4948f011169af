import { describe, expect, it } from 'vitest';
import { productionBy, usualProduction } from '../../../src/sync/work-units/classify/production.js';

describe('without rules of the organization', () => {
  it.each([
    'production',
    'Production',
    'prod',
    'prod-eu',
    'eu_prod',
    'prod1',
    'prd',
    'prd/eu',
    'live',
    'www',
    'github-pages',
    '',
  ])('the environment "%s" is production', (name) => {
    expect(usualProduction.includes(name)).toBe(true);
  });

  it.each([
    'staging', 'preview', 'product-search', 'olive', 'delivery', 'reproduction', 'eu-west-1', 'main', 'release',
    'pre-prod', 'pre-production', 'non-prod', 'prod-preview', 'staging-live', 'production-dr-test',
    'production/review/pr-12', 'Live (QA)',
  ])('the environment "%s" is not production', (name) => {
    expect(usualProduction.includes(name)).toBe(false);
  }); // prettier-ignore
});

describe('with the names of an organization', () => {
  const production = productionBy(['eu-*', 'WWW', 'pre-prod', '!*-test']);

  it.each(['eu-west-1', 'EU-north', 'www', 'pre-prod', ''])('the environment "%s" is production', (name) => {
    expect(production.includes(name)).toBe(true);
  });

  it.each(['production', 'us-east-1', 'eu-test', 'eu', 'www2'])('the environment "%s" is not production', (name) => {
    expect(production.includes(name)).toBe(false);
  });

  it('has another fingerprint with other names', () => {
    const fingerprints = [['a'], ['b'], ['a', '!b']].map((patterns) => productionBy(patterns).fingerprint);
    expect(new Set([...fingerprints, usualProduction.fingerprint]).size).toBe(4);
  });

  it('takes time in proportion to a hostile name', () => {
    const hostile = productionBy([`${'a*'.repeat(49)}b`]);
    expect(hostile.includes('a'.repeat(100_000))).toBe(false);
  });
});
