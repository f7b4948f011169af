import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { snippetFaults } from './snippets.js';

interface DocumentedOperation {
  readonly name: string;
  readonly docs: string;
}

/** The documentation of each function, as an editor shows it. */
function documentedOperations(api: string): DocumentedOperation[] {
  const text = readFileSync(`sdk/src/generated/${api}/operations.ts`, 'utf8');
  return [...text.matchAll(/\/\*\*\n((?: \*.*\n)+?) \*\/\nexport function (\w+)/g)].map(([, docs = '', name = '']) => ({
    name,
    docs: docs.replaceAll(/^ \* ?/gm, ''),
  }));
}

describe.each(['platform', 'compose'])('The functions of the %s client', (api) => {
  const operations = documentedOperations(api);
  const functions = readFileSync(`sdk/src/generated/${api}/operations.ts`, 'utf8').match(/^export function /gm);

  test('all say which problems they return, and have an example', () => {
    expect(operations).toHaveLength(functions?.length ?? 0);
    for (const { name, docs } of operations) {
      expect(docs).toMatch(/^Problems: \d{3} `\w+Problem`/m);
      expect(docs).toContain(`const result = await ${name}(`);
    }
  });

  test('have examples that type-check', () => {
    const names = operations.map(({ name }) => name).join(', ');
    const calls = operations.map(({ docs }) => `{ ${/```ts\n(.*)```/s.exec(docs)?.[1] ?? ''} }`);
    expect(snippetFaults([`import { ${names} } from '@plumbline/sdk/${api}';\n${calls.join('\n')}`])).toEqual([]);
  });
});

test('An editor shows what each option of a call and of a client does', () => {
  const entries = ['platform', 'compose'].map((api) => `sdk/src/generated/${api}/operations.ts`);
  const program = ts.createProgram([...entries, 'sdk/src/client-options.ts', 'sdk/src/compose/client.ts'], {
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  });
  const checker = program.getTypeChecker();
  const undocumented: string[] = [];
  let options = 0;
  for (const file of program.getSourceFiles().filter(({ fileName }) => /(^|\/)sdk\/src\//.test(fileName))) {
    for (const node of file.statements.filter(isOptions)) {
      for (const option of checker.getTypeAtLocation(node).getProperties()) {
        options++;
        if (option.getDocumentationComment(checker).length === 0) undocumented.push(`${node.name.text}.${option.name}`);
      }
    }
  }
  expect(undocumented).toEqual([]);
  expect(options).toBeGreaterThan(500);
});

/** Requests of operations, and the options of clients. */
function isOptions(node: ts.Statement): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  return (
    isType &&
    (/^\w+Request$/.test(node.name.text) || /ClientOptions$/.test(node.name.text)) &&
    node.name.text !== 'AnyRequest'
  );
}
