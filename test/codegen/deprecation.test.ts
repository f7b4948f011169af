import { describe, expect, test } from 'vitest';
import { readDeprecation } from '../../src/codegen/derive/deprecation.js';

const operation = { operationId: 'getThing', summary: 'Get a thing', responses: {} };

test('an operation that is not deprecated has no such headers', () => {
  expect(readDeprecation(operation)).toBeNull();
  expect(readDeprecation({ ...operation, deprecated: false })).toBeNull();
});

test('days become the beginning of the day in UTC, in the form of each header', () => {
  const deprecated = { ...operation, deprecated: true, 'x-deprecated-since': '2026-11-30' };
  expect(readDeprecation(deprecated)).toEqual({ Deprecation: '@1795996800' });
  expect(new Date(1_795_996_800_000).toISOString()).toBe('2026-11-30T00:00:00.000Z');
  expect(readDeprecation({ ...deprecated, 'x-sunset': '2027-05-31' })).toEqual({
    Deprecation: '@1795996800',
    Sunset: 'Mon, 31 May 2027 00:00:00 GMT',
  });
});

describe('is refused:', () => {
  test.each([
    ['a deprecated operation without a day', { deprecated: true }, 'x-deprecated-since: it is missing'],
    [
      'a day that does not exist',
      { deprecated: true, 'x-deprecated-since': '2026-02-30' },
      '"2026-02-30" has to be a day',
    ],
    ['a time', { deprecated: true, 'x-deprecated-since': '2026-11-30T00:00:00Z' }, 'has to be a day'],
    ['a number', { deprecated: true, 'x-deprecated-since': 20_261_130 }, '20261130 has to be a day'],
    [
      'an end that is not later',
      { deprecated: true, 'x-deprecated-since': '2026-11-30', 'x-sunset': '2026-11-30' },
      'x-sunset is a day after x-deprecated-since',
    ],
    ['an end of what is not deprecated', { 'x-sunset': '2026-11-30' }, 'for operations with deprecated: true'],
    [
      'a beginning of what is not deprecated',
      { 'x-deprecated-since': '2026-11-30' },
      'for operations with deprecated: true',
    ],
  ])('%s', (_name, keywords, says) => {
    expect(() => readDeprecation({ ...operation, ...keywords })).toThrow(says);
  });
});
