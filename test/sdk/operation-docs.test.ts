import { readFileSync } from 'node:fs';
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
