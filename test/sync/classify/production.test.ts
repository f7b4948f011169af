import { describe, expect, it } from 'vitest';
import { productionBy, usualProduction, type DeployedTo } from '../../../src/sync/work-units/classify/production.js';

function to(environment: string, others: Partial<DeployedTo> = {}): DeployedTo {
  return { environment, tier: null, branch: null, job: null, ...others };
}

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
    expect(usualProduction.includes(to(name))).toBe(true);
  });

  it.each([
    'staging', 'preview', 'product-search', 'olive', 'delivery', 'reproduction', 'eu-west-1', 'main', 'release',
    'pre-prod', 'pre-production', 'non-prod', 'prod-preview', 'staging-live', 'production-dr-test',
    'production/review/pr-12', 'Live (QA)',
  ])('the environment "%s" is not production', (name) => {
    expect(usualProduction.includes(to(name))).toBe(false);
  }); // prettier-ignore
});

describe('with the names of an organization', () => {
  const production = productionBy(['eu-*', 'WWW', 'pre-prod', '!*-test']);

  it.each(['eu-west-1', 'EU-north', 'www', 'pre-prod', ''])('the environment "%s" is production', (name) => {
    expect(production.includes(to(name))).toBe(true);
  });

  it.each(['production', 'us-east-1', 'eu-test', 'eu', 'www2'])('the environment "%s" is not production', (name) => {
    expect(production.includes(to(name))).toBe(false);
  });

  it('has another fingerprint with other names', () => {
    const fingerprints = [['a'], ['b'], ['a', '!b']].map((patterns) => productionBy(patterns).fingerprint);
    expect(new Set([...fingerprints, usualProduction.fingerprint]).size).toBe(4);
  });

  it('takes time in proportion to a hostile name', () => {
    const hostile = productionBy([`${'a*'.repeat(49)}b`]);
    expect(hostile.includes(to('a'.repeat(100_000)))).toBe(false);
  });
});

describe('the tier of the host', () => {
  it.each([
    ['eu-west-1', 'production', true],
    ['production', 'staging', false],
    ['prod-like', 'development', false],
    ['www', 'other', true],
    ['eu-west-1', 'other', false],
  ])('decides before the name: "%s" of the tier %s', (environment, tier, expected) => {
    expect(usualProduction.includes(to(environment, { tier }))).toBe(expected);
  });
});

describe('with tiers, branches and jobs of an organization', () => {
  const production = productionBy([
    'live',
    'tier:production',
    'branch: release/*',
    'job:deploy-*',
    '!branch:*-rc',
    '!qa',
  ]);

  it.each<[string, Partial<DeployedTo>, boolean]>([
    ['live', {}, true],
    ['eu', { tier: 'production' }, true],
    ['eu', { tier: 'testing' }, false],
    ['eu', { branch: 'release/2' }, true],
    ['eu', { branch: 'Release/2' }, true],
    ['eu', { branch: 'release/2-rc' }, false],
    ['eu', { branch: 'main' }, false],
    ['eu', { job: 'deploy-eu' }, true],
    ['qa', { job: 'deploy-eu' }, false],
    ['', {}, false],
    ['', { branch: 'release/2' }, true],
  ])('a deployment to "%s" with %o is to production: %s', (environment, others, expected) => {
    expect(production.includes(to(environment, others))).toBe(expected);
  });

  it('includes environments without a name if it names no others, but for the exceptions', () => {
    const named = productionBy(['live', '!branch:try/*']);
    expect(named.includes(to('', { branch: 'main' }))).toBe(true);
    expect(named.includes(to('', { branch: 'try/it' }))).toBe(false);
  });

  it('says what it depends on', () => {
    expect(production.dependsOn).toEqual(['tier', 'branch', 'job']);
    expect(productionBy(['live', '!branch:x']).dependsOn).toEqual(['branch']);
    expect(usualProduction.dependsOn).toEqual(['tier']);
  });
});
