import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShellWordsError, splitShellWords } from '../../../../src/compose/model/normalize/shell-words.js';
import { loadFailure, loadWeb } from '../project-folder.js';

/** The words that the system's shell makes of a line, or undefined where it refuses the line. */
function wordsOfShell(line: string): string[] | undefined {
  try {
    // Arguments after the script's name become $@; printf ends each with a NUL.
    const out = execFileSync('sh', ['-c', `set -f; set -- ${line}\nif [ $# -gt 0 ]; then printf '%s\\0' "$@"; fi`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return out.length === 0 ? [] : out.toString('utf8').replace(/\0$/, '').split('\0');
  } catch {
    return undefined;
  }
}

describe('splitting a command', () => {
  it.each([
    ['echo hello', ['echo', 'hello']],
    ['echo \'a b\' "c d"', ['echo', 'a b', 'c d']],
    ['a\\ b', ['a b']],
    ['"" \'\'', ['', '']],
    ['a"b"\'c\'d', ['abcd']],
    ['"\\$\\`\\"\\\\\\n"', ['$`"\\\\n']],
    ["'\\'", ['\\']],
    ['a\\\nb', ['ab']],
    ['\\\n', []],
    ['  ', []],
    ['', []],
    ['echo $HOME | cat > x; y & *', ['echo', '$HOME', '|', 'cat', '>', 'x;', 'y', '&', '*']],
  ])('%j gives %j', (line, words) => {
    expect(splitShellWords(line)).toEqual(words);
  });

  it.each([
    ["it's", 'unterminated single quote'],
    ['say "hi', 'unterminated double quote'],
    ['"a\\', 'unterminated double quote'],
    ['end\\', 'trailing backslash'],
  ])('%j is refused: %s', (line, reason) => {
    expect(() => splitShellWords(line)).toThrow(new ShellWordsError(reason));
  });

  it('splits as the POSIX shell does, with quotes, backslashes and blanks in any order', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', "'", '"', '\\', '.', 'é'), maxLength: 14 });
    fc.assert(
      fc.property(line, (text) => {
        // A backslash at the end would escape the newline after the line for the shell; here it is a separate error.
        fc.pre(!/(?:^|[^\\])(?:\\\\)*\\$/.test(text));
        const expected = wordsOfShell(text);
        if (expected === undefined) expect(() => splitShellWords(text)).toThrow(ShellWordsError);
        else expect(splitShellWords(text)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('reads any quoted words back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
        expect(splitShellWords(quoted)).toEqual(words);
      }),
    );
  });
});

describe('a command in text form', () => {
  it('is split; a list is not', async () => {
    const web = await loadWeb('command: "sh -c \'echo hi\'"\nentrypoint: ["a b", "it\'s"]');
    expect([web.command, web.entrypoint]).toEqual([
      ['sh', '-c', 'echo hi'],
      ['a b', "it's"],
    ]);
  });

  it('clears the command of the image when empty, and keeps it when null', async () => {
    const web = await loadWeb('command: ""\nentrypoint:');
    expect(web.command).toEqual([]);
    expect('entrypoint' in web).toBe(false);
  });

  it('that cannot be split fails with the input, the reason and the place', async () => {
    const failure = await loadFailure("services:\n  web:\n    image: nginx\n    command: echo 'open\n");
    expect(failure).toMatchObject({
      error: 'ComposeError',
      case: 'invalidShellTokenization',
      fields: { input: "echo 'open", reason: 'unterminated single quote' },
      location: { line: 4, column: 14 },
    });
  });
});
