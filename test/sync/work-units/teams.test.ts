import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce, inSlices } from '../../../src/contract/system/slices.js';
import { matchesPattern } from '../../../src/sync/batch.js';
import { createTeamAssigner } from '../../../src/sync/work-units/teams/assign.js';
import { ownersOf, parseCodeowners } from '../../../src/sync/work-units/teams/codeowners.js';
import { parseTeams, teamsSteps } from '../../../src/sync/work-units/teams/teams-file.js';
import { teamAssigner } from './derivation/deriving.js';

const teams = parseTeams(
  `teams:
  - { id: web, name: Web, members: [Ada@Example.com, '@grace'], repositories: ['acme/web-*'] }
  - { id: core, members: [ada@example.com, linus] }
  - { id: pay, repositories: ['acme/pay-*', acme/shop] }
`,
  'teams.yaml',
);
const NONE = new Map<string, number>();

describe('the team of a unit', () => {
  it('is the team of its author, by e-mail or login, in any case', () => {
    const { teamOf } = teamAssigner(teams, 'acme/shop', undefined);
    expect(teamOf(['ADA@example.com', 'ada'], NONE)).toBe('web');
    expect(teamOf([null, 'Grace'], NONE)).toBe('web');
    expect(teamOf(['someone@example.com', 'linus'], NONE)).toBe('core');
  });

  it('is the team that also has the repository if several have the author', () => {
    const own = parseTeams('teams: [{id: a, members: [x]}, {id: b, members: [x], repositories: ["acme/*"]}]', 't.yaml');
    expect(teamAssigner(own, 'acme/shop', undefined).teamOf(['x'], NONE)).toBe('b');
    expect(teamAssigner(own, 'other/shop', undefined).teamOf(['x'], NONE)).toBe('a');
  });

  it('is the team of the repository if no team has the author, else the owner, else none', () => {
    const owners = new Map([['search', 2], ['docs', 1], ['', 9]]); // prettier-ignore
    expect(teamAssigner(teams, 'acme/shop', '* @acme/all').teamOf(['x'], owners)).toBe('pay');
    expect(teamAssigner(teams, 'acme/else', '* @acme/all').teamOf(['x'], owners)).toBe('search');
    expect(teamAssigner(teams, 'acme/else', '* @acme/all').teamOf(['x'], NONE)).toBe('all');
    expect(teamAssigner(teams, 'acme/else', undefined).teamOf(['x'], NONE)).toBe('unassigned');
    expect(teamAssigner([], 'acme/else', '/docs/ @acme/writers').teamOf(['x'], NONE)).toBe('unassigned');
  });

  it('is the first owner by name if several own equally many files', () => {
    const { teamOf } = teamAssigner([], 'acme/shop', '* @acme/z');
    expect(teamOf([], new Map([['b', 1], ['a', 1]]))).toBe('a'); // prettier-ignore
  });

  it('is the team of the person if a person owns the file', () => {
    const { ownerOfPath } = teamAssigner(teams, 'acme/else', '*.ts @nobody ada@example.com\n*.md @nobody\n');
    expect(atOnce(ownerOfPath('src/a.ts'))).toBe('web');
    expect(atOnce(ownerOfPath('README.md'))).toBe('');
  });
});

describe('a teams file', () => {
  it('with 30,000 unknown names is refused in time, with the first thousand of them', { timeout: 20_000 }, () => {
    // Quadratic time took 10.7 s for 20,000 names, so that this would take more than 20 s.
    const text = Array.from({ length: 30_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(() => parseTeams(text, 'teams.yaml')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('does not know "k999"'),
        problems: expect.toSatisfy((problems: unknown[]) => problems.length === 1000),
      }),
    );
  });

  it.each([
    ['too deep in brackets', '['.repeat(500_000), 'nested more than 64 levels deep', 1],
    ['too deep in dashes', `teams:\n${'- '.repeat(300_000)}a\n`, 'nested more than 64 levels deep', 2],
    ['too long', `teams: [${'1,'.repeat(200_000)}]`, 'has more than 250000 tokens', 1],
    ['full of anchors', '&a '.repeat(300_000), 'has more than 1000 anchors and tags', 1],
  ])('that is %s is refused before it is composed', (_what, text, reason, line) => {
    expect(() => parseTeams(text, 't.yaml')).toThrow(
      expect.objectContaining({
        problems: [{ line, place: null, text: expect.stringContaining(reason) }],
      }),
    );
  });

  it('is read in small steps, between which a server serves other requests', () => {
    const text = Array.from({ length: 100 }, (_, id) => `  - { id: t${id}, members: [${'a,'.repeat(500)}] }`).join(
      '\n',
    );
    const steps = teamsSteps(`teams:\n${text}`, 't.yaml');
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).toBeGreaterThan(500);
  });

  it('full of wrong members is checked while other work proceeds', async () => {
    const team = (id: number): string => `  - { id: t${id}, members: [${'{},'.repeat(1000)}] }`;
    const text = `teams:\n${Array.from({ length: 80 }, (_, id) => team(id)).join('\n')}`;
    let turns = 0;
    const checked = { done: false };
    const count = (): void => {
      turns++;
      if (!checked.done) setImmediate(count);
    };
    setImmediate(count);
    await expect(
      inSlices(teamsSteps(text, 't.yaml')).finally(() => {
        checked.done = true;
      }),
    ).rejects.toMatchObject({ problems: expect.toSatisfy((problems: unknown[]) => problems.length === 1000) });
    // At once it would be a single turn.
    expect(turns).toBeGreaterThan(10);
  });

  it('refuses names of invisible characters alone', () => {
    const text = 'teams: [{ id: a, name: "\u200b \u3164", members: ["\u00ad"] }]';
    expect(() => parseTeams(text, 't.yaml')).toThrow(
      expect.objectContaining({
        problems: ['members[0]', 'name'].map((name) => ({
          line: 1,
          place: `teams[0].${name}`,
          text: 'must be a text that is not empty',
        })),
      }),
    );
  });

  it('names the lines of keys that repeat', () => {
    const text = 'teams:\n  - id: a\n    members: [x]\n    id: b\n';
    expect(() => parseTeams(text, 't.yaml')).toThrow(
      expect.objectContaining({ problems: [{ line: 4, place: null, text: 'Map keys must be unique' }] }),
    );
  });
});

describe('CODEOWNERS', () => {
  const rules = atOnce(
    parseCodeowners(`# comment
*            @acme/all   # and another
*.js         @acme/js
/build/logs/ @acme/doctors
docs/*       docs@example.com
apps/        @octo
/scripts/**/run.sh @acme/ops
with\\ space.txt @acme/space
/apps/free
[Section][2] @acme/section
/section/own @acme/own
/section/default
`),
  );
  it.each([
    ['a/b/c.txt', '@acme/all'],
    ['a/b/c.js', '@acme/js'],
    ['build/logs/x/y.log', '@acme/doctors'],
    ['src/build/logs/x.log', '@acme/all'],
    ['docs/start.md', 'docs@example.com'],
    ['docs/deep/start.md', '@acme/all'],
    ['src/apps/x.ts', '@octo'],
    ['scripts/a/b/run.sh', '@acme/ops'],
    ['scripts/run.sh', '@acme/ops'],
    ['with space.txt', '@acme/space'],
    ['section/own', '@acme/own'],
    ['section/default', '@acme/section'],
  ])('gives %s to %s', (path, owner) => {
    expect(atOnce(ownersOf(rules, path))).toEqual([owner]);
  });

  it('matches as an exhaustive search does', () => {
    const name = fc.stringMatching(/^[ab*?]{1,4}$/);
    const segment = fc.oneof(name, name, fc.constant('**'));
    const pattern = fc
      .record({
        segments: fc.array(segment, { minLength: 1, maxLength: 4 }),
        rooted: fc.boolean(),
        folder: fc.boolean(),
      })
      .map(({ segments, rooted, folder }) => `${rooted ? '/' : ''}${segments.join('/')}${folder ? '/' : ''}`);
    const path = fc
      .array(fc.stringMatching(/^[ab]{1,4}$/), { minLength: 1, maxLength: 4 })
      .map((names) => names.join('/'));
    fc.assert(
      fc.property(pattern, path, (written, file) => {
        const [rule] = atOnce(parseCodeowners(`${written} @acme/web`));
        expect(rule?.matches(file)).toBe(matchesPlainly(written, file));
      }),
      { numRuns: 5000 },
    );
  });

  it('ends in bounded time for any pattern and path', () => {
    const hostile = [`/${'*a'.repeat(12)}*b`, `/${'**/a/'.repeat(12)}b`, `${'*a*/'.repeat(12)}b`];
    for (const written of hostile) {
      const [rule] = atOnce(parseCodeowners(`${written} @acme/web`));
      expect(rule?.matches('a'.repeat(4000))).toBe(false);
      expect(rule?.matches('a/'.repeat(2000))).toBe(false);
    }
  });

  it('of the largest size is read and searched while other work proceeds', async () => {
    const patterns = Array.from({ length: 5000 }, (_, index) => `*a*a*b${index}*a/**/x*z @acme/team-${index}`);
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { ownerOfPath } = await inSlices(createTeamAssigner([], 'acme/shop', patterns.join('\n')));
    const read = turns;
    expect(await inSlices(ownerOfPath('src/a.ts'))).toBe('');
    isDone = true;
    // At once each would be a single turn.
    expect(read).toBeGreaterThan(2);
    expect(turns).toBeGreaterThan(read + 2);
  });

  it('removes ownership by a line without owners', () => {
    expect(atOnce(ownersOf(rules, 'apps/free'))).toEqual([]);
  });
});

/** As .gitignore has it, by trying everything. */
function matchesPlainly(pattern: string, path: string): boolean {
  const names = pattern.split('/').filter((name) => name !== '');
  const isRooted = /^\/|\/(?!$)/.test(pattern);
  const isFolder = pattern.endsWith('/');
  const last = names.at(-1);
  const matches = (globs: readonly string[], rest: readonly string[]): boolean => {
    const [glob, ...others] = globs;
    if (glob === undefined) {
      if (last === '**' || rest.length === 0) return last === '**' || !isFolder;
      return isFolder || last !== '*' || !isRooted;
    }
    if (glob === '**') {
      if (others.length === 0) return rest.length > 0;
      return matches(others, rest) || (rest.length > 0 && matches(globs, rest.slice(1)));
    }
    const [name, ...deeper] = rest;
    return name !== undefined && matchesName(glob, name) && matches(others, deeper);
  };
  return matches(isRooted ? names : ['**', ...names], path.split('/'));
}

function matchesName(glob: string, name: string): boolean {
  if (glob === '') return name === '';
  if (glob.startsWith('*'))
    return matchesName(glob.slice(1), name) || (name !== '' && matchesName(glob, name.slice(1)));
  return name !== '' && (glob.startsWith('?') || glob[0] === name[0]) && matchesName(glob.slice(1), name.slice(1));
}

describe('a teams file', () => {
  it.each([
    ['a lone surrogate', String.raw`\uD800`, 'well-formed Unicode'],
    ['a line break', String.raw`\r\nBcc: x`, 'line breaks'],
    ['U+0000', String.raw`\0`, 'control characters'],
    ['a text direction control', String.raw`\u202e`, 'text direction controls'],
    ['a tag character', String.raw`\U000E0041`, 'no invisible characters'],
    ['a combining grapheme joiner', String.raw`\u034f`, 'no invisible characters'],
    ['a space without width', String.raw`\u200b`, 'no invisible characters'],
  ])('with %s in a name, an e-mail or a repository is refused', (_what, escape, reason) => {
    const bad = `"a${escape}b"`;
    const text = `teams: [{ id: web, name: ${bad}, members: [${bad}], repositories: [${bad}] }]`;
    const messageOf = (): unknown => parseTeams(text, 'teams.yaml');
    for (const place of ['name', 'members[0]', 'repositories[0]']) {
      expect(messageOf).toThrow(
        new RegExp(String.raw`teams\[0\]\.${place.replaceAll(/[[\]]/g, String.raw`\$&`)}: must .*${reason}`),
      );
    }
  });
});

describe('a pattern of repositories', () => {
  it.each([
    ['acme/*', 'acme/web', true],
    ['acme/*', 'other/acme/web', false],
    ['*/web', 'Acme/Web', true],
    ['acme/*-api', 'acme/api', false],
    ['a*a', 'a', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['**', '', true],
    ['acme/web', 'acme/web-shop', false],
  ])('%s for %s: %s', (pattern, name, matches) => {
    const team = { id: 'a', name: 'a', members: [], repositories: [pattern] };
    expect(teamAssigner([team], name, undefined).teamOf([], NONE) === 'a').toBe(matches);
  });

  it('ends in bounded time for any pattern and name', () => {
    const pattern = `${'*a'.repeat(40)}*b`;
    const name = `acme/${'a'.repeat(500)}`;
    const team = { id: 'a', name: 'a', members: [], repositories: [pattern] };
    expect(teamAssigner([team], name, undefined).teamOf([], NONE)).toBe('unassigned');
    expect(matchesPattern(pattern, name)).toBe(false);
  });
});
