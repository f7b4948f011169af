/**
 * Keeps phrases out of the repository that plain technical English does not use.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Phrase {
  readonly pattern: RegExp;
  /** The usual wording. */
  readonly instead: string;
}

const phrases: readonly Phrase[] = [
  {
    pattern: /\bwhoever\b/i,
    instead: 'the actor: "a caller that", "the process that"',
  },
  {
    pattern: /\bof (?:its|their) own\b/i,
    instead: '"separate", or nothing',
  },
  { pattern: /\bas far as\b/i, instead: '"if", or "the part that"' },
  {
    pattern: /\bgoes? on\b/i,
    instead: '"continues" or "resumes"',
  },
  { pattern: /\bdoes not hold\b/i, instead: '"is invalid"' },
  {
    pattern: /\b(?:told|tell|tells|telling) (?:\w+ )?apart\b/i,
    instead: '"distinguish"',
  },
  {
    pattern: /\bto be had\b/i,
    instead: '"available"',
  },
  { pattern: /\bof old\b/i, instead: '"earlier"' },
  { pattern: /\bthe own\b/i, instead: '"your" or "its"' },
  {
    pattern: /\bwhat is there\b/i,
    instead: 'what exists',
  },
  { pattern: /\bin turn\b/i, instead: '"one after another"' },
  { pattern: /\bin a circle\b/i, instead: '"in a cycle"' },
  {
    pattern: /\bis told\b/i,
    instead: '"is reported"',
  },
  {
    pattern: /\b(?:are|be) told\b/i,
    instead: '"are reported", "learn", or the verb: "can read"',
  },
  {
    pattern: /^[/*#'"`\s-]*Who .+ (?:calls|takes|can)\b/,
    instead: 'the actor first: "Anyone who can ..."',
  },
  { pattern: /\bcannot be had\b/i, instead: '"is not available"' },
  { pattern: /\bnobody's business\b/i, instead: 'who may see it' },
  { pattern: /\bwhat is not (?:\w+ )?never\b/i, instead: 'the condition' },
  { pattern: /\bthe way of (?:every|a|each)\b/i, instead: '"steps"' },
  { pattern: /\b(?:to|of) whom (?:has|have|is|are|belongs?)\b/i, instead: '"to a user that"' },
  { pattern: /\btold to nobody\b|\btells? (?:it )?to nobody\b/i, instead: '"is not revealed"' },
  { pattern: /\bsays? nothing of (?:it|them)self\b/i, instead: '"reveals nothing"' },
  { pattern: /\bthat it has not given out\b|\bno page has given out\b/i, instead: '"did not issue"' },
  { pattern: /\bstands (?:in (?:the|its|a|their)|there)\b/i, instead: '"is in"' },
  { pattern: /(?<!\bthere )\b(?:is|are) no (?!longer\b)\w/i, instead: '"is not a"' },
  { pattern: /\bwhat (?:became|becomes) of\b/i, instead: '"the outcome of"' },
];

/** Scripts and Dockerfiles have no extension. */
const isText = /\.(?:ts|tsx|js|mjs|md|ya?ml|graphql|css|html|sh|conf)$|^(?:.*\/)?[^./]+$/;
/** Generated files repeat their sources, and applied migrations must not change. */
const isExempt = /^(?:generated|sdk\/src\/generated|src\/database\/migrations)\/|^test\/house\/language\.test\.ts$/;

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => isText.test(path) && !isExempt.test(path))
  .flatMap((path) => {
    const text = textOf(path);
    return text === null ? [] : [{ path, lines: text.split('\n') }];
  });

test.each(phrases)('No text contains $pattern', ({ pattern, instead }) => {
  const found = files.flatMap(({ path, lines }) =>
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
