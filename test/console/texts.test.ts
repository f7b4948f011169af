import { describe, expect, test } from 'vitest';
import { deviceOf } from '../../src/console/account/device.js';
import { durationsUpTo, numberOf } from '../../src/console/charts/words.js';
import { csvOf } from '../../src/console/ui/csv.js';

describe('CSV', () => {
  test('has a line of headings, and quotes only what needs it', () => {
    const rows = [
      ['plain', 'with, comma', 'with "quotes"'],
      ['two\nlines', null, 12],
    ];
    expect(csvOf(['a', 'b', 'c'], rows)).toBe('a,b,c\r\nplain,"with, comma","with ""quotes"""\r\n"two\nlines",,12\r\n');
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx'])('prevents a spreadsheet from evaluating %j', (text) => {
    expect(csvOf(['a'], [[text]])).toContain(`'${text}`);
  });

  test('does not change negative numbers', () => {
    expect(csvOf(['a'], [[-1]])).toBe('a\r\n-1\r\n');
  });
});

describe('A device', () => {
  test.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36',
      'Chrome on Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML) Chrome/130.0 Safari/537.36 Edg/130.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1 Version/17.0 Safari/604.1',
      'Safari on iOS',
    ],
    ['curl/8.5.0', 'curl'],
    [null, 'Unknown'],
  ])('with the user agent %s is named %s', (userAgent, name) => {
    expect(deviceOf(userAgent)).toBe(name);
  });
});

describe('A number', () => {
  test.each([
    [0.25, '0.25'],
    [12.34, '12.3'],
    [1234.5, '1,235'],
  ])('%d is written as %s', (value, text) => {
    expect(numberOf(value)).toBe(text);
  });

  test('of an axis of durations is in hours up to four days, and in whole parts of days above', () => {
    const [short, long] = [durationsUpTo(96), durationsUpTo(97)];
    expect([short.size, short.format(50)]).toEqual([1, '50 h']);
    expect([long.size, long.format(2 * long.size)]).toEqual([24, '2 d']);
  });
});
