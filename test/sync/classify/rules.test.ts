import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClassifier } from '../../../src/sync/work-units/classify/classifier.js';
import type { Contribution, Evidence } from '../../../src/sync/work-units/classify/classifier.js';
import { parseRules } from '../../../src/sync/work-units/classify/rules.js';
import { divide, PARTS, SUBCATEGORIES } from '../../../src/sync/work-units/classify/shares.js';
import { classifier } from '../work-units/derivation/deriving.js';

function evidence(changes: Partial<Evidence>): Evidence {
  return { workType: 'commit', title: '', text: '', labels: [], commitTitles: [], files: new Map(), ...changes };
}

function main(title: string, changes: Partial<Evidence> = {}): string {
  return classifier.classify(evidence({ title, ...changes })).subcategory;
}

function files(...paths: readonly string[]): ReadonlyMap<number, number> {
  const tally = new Map<number, number>();
  for (const path of paths) {
    const rule = classifier.ruleOfPath(path);
    tally.set(rule, (tally.get(rule) ?? 0) + 1);
  }
  return tally;
}

describe('the built-in rules', () => {
  it.each([
    ['feat(search): rank results by relevance', 'feature_delivery.roadmap'],
    ['feat!: add the reports of the new plan', 'feature_delivery.roadmap'],
    ['fix(cart): keep quantities after a reload', 'quality.bugfix'],
    ['Fix crash when the list is empty', 'quality.bugfix'],
    ['refactor(storage): split the connection pool', 'maintenance.refactor'],
    ['chore(deps): bump the database driver', 'maintenance.upgrade'],
    ['chore: delete what nobody calls', 'maintenance.debt'],
    ['Revert "feat: add a thing"', 'maintenance.debt'],
    ['test(orders): cover refunds', 'quality.testing'],
    ['perf(search): cache the index', 'quality.reliability'],
    ['docs: explain the first steps', 'feature_delivery.enablement'],
    ['hotfix: stop the queue from growing during the outage', 'operational.incident_response'],
    ['Tune alerts that woke people up', 'operational.on_call'],
    ['fix: patch CVE-2024-12345 in the parser', 'risk.vulnerability'],
    ['security: rotate the signing secret', 'risk.security'],
    ['Keep the audit log that compliance asks for', 'risk.compliance'],
  ])('classify %j as %s', (title, subcategory) => {
    expect(main(title)).toBe(subcategory);
  });

  it('read labels, paths and work types', () => {
    expect(main('Update', { labels: ['kind: Bug'] })).toBe('quality.bugfix');
    expect(main('Update', { files: files('src/api/orders.test.ts', 'test/a/b.ts') })).toBe('quality.testing');
    expect(main('Update', { files: files('package-lock.json') })).toBe('maintenance.upgrade');
    expect(main('', { workType: 'incident' })).toBe('operational.incident_response');
    expect(main('main production', { workType: 'deployment' })).toBe('operational.support');
  });

  it.each([
    ['Suggest help when unknown command', 'feature_delivery.roadmap'],
    ['Add CodeSandbox CI', 'operational.support'],
    ['solve #306', 'quality.bugfix'],
    ['Missing break', 'quality.bugfix'],
    ['Tidy up', 'maintenance.refactor'],
    ['No need for this', 'maintenance.debt'],
    ['docs: release notes for the v18.2.0 release', 'operational.support'],
    ['Fix macro redefinition warning', 'maintenance.debt'],
    ['Restrict the file permissions of the socket', 'risk.security'],
    ['Fix coverage', 'operational.support'],
    ['Remove the cache from the publish workflow', 'operational.support'],
    ['Removed: the second parser', 'maintenance.debt'],
    ['Added: a timer for each queue', 'feature_delivery.roadmap'],
    ['Make function names easier to read', 'maintenance.refactor'],
    ['fix: docs of the first steps', 'feature_delivery.enablement'],
    ['s/recieve/receive/', 'feature_delivery.enablement'],
    ['chore(site): dark mode', 'feature_delivery.customer'],
  ])('classify %j as %s by the message alone', (title, subcategory) => {
    expect(main(title)).toBe(subcategory);
  });

  it.each([
    ['Add login page', 'feature_delivery.roadmap'],
    ['Improve login flow', 'feature_delivery.roadmap'],
    ['Fix document upload', 'quality.bugfix'],
    ['Fix docker build', 'quality.bugfix'],
    ['Fix linked list insertion', 'quality.bugfix'],
    ['Fix description of product not shown', 'quality.bugfix'],
    ['feat: changelog widget in the dashboard', 'feature_delivery.roadmap'],
    ['fix: changelog generation', 'quality.bugfix'],
    ['Fix low battery warning', 'quality.bugfix'],
    ['Missing tests', 'quality.testing'],
    ['Missing docs for the API', 'feature_delivery.enablement'],
    ['Add review workflow to the editor', 'feature_delivery.roadmap'],
    ['No functional changes', 'maintenance.refactor'],
    ['Rename a.md to b.md', 'feature_delivery.enablement'],
    ['Update README.md.', 'feature_delivery.enablement'],
  ])('are not misled by one word of %j, which is %s', (title, subcategory) => {
    expect(main(title)).toBe(subcategory);
  });

  it('let a title outweigh scripts and lists of plans', () => {
    expect(main('Added /AUTOOP', { files: files('scripts/autoop.pl') })).toBe('feature_delivery.roadmap');
    expect(main('Document the patches', { files: files('TODO') })).toBe('feature_delivery.enablement');
    expect(main('Improve autoop', { files: files('scripts/autoop.pl') })).toBe('feature_delivery.roadmap');
    expect(main('AUTOOP', { files: files('scripts/autoop.pl') })).toBe('maintenance.debt');
  });

  it('read the names of files in a title only where the changed files are unknown', () => {
    expect(main('Update marking.md (#701)')).toBe('feature_delivery.enablement');
    expect(main('update `pkg/snapcraft.yaml`')).toBe('operational.support');
    expect(main('Update marking.md (#701)', { files: files('lib/a.ts') })).toBe('maintenance.refactor');
    expect(main('Next.js')).toBe('unclassified.unclassified');
  });

  it('read the types of a request’s commits only where its title has none', () => {
    const commitTitles = ['test: a', 'test: b', 'anything'];
    expect(main('Some work', { workType: 'pull_request', commitTitles })).toBe('quality.testing');
    expect(main('refactor: some work', { workType: 'pull_request', commitTitles })).toBe('maintenance.refactor');
  });

  it('read the types of a request’s commits also where its title names an area that no rule knows', () => {
    expect(main('a/b.c: some work', { workType: 'pull_request', commitTitles: ['test: a'] })).toBe('quality.testing');
  });

  it.each(['', 'xyzzy', '你好', '🎉🎉', ':', '(#12)', ' \t '])('leave %j unclassified', (title) => {
    const found: Contribution[] = [];
    const { shares } = classifier.classify(evidence({ title }), (each) => found.push(each));
    expect(shares).toEqual([{ subcategory: 'unclassified.unclassified', share: 1 }]);
    expect(found).toMatchObject([{ rule: 'fallback', signal: 'fallback' }]);
  });

  it.each([
    ['GIT 1.4.3-rc1', 'operational.support'],
    ['v10.0.0', 'operational.support'],
    ['release: v3.5.29', 'operational.support'],
    ['globset: release 0.4.0', 'operational.support'],
    ['*: bump to v2.1.0-alpha.0', 'operational.support'],
    ['🔖 Release version 0.140.12 (#16095)', 'operational.support'],
    ['Bump sphinx from 3.0.3 to 3.0.4 (#3624)', 'maintenance.upgrade'],
    ['⬆ Bump pyasn1 from 0.6.2 to 0.6.3 (#15143)', 'maintenance.upgrade'],
    ['chore: update dependency eslint to v8.34.0', 'maintenance.upgrade'],
    [':memo: Update the first page', 'feature_delivery.enablement'],
    ['[RF DOCS] Describe jobs [ci-skip]', 'feature_delivery.enablement'],
    ['[ci skip] Fix typo in the parser', 'feature_delivery.enablement'],
    ['Documentation, scripts: update the API', 'feature_delivery.enablement'],
    ['client/log: simplify the merge of outputs', 'maintenance.refactor'],
    ['tree cache: fix the negative entry count', 'quality.bugfix'],
    ['Merge pull request #12 from ada/fix/crash-at-start', 'quality.bugfix'],
    ["Merge branch 'feature/reports' into 'main'", 'feature_delivery.roadmap'],
    ['Make sure that totals are rounded', 'quality.bugfix'],
    ['Add tests for the rounding of totals', 'quality.testing'],
    ['Add an option for totals', 'feature_delivery.roadmap'],
  ])('classify titles in the style of %j as %s', (title, subcategory) => {
    expect(main(title)).toBe(subcategory);
  });

  it.each([
    ['CHANGELOG.md', 'operational.support'],
    ['.github/workflows/ci.yml', 'operational.support'],
    ['docs/guide.md', 'feature_delivery.enablement'],
    ['src/__tests__/a.ts', 'quality.testing'],
    ['web/package-lock.json', 'maintenance.upgrade'],
    ['LICENSE', 'risk.compliance'],
  ])('classify a change of %j alone as %s, regardless of the prefix of its title', (path, subcategory) => {
    expect(main('Use 2026', { files: files(path) })).toBe(subcategory);
  });

  it('leave a unit unclassified if only some of its files match', () => {
    const found: Contribution[] = [];
    const unit = evidence({ title: 'Totals', files: files('src/a.ts', 'test/a.ts') });
    const { theme } = classifier.classify(unit, (each) => found.push(each));
    expect(theme).toBe('unclassified');
    expect(found).toMatchObject([
      { rule: 'testing', signal: 'path', match: '1 of 2 files' },
      { rule: 'fallback', signal: 'fallback', match: 'too few points' },
    ]);
  });

  it('report which signal of a title decided', () => {
    const found: Contribution[] = [];
    classifier.classify(evidence({ title: 'Release 2.0' }), (each) => found.push(each));
    expect(found).toMatchObject([
      { rule: 'release', signal: 'title', match: 'Release 2.0', points: 15 },
      { rule: 'release', signal: 'start', match: 'release', points: 5 },
    ]);
  });

  it('match whole words only', () => {
    const found: Contribution[] = [];
    classifier.classify(evidence({ title: 'Prefixes of contested debugging' }), (each) => found.push(each));
    expect(found).toMatchObject([{ rule: 'fallback' }]);
  });

  it('give the same unit the same shares, which add up to exactly 1, and explain each', () => {
    const word = fc.constantFrom('fix', 'bug', 'security', 'test', 'upgrade', 'add', 'xyz', 'on-call', 'cve-2020-1');
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, text, fc.array(word, { maxLength: 3 }), fc.array(fc.nat(14)), (title, body, labels, rules) => {
        const unit = evidence({ title, text: body, labels, files: new Map(rules.map((rule) => [rule, rule + 1])) });
        const found: Contribution[] = [];
        const result = classifier.classify(unit, (each) => found.push(each));
        expect(classifier.classify(unit)).toEqual(result);
        expect(result.shares.reduce((sum, { share }) => sum + share, 0)).toBe(1);
        expect(result.shares.every(({ share }) => share > 0 && Number.isInteger(share * PARTS))).toBe(true);
        expect(result.subcategory.startsWith(`${result.theme}.`)).toBe(true);
        const explained = new Set(found.map(({ subcategory }) => subcategory));
        for (const { subcategory } of result.shares) expect(explained).toContain(subcategory);
      }),
    );
  });
});

describe('shares', () => {
  it('are proportional to points, with ties in the order of the taxonomy', () => {
    const points = new Map([
      ['risk.security' as const, 1],
      ['quality.bugfix' as const, 1],
      ['maintenance.debt' as const, 1],
    ]);
    const { theme, subcategory, shares } = divide(points);
    expect({ theme, subcategory }).toEqual({ theme: 'maintenance', subcategory: 'maintenance.debt' });
    expect(shares.map(({ share }) => share * PARTS)).toEqual([22, 21, 21]);
  });

  it('make the theme with the largest share the main one, and its largest subcategory', () => {
    const points = new Map([
      ['quality.testing' as const, 3],
      ['quality.bugfix' as const, 4],
      ['risk.security' as const, 5],
    ]);
    expect(divide(points)).toMatchObject({ theme: 'quality', subcategory: 'quality.bugfix' });
  });

  it('omit subcategories with less than a twentieth of the points', () => {
    const points = new Map([
      ['quality.bugfix' as const, 99],
      ['risk.security' as const, 1],
    ]);
    expect(divide(points).shares).toEqual([{ subcategory: 'quality.bugfix', share: 1 }]);
  });

  it('cover all sixteen subcategories', () => {
    expect(new Set(SUBCATEGORIES).size).toBe(16);
  });
});

/** As organizations wrote them before there were `titles`, `starts`, `only_path` and `least`. */
const versionOne = createClassifier(
  parseRules(
    `version: 1
fallback: unclassified.unclassified
rules:
  - { name: bugs, types: [fix], keywords: [fix, fixes, crash], gives: quality.bugfix }
  - { name: roadmap, keywords: [add, adds], gives: feature_delivery.roadmap }
  - { name: upgrade, paths: [package.json], gives: maintenance.upgrade }
  - { name: testing, paths: ['test/**'], gives: quality.testing }
`,
    'own.yaml',
  ),
);

describe('a custom rules file', () => {
  it('replaces the built-in rules, with parts, weights and points', () => {
    const own = createClassifier(
      parseRules(
        `version: 1
points: { type: 1, label: 3 }
fallback: { quality.testing: 1, maintenance.debt: 1 }
rules:
  - { name: a, types: [fix], gives: { quality.bugfix: 3, risk.security: 1 } }
  - { name: b, labels: ['team:*'], gives: operational.support, weight: 2 }
`,
        'own.yaml',
      ),
    );
    expect(own.classify(evidence({ title: 'fix: it' })).shares).toEqual([
      { subcategory: 'quality.bugfix', share: 0.75 },
      { subcategory: 'risk.security', share: 0.25 },
    ]);
    expect(own.classify(evidence({ title: 'fix: it', labels: ['Team:core'] })).subcategory).toBe('operational.support');
    expect(own.classify(evidence({ title: 'else' })).shares).toHaveLength(2);
    expect(own.fingerprint).not.toBe(classifier.fingerprint);
  });

  it.each([
    ['Add a guard that fixes the crash', 'feature_delivery.roadmap'],
    ['Fix the crash, and add a guard', 'quality.bugfix'],
  ])('gives %j, whose themes tie, the theme that it lists first', (title, subcategory) => {
    const { shares, subcategory: first } = versionOne.classify(evidence({ title }));
    expect(shares.map(({ share }) => share)).toEqual([0.5, 0.5]);
    expect(first).toBe(subcategory);
  });

  it('leaves a unit unclassified if its files tie between two themes and its title names neither', () => {
    const tally = new Map([
      [2, 1],
      [3, 1],
    ]);
    expect(versionOne.classify(evidence({ title: 'Update', files: tally }))).toEqual({
      theme: 'unclassified',
      subcategory: 'unclassified.unclassified',
      shares: [
        { subcategory: 'maintenance.upgrade', share: 0.5 },
        { subcategory: 'quality.testing', share: 0.5 },
      ],
    });
  });

  it('gives the same points as in earlier releases if it does not use the newer signals', () => {
    const found: Contribution[] = [];
    versionOne.classify(evidence({ title: 'Fix it', files: new Map([[2, 1]]) }), (each) => found.push(each));
    // Names of files in a title gave nothing.
    versionOne.classify(evidence({ title: 'Fix test/a.ts' }), (each) => found.push(each));
    expect(found).toEqual([
      { rule: 'bugs', signal: 'keyword', match: 'fix', subcategory: 'quality.bugfix', points: 3 },
      { rule: 'upgrade', signal: 'path', match: '1 of 1 files', subcategory: 'maintenance.upgrade', points: 3 },
      { rule: 'bugs', signal: 'keyword', match: 'fix', subcategory: 'quality.bugfix', points: 3 },
    ]);
  });

  it.each([
    ['- a', 'the file: must be a mapping'],
    ['version: 1\nrules: []', 'fallback: must be a mapping'],
    ['version: 1\nfallback: {}\nrules: []', 'fallback: gives nothing'],
    ['version: 1\nfallback: risk.security\nrules: {}', 'rules: must be a list'],
    [
      'version: 1\nfallback: risk.security\nrules: [{name: a, types: [x], gives: risk.security, wieght: 2}]',
      '"wieght"',
    ],
    [
      'version: 1\nfallback: risk.security\nrules: [{name: a, types: x, gives: risk.security}]',
      'rules[0].types: must be a list',
    ],
    [
      'version: 1\nfallback: risk.security\nrules: [{name: a, work_types: [task], gives: risk.security}]',
      '"task" is none of',
    ],
    ['a: [', 'not YAML'],
  ])('explains the error in %j', (text, problem) => {
    expect(() => parseRules(text, 'own.yaml')).toThrow(problem);
  });
});
