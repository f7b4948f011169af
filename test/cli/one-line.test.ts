import { describe, expect, test } from 'vitest';
import { oneLine, safeLines } from '../../src/cli/one-line.js';

describe('Text from other sources', () => {
  test('keeps its tabs and line ends, and no other control character', () => {
    expect(safeLines('a\tb\r\nc\n\u001b[2Jd')).toBe('a\tb\r\nc\n\ufffd[2Jd');
    expect(oneLine('a\tb\r\nc')).toBe('a\ufffdb\ufffd\ufffdc');
  });

  test('cannot overwrite its line with a lone carriage return', () => {
    expect(safeLines('REVOKED\rvalid  \r\r\nend\r')).toBe('REVOKED\ufffdvalid  \ufffd\r\nend\ufffd');
  });

  test.each(['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'])(
    'has no bidirectional control %j',
    (control) => {
      expect([oneLine(`a${control}b`), safeLines(`a${control}b`)]).toEqual(['a\ufffdb', 'a\ufffdb']);
    },
  );
});
