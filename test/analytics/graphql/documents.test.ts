import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { getIntrospectionQuery, Lexer, Source, TokenKind } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDocuments } from '../../../src/analytics/graphql/documents.js';
import { createExecutableSchema } from '../../../src/analytics/graphql/executable-schema.js';

const run = promisify(execFile);
const schema = createExecutableSchema();
const prepare = createDocuments(schema);
const messagesOf = (text: string): string[] => prepare(text).errors.map(({ message }) => message);

describe('A query text', () => {
  test.each([
    ['15 aliases', `{ ${aliases(15)} }`, true],
    ['16 aliases', `{ ${aliases(16)} }`, false],
    [
      'a fragment whose aliases count wherever it is spread',
      `query { ...a ...a } fragment a on Query { ${aliases(8)} }`,
      false,
    ],
    ['2,000 tokens', ofTokens(2000), true],
    ['2,001 tokens', ofTokens(2001), false],
    [
      'the introspection of the usual tools',
      getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, specifiedByUrl: true }),
      true,
    ],
    [
      'introspection that goes round and round',
      `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
      false,
    ],
    ['two operations', 'query A { __typename } query B { __typename }', true],
  ])('with %s', (_name, text, isGood) => {
    expect(prepare(text).errors.length === 0).toBe(isGood);
  });

  test('may nest 12 fields deep, through fragments too, and no deeper', () => {
    const deep = (depth: number): string =>
      depth === 0 ? 'kind' : `possibleTypes { ...on __Type { ${deep(depth - 1)} } }`;
    const refusal = 'The query nests fields too deep: at most 12 levels.';
    expect(messagesOf(`{ __schema { queryType { ${deep(9)} } } }`)).not.toContain(refusal);
    expect(messagesOf(`{ __schema { queryType { ${deep(10)} } } }`)).toEqual([refusal]);
    expect(messagesOf(`{ __schema { queryType { ...f } } } fragment f on __Type { ${deep(10)} }`)).toEqual([refusal]);
  });

  test('whose values nest too deep for the parser is refused', () => {
    const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    // The parser's compiled functions take less of the stack, so that it may come to its limit of tokens first.
    expect(messagesOf(`{ __type(name: ${nested}) { name } }`)).toEqual([
      expect.stringMatching(/nests too deep to be parsed|more that 2000 tokens/),
    ]);
  });

  test('that nests too deep for a small stack is refused', async () => {
    const file = new URL('../../../src/analytics/graphql/documents.ts', import.meta.url).href;
    const script = `
      import { buildSchema } from 'graphql';
      import { createDocuments } from '${file}';
      const prepare = createDocuments(buildSchema('type Query { ids(of: [Int]): Int }'));
      console.log(prepare('{ ids(of: ' + '['.repeat(2_000) + ') }').errors.map(({ message }) => message).join());`;
    const { stdout } = await run(process.execPath, [
      '--stack-size=200',
      '--conditions=@plumbline/source',
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      script,
    ]);
    expect(stdout).toBe('The query nests too deep to be parsed.\n');
  });

  test('with fragments that grow exponentially is refused before it is expanded', () => {
    const fragments = Array.from({ length: 60 }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`);
    const text = `{ ...f0 } ${fragments.join(' ')} fragment f60 on Query { a: __typename }`;
    expect(messagesOf(text)).toEqual(['The query has too many aliases: at most 15.']);
  });

  test('with a fragment that spreads itself is refused', () => {
    expect(messagesOf('{ ...f } fragment f on Query { ...f }')).toEqual(['Cannot spread fragment "f" within itself.']);
  });

  test.each(['mutation { delete }', 'subscription { changes }'])('that is not a query is refused: %s', (text) => {
    expect(messagesOf(text)).toEqual(['Only queries are supported: no mutations, no subscriptions.']);
  });
});

describe('Prepared documents', () => {
  test('are cached if they are valid', () => {
    expect(prepare('{ __typename }')).toBe(prepare('{ __typename }'));
    expect(prepare('{ nothing }')).not.toBe(prepare('{ nothing }'));
  });

  test('are evicted if least recently used', () => {
    const small = createDocuments(schema, 2);
    const first = small('{ a: __typename }');
    const second = small('{ b: __typename }');
    expect(small('{ a: __typename }')).toBe(first);
    small('{ c: __typename }');
    expect(small('{ a: __typename }')).toBe(first);
    expect(small('{ b: __typename }')).not.toBe(second);
  });
});

function aliases(count: number): string {
  return Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ');
}

/** A good query of so many tokens. */
function ofTokens(count: number): string {
  const text = (ids: number): string =>
    `{ analytics(orgId: "a", batch: { filters: { scope: { level: TEAM, ids: [${'"a" '.repeat(ids)}] } } }) { sankey { nodes { id } } } }`;
  const lexer = new Lexer(new Source(text(0)));
  let others = 0;
  while (lexer.advance().kind !== TokenKind.EOF) others++;
  return text(count - others);
}
