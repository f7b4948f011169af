import { expect, test } from 'vitest';
import { mutate, mutationsOf } from './mutations.js';

const mutants = (source: string): string[] => mutationsOf(source).map((mutation) => mutate(source, mutation));

test.each([
  ['a > b;', ['a >= b;']],
  ['a === b;', ['a !== b;']],
  ['a && b;', ['a || b;']],
  ['a + 1;', ['a - 1;']],
  ["a + 'text';", []],
  ['await lock.assertHeld();', [';']],
  ['call();', [';']],
  ['const a = call();', []],
  ['if (a) b = 1;', ['if (true) b = 1;', 'if (false) b = 1;']],
  ['b = a ? 1 : 2;', ['b = true ? 1 : 2;', 'b = false ? 1 : 2;']],
  ['const a = { b: true };', ['const a = { b: false };']],
  ['interface A { readonly b: true }', []],
  ['const a: true = b;', []],
])('The mutants of %s', (source, expected) => {
  expect(mutants(source)).toEqual(expected);
});

test('A mutation names its line', () => {
  expect(mutationsOf('a;\nb > c;')).toMatchObject([{ line: 2 }]);
});
