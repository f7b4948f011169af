import { expect, it } from 'vitest';
import { Eraser } from '../../../src/sync/erasure/eraser.js';
import { normalized, withPerson } from '../../../src/sync/erasure/erasures.js';

const PSEUDONYM = 'erased-0123456789abcdef';

function eraserOf(...identities: readonly string[]): Eraser {
  const none = { salt: 'salt', words: 0, pseudonyms: new Map<string, string>() };
  return new Eraser(withPerson(none, identities.map(normalized), { pseudonym: PSEUDONYM, revision: '1' }));
}

const eraser = eraserOf('ada@example.com', "a.o'hara@example.com", 'Ada Lovelace', 'Ada B. Lovelace', 'ada');

it.each([
  ['write to ada@example.com.', 'write to erased-0123456789abcdef.'],
  ['ADA@Example.com', 'erased-0123456789abcdef'],
  ['to not-ada@example.com', 'to not-ada@example.com'],
  ['ada@example.com.evil.test', 'ada@example.com.evil.test'],
  [
    'Fix it\n\nCo-authored-by: Ada L <ada@example.com>\nSigned-off-by: <ada@example.com>\n',
    'Fix it\n\nCo-authored-by: erased-0123456789abcdef <erased-0123456789abcdef>\n' +
      'Signed-off-by: <erased-0123456789abcdef>\n',
  ],
  ["Ann O'Hara <a.o'hara@example.com>", 'erased-0123456789abcdef <erased-0123456789abcdef>'],
  ['12+ada@users.noreply.github.com', 'erased-0123456789abcdef'],
])('replaces the address in %j', (text, erased) => {
  expect(eraser.text(text)).toBe(erased);
});

it.each([
  ['Thanks, ada  lovelace!', 'Thanks, erased-0123456789abcdef!'],
  ['by Ada B. Lovelace (Ada Lovelace)', 'by erased-0123456789abcdef (erased-0123456789abcdef)'],
  ["Ada Lovelace's fix, 'Ada Lovelace'", "erased-0123456789abcdef's fix, 'erased-0123456789abcdef'"],
  ['Ada Lovelaces', 'Ada Lovelaces'],
  ['the ada compiler', 'the ada compiler'],
  ['cc @ada, @ada-l and @Ada.', 'cc @erased-0123456789abcdef, @ada-l and @erased-0123456789abcdef.'],
  ['Merge pull request #1 from ada/fix', 'Merge pull request #1 from erased-0123456789abcdef/fix'],
  ['ada/fix', 'erased-0123456789abcdef/fix'],
])('replaces names of several words, and marked words, in %j', (text, erased) => {
  expect(eraser.text(text)).toBe(erased);
});

it.each(['See merge request ada/tools!12', 'ada/tools#3', 'Fixes https://host.test/ada/tools/-/issues/3'])(
  'keeps the name of a repository in %j',
  (text) => {
    expect(eraser.text(text)).toBe(text);
  },
);

it('keeps a text of another person as it is, and what it has replaced', () => {
  const text = 'Reviewed-by: Grace Hopper <grace@example.com>';
  expect(eraser.text(text)).toBe(text);
  expect(eraser.text(eraser.text('Ada Lovelace <ada@example.com>'))).toBe(`${PSEUDONYM} <${PSEUDONYM}>`);
});

it.each(['a', 'a.', '<', '@', ' a', '/a'])('reads a text of half a million %j without going back and forth', (part) => {
  const text = part.repeat(500_000 / part.length);
  expect(eraser.text(text)).toBe(text);
});

it('replaces a person of a row by the address, and by the name where there is none', () => {
  const row = { repo_id: 'r', hash: 'h', message: 'x', committer_name: null, committer_email: null };
  const of = (author_name: string | null, author_email: string | null): object =>
    eraser.row('git_commits', { ...row, author_name, author_email });
  expect(of('A. L.', 'ada@example.com')).toEqual({ ...row, author_name: PSEUDONYM, author_email: PSEUDONYM });
  expect(of('Ada Lovelace', null)).toEqual({ ...row, author_name: PSEUDONYM, author_email: null });
  expect(of(null, 'ada@example.com')).toEqual({ ...row, author_name: null, author_email: PSEUDONYM });
  // Another person with the same name.
  const other = { ...row, author_name: 'Ada Lovelace', author_email: 'other@example.com' };
  expect(eraser.row('git_commits', other)).toBe(other);
});

it('replaces reviewers, and names in lists', () => {
  const review = { reviewer: 'Ada', state: 'APPROVED' };
  expect(eraser.row('git_pull_request_reviews', review)).toEqual({ ...review, reviewer: PSEUDONYM });
  const issue = { title: 'x', body: null, author_name: 'grace', labels: ['owner: @ada', 'bug'] };
  expect(eraser.row('issues', issue)).toEqual({ ...issue, labels: [`owner: @${PSEUDONYM}`, 'bug'] });
});

it('keeps the pseudonym an owner in CODEOWNERS', () => {
  const notes = eraser.notes(
    new Map([
      ['codeowners', '* ada@example.com @grace @ada'],
      ['basis', 'x'],
    ]),
  );
  expect(notes).toEqual(
    new Map([
      ['codeowners', `* @${PSEUDONYM} @grace @${PSEUDONYM}`],
      ['basis', 'x'],
    ]),
  );
});

it('does not read people out of names of repositories and files', () => {
  const repository = { id: 'r', repo: 'ada/tools', url: 'https://host.test/ada/tools' };
  expect(eraser.row('repos', repository)).toBe(repository);
});
