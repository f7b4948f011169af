import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PathRules } from '../../../src/sync/work-units/classify/path-rules.js';
import { expressions, linear, pathMatcher } from '../../../src/sync/work-units/classify/patterns.js';
import { readTitle } from '../../../src/sync/work-units/classify/title.js';
import { WholeTitles } from '../../../src/sync/work-units/classify/whole-titles.js';
import { classifier } from '../work-units/derivation/deriving.js';

describe('the rule of a path', () => {
  it('is the first one with a pattern that matches', () => {
    const part = fc.constantFrom('a', 'B', 'test', 'go.mod', 'x.test.ts', 'README.md', '.github', 'v1', '');
    const paths = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const pattern = fc.oneof(
      fc.constantFrom('go.mod', '*.md', '*.test.*', 'README*', 'test/**', '**/test/**', '/a/**', '/go.mod', 'a/*.md'),
      fc.constantFrom('**/b/*', '*', '.github/**', '*.ts', 'a/**/go.mod', '*1', 'A'),
    );
    const rules = fc.array(fc.array(pattern, { maxLength: 3 }), { maxLength: 5 });
    fc.assert(
      fc.property(rules, paths, (lists, path) => {
        const plainly = lists.findIndex((list) => list.length > 0 && pathMatcher(...list)(path));
        for (const matchers of [expressions, linear])
          expect(
            new PathRules(
              lists.map((each) => ({ paths: each })),
              matchers,
            ).find(path),
          ).toBe(plainly);
      }),
    );
  });
});

describe('a pattern of an organization', () => {
  it('means the same as in a rules file', () => {
    const part = fc.constantFrom('a', 'B', 'aa', 'ab', 'a.b', '');
    const glob = fc.constantFrom('a', '*', '**', 'a*', '*b', '*a*b', 'a*a', 'A.b', '*.*', 'a**b');
    const joined = (each: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc.array(each, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(joined(glob), joined(part), (pattern, path) => {
        expect(linear.path(pattern)(path)).toBe(pathMatcher(pattern)(path));
      }),
      { numRuns: 2000 },
    );
  });

  it('with many stars is matched in time that is proportional to the path', () => {
    const pattern = `${'*a'.repeat(30)}*b`;
    expect(linear.name(pattern)('a'.repeat(4000))).toBe(false);
    expect(linear.path(`${'**/a/'.repeat(15)}b`)('a/'.repeat(2000))).toBe(false);
    expect(linear.name(pattern)(`${'a'.repeat(4000)}b`)).toBe(true);
  });

  it('matches no label that is longer, and no path that is deeper, than those of hosts', () => {
    expect([255, 256].map((length) => linear.label('a*')('a'.repeat(length)))).toEqual([true, false]);
    expect([63, 64].map((folders) => linear.path('**/x')(`${'a/'.repeat(folders)}x`))).toEqual([true, false]);
    expect(linear.label('type/*')('TYPE/bug/minor')).toBe(true);
  });
});

describe('the prefix of a title', () => {
  it.each([
    ['fix(api, ui/forms)!: keep it', ['fix'], ['api', 'ui', 'forms'], 'keep it'],
    ['[BUGFIX] PromQL: keep it', ['bugfix', 'promql'], [], 'keep it'],
    ['[ci skip] Keep it', [], [], 'Keep it'],
    ['✏️ Keep it', ['✏'], [], 'Keep it'],
    [':memo: docs: keep it', [':memo:', 'docs'], [], 'keep it'],
    ['a/b.c, d: keep it', ['a/b.c', 'd'], [], 'keep it'],
    ['Revert "fix: a thing"', ['revert'], [], 'Revert "fix: a thing"'],
    ['Merge pull request #7 from ada/docs/first-steps', ['docs'], [], 'first steps'],
    ['Merge pull request #7 from ada/keep_it', [], [], 'keep it'],
    ['Keep it: all of it', [], [], 'Keep it: all of it'],
  ])('is read from %j', (title, types, scopes, bare) => {
    expect(readTitle(title)).toMatchObject({ types, scopes, bare });
  });
});

describe('whole titles', () => {
  const titles = new WholeTitles();
  titles.add('#', 0);
  titles.add('release * #', 1);

  it.each([
    ['v1.2.3', [0]],
    ['2.0.0-rc.1 (#12)', [0]],
    ['Release tools 1.4 [skip ci]', [1]],
    ['release 1.4 2.0', []],
    ['1', []],
    ['', []],
  ])('are matched word by word: %j', (title, rules) => {
    expect([...titles.find(title)]).toEqual(rules);
  });
});

it.each(['1', '1.', ': ', '[', '[a] ', '📝', ':a:', 'a, ', '(', '/', 'a-', "Merge branch 'a/", 'fix '])(
  'the classifier handles a title that repeats %j a million times, and a long path',
  (text) => {
    const title = text.repeat(1_000_000);
    const files = new Map([[classifier.ruleOfPath(text.repeat(100_000)), 1]]);
    const unit = { workType: 'commit', text: title, labels: [], commitTitles: [title] } as const;
    const once = classifier.classify({ ...unit, title, files });
    expect(classifier.classify({ ...unit, title, files })).toEqual(once);
    expect(classifier.classify({ ...unit, title: `Merge branch 'b/${title}`, files }).shares.length).toBeGreaterThan(0);
  },
);
