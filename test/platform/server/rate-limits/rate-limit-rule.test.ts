import { describe, expect, it } from 'vitest';
import { parseRateLimit } from '../../../../src/platform/server/rate-limits/rate-limit-rule.js';

describe('a rate limit', () => {
  it.each([
    ['5/second', 5, 1],
    ['30/minute', 30, 60],
    ['3/hour', 3, 3600],
    ['100/day', 100, 86_400],
    ['20/15m', 20, 900],
    ['1/90s', 1, 90],
    ['7/2h', 7, 7200],
    ['7/2d', 7, 172_800],
  ])('%s allows %i requests per %i seconds', (text, limit, windowSeconds) => {
    expect(parseRateLimit(text)).toEqual({ limit, windowSeconds });
  });

  it('is none when it is off', () => {
    expect(parseRateLimit('off')).toBeNull();
  });

  it.each([
    '',
    '0/hour',
    '-1/hour',
    '3',
    '3/',
    '/hour',
    '3/fortnight',
    '3/0m',
    '3 / hour',
    '3/hour ',
    'Off',
    '1e3/hour',
  ])('is not read from "%s"', (text) => {
    expect(() => parseRateLimit(text)).toThrow(/must be like 3\/hour/);
  });
});
