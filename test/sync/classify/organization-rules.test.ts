import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import contract from '../../../generated/platform/openapi.json' with { type: 'json' };
import { type Contribution, type Evidence } from '../../../src/sync/work-units/classify/classifier.js';
import {
  loadOrganizationRules,
  parseOrganizationRules,
} from '../../../src/sync/work-units/classify/organization-rules.js';
import { classifier } from '../work-units/derivation/deriving.js';

function evidence(changes: Partial<Evidence>): Evidence {
  return { workType: 'commit', title: '', text: '', labels: [], commitTitles: [], files: new Map(), ...changes };
}

function classified(rules: string, title: string, paths: readonly string[] = []) {
  const own = classifier.precededBy(parseOrganizationRules(rules, 'The file'));
  const files = new Map<number, number>();
  for (const path of paths) files.set(own.ruleOfPath(path), (files.get(own.ruleOfPath(path)) ?? 0) + 1);
  const contributions: Contribution[] = [];
  const { subcategory, shares } = own.classify(evidence({ title, files }), (each) => contributions.push(each));
  return { subcategory, shares, rules: [...new Set(contributions.map(({ rule }) => rule))] };
}

describe('A file with the rules of an organization', () => {
  it.each([
    ['letters', 'x'],
    ['characters of two UTF-16 units', '\u{1f600}'],
  ])('may have 262,144 %s, as in the API', async (_name, character) => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'));
    const file = join(folder, 'rules.yaml');
    const start = 'rules: [] #';
    const text =
      start + character.repeat(contract.components.schemas.ImportRulesRequest.properties.file.maxLength - start.length);
    try {
      await writeFile(file, text);
      expect(await loadOrganizationRules(file)).toEqual({ text, rules: 0 });
      await writeFile(file, text + character);
      await expect(loadOrganizationRules(file)).rejects.toThrow('it has more than 262144 characters');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the rules of an organization', () => {
  const partners = 'rules: [{ name: partners, keywords: [settle], gives: feature_delivery.customer }]';

  it('decide alone where they are enough', () => {
    expect(classified(partners, 'fix: settle payments')).toEqual({
      subcategory: 'feature_delivery.customer',
      shares: [{ subcategory: 'feature_delivery.customer', share: 1 }],
      rules: ['organization: partners'],
    });
    expect(classified(partners, 'fix: a crash').subcategory).toBe('quality.bugfix');
  });

  it('add to the others where they are not', () => {
    const own = 'rules: [{ name: ours, paths: [src/pay/**], gives: risk.compliance }]';
    const found = classified(own, 'fix: a crash', ['src/pay/a.ts', 'src/web/b.ts', 'src/web/c.ts']);
    expect(found.subcategory).toBe('quality.bugfix');
    expect(found.rules).toEqual(expect.arrayContaining(['organization: ours', 'bugs']));
  });

  it('name a file before the others do', () => {
    const own = "rules: [{ name: contracts, paths: ['test/contracts/*.md'], gives: risk.compliance }]";
    expect(classified(own, 'Update', ['test/contracts/a.md']).subcategory).toBe('risk.compliance');
    expect(classified(own, 'Update', ['test/unit/a.test.ts']).subcategory).toBe('quality.testing');
  });

  it('give another fingerprint than other rules or none', () => {
    const fingerprint = (text: string): string =>
      classifier.precededBy(parseOrganizationRules(text, 'The file')).fingerprint;
    const found = [classifier.fingerprint, fingerprint(partners), fingerprint(partners.replace('settle', 'pay'))];
    expect(new Set(found).size).toBe(3);
  });

  const bugs = 'gives: quality.bugfix';
  it.each([
    ['no list', 'rules: 3', 'rules: must be a list'],
    ['another key', 'version: 1\nrules: []', 'does not know "version"'],
    ['no pattern', `rules: [{ name: a, ${bugs} }]`, 'rules[0]: needs one of types'],
    ['an unknown subcategory', 'rules: [{ name: a, labels: [x], gives: bugs }]', 'rules[0].gives: "bugs" is none of'],
    [
      'a large weight',
      `rules: [{ name: a, labels: [x], ${bugs}, weight: 1001 }]`,
      'rules[0].weight: must be at most 1000',
    ],
    [
      'a long pattern',
      `rules: [{ name: a, labels: [${'x'.repeat(101)}], ${bugs} }]`,
      'must have at most 100 characters',
    ],
    ['a long name', `rules: [{ name: ${'x'.repeat(101)}, labels: [x], ${bugs} }]`, 'rules[0].name: must have at most'],
    [
      'many parts',
      `rules: [{ name: a, paths: ['**/${'a/'.repeat(9)}b'], ${bugs} }]`,
      'rules[0].paths[0]: must have at most 10 parts',
    ],
    ['many words', `rules: [{ name: a, keywords: ['a-b-c-d e f g h i'], ${bugs} }]`, 'must have at most 8 words'],
    [
      'many rules',
      `rules: [${`{ name: a, labels: [x], ${bugs} },`.repeat(201)}]`,
      'may have at most 200 items, not 201',
    ],
    [
      'many patterns',
      `rules: [{ name: a, labels: [${'x,'.repeat(1001)}], ${bugs} }]`,
      'at most 1000 patterns in total',
    ],
    ['production that is not a list', 'rules: []\nproduction: prd', 'production: must be a list'],
    [
      'nothing but exceptions',
      "rules: []\nproduction: ['!a']",
      'production: needs a pattern that does not begin with !',
    ],
    ['incidents that are not a list', 'rules: []\nincidents: outage', 'incidents: must be a list'],
    ['only exceptions of failures', "rules: []\nfailures: ['!hotfix']", 'failures: needs a pattern'],
    ['another pattern of deployments', "rules: []\nfailures: ['deployment:failed']", 'must be deployment:rollback'],
    ['a long environment', `rules: []\nproduction: [${'x'.repeat(101)}]`, 'production[0]: must have at most 100'],
    ['many environments', `rules: []\nproduction: [${'x,'.repeat(1001)}]`, 'at most 1000 patterns in total'],
    ['no YAML', 'rules: [', 'is not YAML'],
    ['endless aliases', 'rules: &a [*a]', 'The file'],
  ])('are refused with %s', (_, text, message) => {
    expect(() => parseOrganizationRules(text, 'The file')).toThrow(message);
  });

  it('are refused with the lines of their problems', () => {
    const text = 'rules:\n  - name: a\n    labels: [x]\n    gives: nothing\n';
    try {
      parseOrganizationRules(text, 'The file');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ problems: [{ line: 4, place: 'rules[0].gives' }] });
    }
  });

  it('with hostile patterns classify hostile texts', () => {
    const stars = `'${'*a'.repeat(49)}*b'`;
    const words = Array.from({ length: 300 }, (_, number) => `'a a a a a a a b${number}'`).join(', ');
    const rules = `rules: [{ name: a, labels: [${stars}], scopes: [${stars}], paths: [${stars}, '**/a/**/a/**/a/**/b*'], keywords: [${words}], gives: risk.security }]`;
    const own = classifier.precededBy(parseOrganizationRules(rules, 'The file'));
    expect(own.ruleOfPath('a'.repeat(4000))).toBe(-1);
    expect(own.ruleOfPath('a/'.repeat(2000))).toBe(-1);
    const hostile = evidence({ title: 'a '.repeat(2000), text: 'a '.repeat(2000), labels: ['a'.repeat(4000)] });
    expect(own.classify(hostile).subcategory).toBe('unclassified.unclassified');
  });
});
