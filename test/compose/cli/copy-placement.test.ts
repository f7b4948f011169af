import { describe, expect, it } from 'vitest';
import { placement, renamed } from '../../../src/compose/cli/copy/placement.js';

const FILE = { name: 'a.txt', isDirectory: false, isContents: false };
const DIRECTORY = { name: 'site', isDirectory: true, isContents: false };
const CONTENTS = { name: 'site', isDirectory: true, isContents: true };

describe('a copy', () => {
  it.each([
    ['a file into a directory', FILE, { path: '/srv', kind: 'directory' }, '/srv', 'a.txt'],
    ['a file to a new name', FILE, { path: '/srv/b.txt', kind: 'missing' }, '/srv', 'b.txt'],
    ['a file over a file', FILE, { path: '/srv/b.txt', kind: 'file' }, '/srv', 'b.txt'],
    ['a directory into a directory', DIRECTORY, { path: '/srv', kind: 'directory' }, '/srv', 'site'],
    ['a directory to a new name', DIRECTORY, { path: '/srv/new/', kind: 'missing' }, '/srv', 'new'],
    ['contents into a directory', CONTENTS, { path: '/srv', kind: 'directory' }, '/srv', ''],
    ['contents to a new name', CONTENTS, { path: '/srv/new', kind: 'missing' }, '/srv', 'new'],
  ] as const)('%s', (_what, source, target, directory, name) => {
    expect(placement(source, target)).toEqual({ directory, name });
  });

  it.each([
    [DIRECTORY, { path: '/srv/b.txt', kind: 'file' }, "'/srv/b.txt' is not a directory."],
    [FILE, { path: '/srv/b.txt/', kind: 'file' }, "'/srv/b.txt/' is not a directory."],
    [FILE, { path: '/none/', kind: 'missing' }, "The directory '/none/' does not exist."],
  ] as const)('is refused from %j to %j', (source, target, text) => {
    expect(() => placement(source, target)).toThrow(text);
  });
});

it.each([
  ['site', 'site', 'new', 'new'],
  ['site/a/b', 'site', 'new', 'new/a/b'],
  ['site/a', 'site', '', 'a'],
  ['site', 'site', '', undefined],
  ['./etc/passwd', '', 'copy', 'copy/etc/passwd'],
])('the archive entry %s of %s becomes %s: %s', (entry, root, name, expected) => {
  expect(renamed(entry, root, name)).toBe(expected);
});
