import { describe, expect, it } from 'vitest';
import { ignoreRule } from '../../../src/compose/runtime/ignore-file.js';

describe('.dockerignore', () => {
  it.each<[string, string, boolean]>([
    ['*.log', 'a.log', true],
    ['*.log', 'deep/a.log', false],
    ['**/*.log', 'deep/er/a.log', true],
    ['**/*.log', 'a.log', true],
    ['node_modules', 'node_modules/dep/index.js', true],
    ['node_modules', 'node_modules_not', false],
    ['/build', 'build', true],
    ['./build/', 'build/out', true],
    ['a/../build', 'build', true],
    ['temp?', 'temp1', true],
    ['temp?', 'temp', false],
    ['[a-c].txt', 'b.txt', true],
    ['[^a-c].txt', 'b.txt', false],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**', 'a/b', true],
    ['*\n!keep', 'keep', false],
    ['*\n!keep', 'other', true],
    ['!keep\n*', 'keep', true],
    ['# *\n\n   \n', 'anything', false],
    ['a+b(c).txt', 'a+b(c).txt', true],
    ['a+b(c).txt', 'aab(c).txt', false],
    ['\\*.txt', '*.txt', true],
    ['\\*.txt', 'a.txt', false],
  ])('%j on %j: %s', (rules, path, ignored) => {
    expect(ignoreRule(rules)(path)).toBe(ignored);
  });

  it.each(['*', '**', '*a', '**/'])('matches a pattern of thirty %j without exponential backtracking', (part) => {
    expect(ignoreRule(`${part.repeat(30)}z`)('a'.repeat(5000))).toBe(false);
  });
});
