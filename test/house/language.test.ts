/**
 * Keeps phrases out of the repository that plain technical English does not use. A folder in `notYet` still contains a
 * phrase; remove it from the list when the phrase is gone.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Phrase {
  readonly pattern: RegExp;
  /** The usual wording. */
  readonly instead: string;
  readonly notYet: readonly string[];
}

const phrases: readonly Phrase[] = [
  {
    pattern: /\bwhoever\b/i,
    instead: 'the actor: "a caller that", "the process that"',
    notYet: ['openapi/platform/', 'src/compose/', 'src/console/', 'test/compose/'],
  },
  {
    pattern: /\bof (?:its|their) own\b/i,
    instead: '"separate", or nothing',
    notYet: [
      'src/compose/',
      'src/platform/',
      'test/bench/',
      'test/compose/',
      'test/console/',
      'test/platform/',
      'test/support/',
    ],
  },
  { pattern: /\bas far as\b/i, instead: '"if", or "the part that"', notYet: ['test/compose/', 'test/platform/'] },
  {
    pattern: /\bgoes? on\b/i,
    instead: '"continues" or "resumes"',
    notYet: ['openapi/compose/', 'src/console/', 'src/platform/', 'test/compose/', 'test/console/', 'test/platform/'],
  },
  { pattern: /\bdoes not hold\b/i, instead: '"is invalid"', notYet: ['src/platform/', 'test/platform/'] },
  {
    pattern: /\b(?:told|tell|tells|telling) (?:\w+ )?apart\b/i,
    instead: '"distinguish"',
    notYet: ['src/compose/', 'src/console/', 'test/console/', 'test/platform/'],
  },
  {
    pattern: /\bto be had\b/i,
    instead: '"available"',
    notYet: ['src/compose/', 'test/bench/', 'test/compose/', 'test/support/'],
  },
  { pattern: /\bof old\b/i, instead: '"earlier"', notYet: [] },
  { pattern: /\bthe own\b/i, instead: '"your" or "its"', notYet: ['src/platform/', 'test/platform/'] },
  {
    pattern: /\bwhat is there\b/i,
    instead: 'what exists',
    notYet: ['openapi/compose/', 'src/compose/', 'test/compose/'],
  },
  { pattern: /\bin turn\b/i, instead: '"one after another"', notYet: ['test/platform/'] },
  { pattern: /\bin a circle\b/i, instead: '"in a cycle"', notYet: ['test/compose/'] },
  {
    pattern: /\bis told\b/i,
    instead: '"is reported"',
    notYet: ['openapi/compose/', 'test/compose/', 'test/console/', 'test/platform/'],
  },
  { pattern: /\bnobody's business\b/i, instead: 'who may see it', notYet: [] },
  { pattern: /\bwhat is not (?:\w+ )?never\b/i, instead: 'the condition', notYet: [] },
  { pattern: /\bthe way of (?:every|a|each)\b/i, instead: '"steps"', notYet: [] },
];

const isText = /\.(?:ts|tsx|js|mjs|md|ya?ml|graphql|css|html|sh)$/;
/** Generated files repeat their sources, and applied migrations must not change. */
const isExempt = /^(?:generated|sdk\/src\/generated|src\/database\/migrations)\/|^test\/house\/language\.test\.ts$/;

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => isText.test(path) && !isExempt.test(path))
  .flatMap((path) => {
    const text = textOf(path);
    return text === null ? [] : [{ path, lines: text.split('\n') }];
  });

test.each(phrases)('No text contains $pattern', ({ pattern, instead, notYet }) => {
  const found = files
    .filter(({ path }) => !notYet.some((folder) => path.startsWith(folder)))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
  expect(found, `Write ${instead} instead of ${String(pattern)} (CONTRIBUTING.md)`).toEqual([]);
});

/** Null for a file that is deleted in the working tree. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
