import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvFile, readRawEnvFile } from '../../../../src/compose/model/dotenv/dotenv.js';
import { ComposeFailure } from '../../../../src/compose/model/errors.js';
import { load, loadFailure, loadWeb, webFile } from '../project-folder.js';

function read(text: string, environment: Readonly<Record<string, string>> = {}): Record<string, string> {
  const variables = new Map<string, string>();
  readEnvFile(text, 'test.env', variables, (name) => environment[name]);
  return Object.fromEntries(variables);
}

describe('an environment file', () => {
  // The table of the Compose Specification, with the corners that the reference implementation decides.
  it.each([
    ['VAR=VAL', 'VAL'],
    ['VAR="VAL"', 'VAL'],
    ["VAR='VAL'", 'VAL'],
    ['VAR=VAL # comment', 'VAL'],
    ['VAR=VAL# not a comment', 'VAL# not a comment'],
    ['VAR="VAL # not a comment"', 'VAL # not a comment'],
    ['VAR="VAL" # comment', 'VAL'],
    ["VAR='VAL # not' # comment", 'VAL # not'],
    ['VAR=#x', '#x'],
    ["VAR='$OTHER'", '$OTHER'],
    ["VAR='${OTHER}'", '${OTHER}'],
    ["VAR='Let\\'s go!'", "Let's go!"],
    ['VAR="{\\"hello\\": \\"json\\"}"', '{"hello": "json"}'],
    ['VAR="some\\tvalue"', 'some\tvalue'],
    ["VAR='some\\tvalue'", 'some\\tvalue'],
    ['VAR=some\\tvalue', 'some\\tvalue'],
    ['VAR="\\0101\\q"', 'A\\q'],
    ['VAR="a\nb"', 'a\nb'],
    ["VAR='a\nb'", 'a\nb'],
    ['VAR=', ''],
    ['VAR=\nX=1', ''],
    ['VAR = spaced  ', 'spaced'],
    ['VAR: yaml', 'yaml'],
    ['export VAR=1', '1'],
    ['VAR=a=b', 'a=b'],
    ['\uFEFFVAR=bom', 'bom'],
    ['VAR=windows\r\nX=1\r\n', 'windows'],
    ['# only\n\n  VAR=indented', 'indented'],
    ['A=1\nVAR=${A}-$A', '1-1'],
    ['A=1\nVAR="${A:+set}"', 'set'],
    ['VAR=$$A', '$A'],
    ['VAR="\\$A"', '$A'],
    ['VAR=one\nVAR=two', 'two'],
  ])('%j sets VAR to %j', (text, value) => {
    expect(read(text)['VAR']).toBe(value);
  });

  it('takes the value of a bare name from the environment, or omits the name', () => {
    expect(read('HERE\nGONE\nLAST', { HERE: 'x', LAST: 'y' })).toEqual({ HERE: 'x', LAST: 'y' });
  });

  it('lets the environment win over its own earlier lines during interpolation', () => {
    expect(read('A=file\nB=$A', { A: 'outer' })).toEqual({ A: 'file', B: 'outer' });
  });

  it.each([
    ['A=1\nB="open\nC=2', 2, 'the quoted value of B has no end'],
    ["B='open", 1, 'the quoted value of B has no end'],
    ['A B=1', 1, 'a name cannot contain a space'],
    ['A=1\n!B=2', 2, 'unexpected character'],
    ['A="x"y', 1, 'text follows the closing quote of A'],
    ['=1', 1, 'unexpected character'],
    ['A=${', 1, 'invalid variable expression'],
  ])('%j fails at line %d: %s', (text, line, reason) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        error: 'EnvFileError',
        case: 'malformed',
        location: expect.objectContaining({ line }) as unknown,
      }),
    );
    expect(() => read(text)).toThrow(reason);
  });

  it('never shows a value in its errors', () => {
    for (const text of ['A="s3cret', 'A="s3cret"tail', 'A=s3cret${', 'A=${B:?s3cret}']) {
      try {
        read(text);
        expect.unreachable();
      } catch (error) {
        expect(JSON.stringify([error, String(error)])).not.toContain('s3cret');
      }
    }
  });

  it('reads any quoted text back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '"', "'", '$', '#', '\n', '=', '{') }), (value) => {
        const single = `VAR='${value.replaceAll("'", "\\'")}'`;
        const double = `VAR="${value.replaceAll('"', '\\"').replaceAll('$', '$$$$')}"`;
        expect(read(single)).toEqual({ VAR: value });
        expect(read(double)).toEqual({ VAR: value });
      }),
    );
  });

  it('yields variables or a ComposeFailure for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('A', 'b', '=', ':', ' ', '\n', '"', "'", '\\', '#', '$', '{', '}', '!') }),
        (text) => {
          try {
            read(text);
          } catch (error) {
            expect(error).toBeInstanceOf(ComposeFailure);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a raw environment file', () => {
  it('keeps quotes, dollar signs and comments after values', () => {
    const variables = new Map<string, string>();
    readRawEnvFile('# c\nA="x" # y\n  B=$A\r\nC=\nD\nE', 'raw.env', variables, (name) =>
      name === 'D' ? 'd' : undefined,
    );
    expect(Object.fromEntries(variables)).toEqual({ A: '"x" # y', B: '$A', C: '', D: 'd' });
  });
});

describe('env_file', () => {
  it('merges in order: the last file wins, and environment overrides all', async () => {
    const { project } = await load({
      'compose.yaml': webFile('env_file: [one.env, two.env]\nenvironment: {OWN: explicit}'),
      'one.env': 'A=one\nB=one\nOWN=file\n',
      'two.env': 'B=two\nC=$A\n',
    });
    expect(project.services['web']?.environment).toEqual({ A: 'one', B: 'two', C: 'one', OWN: 'explicit' });
    expect(project.services['web']).not.toHaveProperty('env_file');
  });

  it('can have the long form, with required and format', async () => {
    const { project } = await load({
      'compose.yaml': webFile('env_file:\n  - {path: gone.env, required: false}\n  - {path: raw.env, format: raw}'),
      'raw.env': `A='quoted'\n`,
    });
    expect(project.services['web']?.environment).toEqual({ A: "'quoted'" });
  });

  it('that is missing fails with its path', async () => {
    const failure = await loadFailure(webFile('env_file: gone.env'));
    expect(failure).toMatchObject({ error: 'EnvFileError', case: 'notFound' });
    expect(failure.message).toContain('gone.env');
  });

  it('of an unknown format fails', async () => {
    const failure = await loadFailure({
      'compose.yaml': webFile('env_file: [{path: a.env, format: toml}]'),
      'a.env': '',
    });
    expect(failure).toMatchObject({ case: 'invalidValue', location: { line: 4 } });
  });

  it('of a disabled service is not read', async () => {
    await expect(load(webFile('profiles: [off]\nenv_file: gone.env'))).resolves.toBeDefined();
  });
});

describe('bare variables', () => {
  it('take their value from the environment, and stay null if it has none', async () => {
    const web = await loadWeb('environment: [HERE, GONE, EMPTY=]', { environment: { HERE: 'x' } });
    expect(web.environment).toEqual({ HERE: 'x', GONE: null, EMPTY: '' });
  });
});
