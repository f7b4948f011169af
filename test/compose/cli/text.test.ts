/** Text from servers and containers does not control the terminal. */
import { expect, test } from 'vitest';
import { printable, table } from '../../../src/compose/cli/text.js';

const hostile = 'web\u001b]0;title\u0007\u009b2J';

test('a table removes control characters from its cells', () => {
  expect(table(['NAME', hostile], [[hostile, 'up']])).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('one-byte control sequences are removed, too', () => {
  expect(printable('a\u009b2Jb')).toBe('a2Jb');
});
