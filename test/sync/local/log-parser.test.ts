import { expect, it } from 'vitest';
import { LogParser } from '../../../src/sync/providers/local/log-parser.js';
import { storedPath } from '../../../src/sync/providers/local/paths.js';

const header = (hash: string, message: string): string =>
  `\x01${hash}\0p1 p2\0Ada\0ada@example.com\x0010\0Bob\0bob@example.com\x0020\0${message}\0`;
const raw = (status: string, ...paths: string[]): string => `:100644 100755 aaaa bbbb ${status}\0${paths.join('\0')}\0`;

const LOG =
  header('h1', 'one\n\nbody\n') +
  `\n${raw('M', '3\t1\tx')}${raw('R100', 'old', ':new\nline')}${raw('M', 'bin')}3\t1\t3\t1\tx\0\x30\t0\t\0old\0:new\nline\0-\t-\tbin\0` +
  header('h2', 'two') +
  header('h3', '') +
  `\n${raw('A', '-')}12\t0\t-\0`;

function parse(chunks: readonly Buffer[]): unknown[] {
  const seen: unknown[] = [];
  const parser = new LogParser({ commit: (commit) => seen.push(commit), file: (file) => seen.push(file) });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return seen;
}

it('reads commits and files with any name', () => {
  expect(parse([Buffer.from(LOG)])).toEqual([
    {
      hash: 'h1',
      parents: ['p1', 'p2'],
      authorName: 'Ada',
      authorEmail: 'ada@example.com',
      authorWhen: 10_000,
      committerName: 'Bob',
      committerEmail: 'bob@example.com',
      committerWhen: 20_000,
      message: 'one\n\nbody',
    },
    { path: '3\t1\tx', oldPath: null, additions: 3, deletions: 1, oldMode: '100644', newMode: '100755' },
    { path: ':new\nline', oldPath: 'old', additions: 0, deletions: 0, oldMode: '100644', newMode: '100755' },
    { path: 'bin', oldPath: null, additions: null, deletions: null, oldMode: '100644', newMode: '100755' },
    expect.objectContaining({ hash: 'h2', message: 'two' }),
    expect.objectContaining({ hash: 'h3', message: '' }),
    { path: '-', oldPath: null, additions: 12, deletions: 0, oldMode: '100644', newMode: '100755' },
  ]);
});

it('takes as many fields as there are, whatever they begin with', () => {
  const rude = `\x01\x01h\0\0\x01Ada\0:100644 100644\x0010\0\n\x003\t1\tx\x0020\0\x01h9\n:a\n3\t1\tx\0`;
  expect(parse([Buffer.from(`${rude}\n${raw('M', '\x01new')}1\t2\t\x01new\0${rude}`)])).toMatchObject([
    { authorName: '\x01Ada', authorEmail: ':100644 100644', committerEmail: '3\t1\tx', message: '\x01h9\n:a\n3\t1\tx' },
    { path: '\x01new', additions: 1, deletions: 2 },
    { authorName: '\x01Ada' },
  ]);
});

it('reads the same for any chunks of the stream', () => {
  const bytes = Buffer.from(LOG);
  const whole = parse([bytes]);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    expect(parse([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
  }
  expect(parse([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
});

it('refuses a log that ends in the middle', () => {
  expect(() => parse([Buffer.from(LOG).subarray(0, -1)])).toThrow(/cannot be read/);
});

it.each([
  ['plain.ts', 'plain.ts'],
  ['tab\tquote"newline\n', 'tab\tquote"newline\n'],
  ['größe.ts', 'größe.ts'],
  ['\ufffd', '\ufffd'],
  ['"quoted', '"\\"quoted"'],
])('stores the UTF-8 name %j as %j', (name, stored) => {
  const bytes = Buffer.from(`x${name}y`);
  expect(storedPath(bytes, 1, bytes.length - 1)).toBe(stored);
});

it('stores a name in another encoding as git quotes it', () => {
  const bytes = Buffer.from('caf\xe9\n\\', 'latin1');
  expect(storedPath(bytes, 0, bytes.length)).toBe('"caf\\351\\n\\\\"');
});
