import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botOf, loginOfAddress } from '../../../src/sync/work-units/authors/accounts.js';
import { parseAuthors, type Author } from '../../../src/sync/work-units/authors/authors-file.js';
import { createAuthorIdentifier } from '../../../src/sync/work-units/authors/identify.js';
import { parseMailmap } from '../../../src/sync/work-units/authors/mailmap.js';
import { git, GIT_TEST_ENVIRONMENT, initRepository } from '../../support/git-history.js';
import { onlyId, sqliteUri, storedRows, sync, temporaryDirectory } from '../harness.js';
import { unitsIn } from './stored-units.js';

const MAILMAP = `# Comment <nobody@example.com>
Ada Lovelace <ada@old.example.com>
<ada@example.com> <ada@home.example.com>
Ada <ada@example.com> <ADA@work.example.com>
Grace <grace@example.com> Grace H. <shared@example.com> # and more
Linus <linus@example.com> linus <shared@example.com>
Other <other@example.com> <shared@example.com>
no address at all
<> <empty@example.com>
Two  Words   <two@example.com>
`;

describe('a .mailmap', () => {
  it.each([
    ['A', 'ada@old.example.com'],
    ['A', 'Ada@Home.example.com'],
    ['A', 'ada@work.example.com'],
    ['grace h.', 'shared@example.com'],
    ['Linus', 'shared@example.com'],
    ['Anyone', 'shared@example.com'],
    ['A', 'empty@example.com'],
    ['A', 'two@example.com'],
    ['A', 'nobody@example.com'],
    ['A', 'unknown@example.com'],
  ])('maps %s <%s> to the name and address that git maps it to', (name, email) => {
    const path = temporaryDirectory();
    initRepository(path);
    writeFileSync(join(path, '.mailmap'), MAILMAP);
    const mapped = parseMailmap(MAILMAP)({ name, email });
    expect(`${mapped.name} <${mapped.email}>`).toBe(git(path, 'check-mailmap', `${name} <${email}>`).trim());
  });
});

it.each([
  ['12345+ada@users.noreply.github.com', 'ada'],
  ['ada@users.noreply.github.com', 'ada'],
  ['12-ada@users.noreply.github.com', '12-ada'],
  ['12-ada@users.noreply.gitlab.com', 'ada'],
  ['12+ada@users.noreply.ghe.example.com', 'ada'],
  ['ada@example.com', undefined],
  ['noreply@github.com', undefined],
])('recognizes %s as an address of the account %s', (address, login) => {
  expect(loginOfAddress(address)).toBe(login);
});

it.each([
  ['dependabot[bot]', 'dependabot[bot]'],
  ['dependabot', 'dependabot[bot]'],
  ['dependabot-preview[bot]', 'dependabot[bot]'],
  ['support@dependabot.com', 'dependabot[bot]'],
  ['Renovate Bot', 'renovate[bot]'],
  ['own-app[bot]', 'own-app[bot]'],
  ['project_7_bot_0a1b', 'project_7_bot_0a1b[bot]'],
  ['k8s-ci-robot', 'k8s-ci-robot[bot]'],
  ['Kubernetes Prow Robot', 'k8s-ci-robot[bot]'],
  ['k8s.ci.robot@gmail.com', 'k8s-ci-robot[bot]'],
  ['Hosted Weblate', 'weblate[bot]'],
  ['GitLab Bot', 'gitlab-bot[bot]'],
  ['gitlab-bot@gitlab.com', 'gitlab-bot[bot]'],
  ['facebook-github-bot', 'facebook-github-bot[bot]'],
  ['codecov-commenter', 'codecov-commenter[bot]'],
  ['bors', 'bors[bot]'],
  ['Nextcloud bot', 'nextcloud-bot[bot]'],
  ['BackportBot', 'backportbot[bot]'],
  ['noreply@anthropic.com', 'claude[bot]'],
  ['Jan Bot', undefined],
  ['talbot', undefined],
  ['Abbot', undefined],
  ['team+deploy-bot@example.com', undefined],
  ['thoughtbot', undefined],
  ['robot', undefined],
  ['ada@example.com', undefined],
])('marks %s as the bot %s', (text, bot) => {
  expect(botOf(text)).toBe(bot);
});

describe('an author', () => {
  const authors: readonly Author[] = [{ author: 'ada@example.com', also: ['ada@old.example.com', 'ada', 'ada l.'] }];
  const { identify } = createAuthorIdentifier(authors, 'Grace <grace@example.com> <grace@home.example.com>');
  it.each([
    ['ADA@old.example.com', null, 'ada@example.com'],
    ['1+Ada@users.noreply.github.com', 'Someone', 'ada@example.com'],
    [null, 'ada', 'ada@example.com'],
    ['x@example.com', 'Ada L.', 'ada@example.com'],
    ['grace@home.example.com', 'G', 'grace@example.com'],
    ['2+linus@users.noreply.github.com', 'Linus', 'linus'],
    ['49699333+dependabot[bot]@users.noreply.github.com', 'dependabot[bot]', 'dependabot[bot]'],
    [' Max@Example.com ', 'Max', 'max@example.com'],
    [null, null, ''],
  ])('with the address %s and the name %s is %s', (email, name, author) => {
    expect(identify(email, name).author).toBe(author);
  });

  it('is in a team by any of the names', () => {
    expect(identify(null, 'ada').names).toEqual(
      expect.arrayContaining(['ada@example.com', 'ada@old.example.com', 'ada']),
    );
  });
});

it('lists every error in an authors file', () => {
  const text =
    'authors:\n  - { author: a, also: [b] }\n  - { author: B, also: [] }\n  - { author: c, also: [d], people: [x] }\n';
  expect(() => parseAuthors(text, 'authors.yaml')).toThrow(
    'authors.yaml is not an authors file:\n' +
      '  authors[1].author: "B" is used twice\n' +
      '  authors[1].also: must have 1 to 100 items, not 0\n' +
      '  authors[2]: does not know "people"',
  );
});

describe('a sync of a clone', () => {
  const commitAs = (path: string, email: string, file: string, text: string): void => {
    writeFileSync(join(path, file), text);
    git(path, 'add', '--force', file);
    execFileSync('git', ['-C', path, 'commit', '--quiet', '--message', `Write ${file}`], {
      env: { ...GIT_TEST_ENVIRONMENT, GIT_AUTHOR_EMAIL: email },
    });
  };
  const authorsOf = async (db: string, path: string): Promise<readonly string[]> => {
    const repoId = onlyId(await sync({ target: 'git', provider: 'local', db, repoPath: path }));
    return [...new Set((await unitsIn(db, repoId)).map(({ author }) => author))].sort();
  };

  it('follows the .mailmap that is committed, also for commits that were stored before it changed', async () => {
    const path = join(temporaryDirectory(), 'project');
    initRepository(path);
    const db = sqliteUri();
    commitAs(path, 'ada@old.example.com', 'a.txt', 'a');
    commitAs(path, 'ada@example.com', 'b.txt', 'b');
    expect(await authorsOf(db, path)).toEqual(['ada@example.com', 'ada@old.example.com']);
    commitAs(path, 'ada@example.com', '.mailmap', 'Ada <ada@example.com> <ada@old.example.com>\n');
    expect(await authorsOf(db, path)).toEqual(['ada@example.com']);
    const repoId = onlyId(await sync({ target: 'git', provider: 'local', db, repoPath: path }));
    const emails = (await storedRows(db, repoId))['git_commits']?.map((row) => row['author_email']);
    expect(emails).toContain('ada@old.example.com');
    git(path, 'rm', '--quiet', '.mailmap');
    git(path, 'commit', '--quiet', '--message', 'Take it back');
    expect(await authorsOf(db, path)).toEqual(['ada@example.com', 'ada@old.example.com']);
  });

  it('follows no .mailmap of the work tree, and none that a setting or a link names', async () => {
    const path = join(temporaryDirectory(), 'project');
    initRepository(path);
    commitAs(path, 'ada@old.example.com', 'a.txt', 'a');
    const outside = join(temporaryDirectory(), 'mailmap');
    writeFileSync(outside, 'Ada <ada@example.com> <ada@old.example.com>\n');
    git(path, 'config', 'mailmap.file', outside);
    git(path, 'config', 'log.mailmap', 'true');
    writeFileSync(join(path, '.mailmap'), 'Ada <ada@example.com> <ada@old.example.com>\n');
    expect(await authorsOf(sqliteUri(), path)).toEqual(['ada@old.example.com']);
    rmSync(join(path, '.mailmap'));
    execFileSync('ln', ['-s', outside, join(path, '.mailmap')]);
    git(path, 'add', '--all');
    git(path, 'commit', '--quiet', '--message', 'Link', '--author', 'Ada <ada@old.example.com>');
    expect(await authorsOf(sqliteUri(), path)).toEqual(['ada@old.example.com']);
  });
});
