import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMemory } from '../../../../src/compose/model/normalize/memory.js';
import { loadFailure, loadWeb } from '../project-folder.js';

const UNIT_POWERS: Readonly<Record<string, bigint>> = { '': 0n, b: 0n, k: 10n, m: 20n, g: 30n, t: 40n };
const UINT64_MAX = 2n ** 64n - 1n;

describe('memory quantities', () => {
  it.each([
    ['1', 1n],
    ['0', 0n],
    ['1b', 1n],
    ['1k', 1024n],
    ['1K', 1024n],
    ['1kb', 1024n],
    ['1Ki', 1024n],
    ['1KiB', 1024n],
    ['2m', 2_097_152n],
    ['2Mi', 2_097_152n],
    ['3g', 3_221_225_472n],
    ['1T', 1_099_511_627_776n],
    ['1Ti', 1_099_511_627_776n],
    ['1.5g', 1_610_612_736n],
    ['.5k', 512n],
    ['1.k', 1024n],
    ['0.0001b', 0n],
    ['+2k', 2048n],
    ['  5m ', 5_242_880n],
    ['5 m', 5_242_880n],
    ['18446744073709551615', UINT64_MAX],
    ['16777215t', 16_777_215n * 2n ** 40n],
    ['000000000000000000000000000001', 1n],
  ])('reads %s', (text, bytes) => {
    expect(parseMemory(text)).toBe(bytes);
  });

  it.each([
    ['', 'empty'],
    [' \t', 'empty'],
    ['abc', 'invalid'],
    ['1x', 'invalid'],
    ['1p', 'invalid'],
    ['k', 'invalid'],
    ['.', 'invalid'],
    ['1e3', 'invalid'],
    ['0x10', 'invalid'],
    ['1,5g', 'invalid'],
    ['1  m', 'invalid'],
    ['1bi', 'invalid'],
    ['--1', 'invalid'],
    ['-1', 'negative'],
    ['-0.5g', 'negative'],
    ['18446744073709551616', 'overflow'],
    ['16777216t', 'overflow'],
    [`1${'0'.repeat(100_000)}`, 'overflow'],
  ])('refuses %j as %s', (text, problem) => {
    expect(parseMemory(text)).toBe(problem);
  });

  it('converts whole and fractional digits exactly, up to 64 bits', () => {
    const suffix = fc.constantFrom(
      '',
      'b',
      'k',
      'm',
      'g',
      't',
      'B',
      'K',
      'M',
      'G',
      'T',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'kb',
      'MiB',
    );
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 66n),
        fc.bigInt(0n, 999_999n),
        suffix,
        fc.constantFrom('', ' '),
        (whole, millionths, unit, gap) => {
          const power = UNIT_POWERS[unit.charAt(0).toLowerCase()] ?? 0n;
          const bytes = ((whole * 1_000_000n + millionths) << power) / 1_000_000n;
          const text = `${String(whole)}.${String(millionths).padStart(6, '0')}${gap}${unit}`;
          expect(parseMemory(text)).toBe(bytes > UINT64_MAX ? 'overflow' : bytes);
        },
      ),
    );
  });

  it('reads the decimal text of any whole number of bytes', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, UINT64_MAX), (bytes) => {
        expect(parseMemory(String(bytes))).toBe(bytes);
      }),
    );
  });

  it('yields a quantity or one of the four errors for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.+- bkmgtKMGTix'.split('')) }), (text) => {
        const parsed = parseMemory(text);
        expect(typeof parsed === 'bigint' || ['empty', 'invalid', 'negative', 'overflow'].includes(parsed)).toBe(true);
        if (typeof parsed === 'bigint') expect(parsed >= 0n && parsed <= UINT64_MAX).toBe(true);
      }),
    );
  });
});

describe('memory fields', () => {
  it('keep the text as written for the runtime', async () => {
    const web = await loadWeb('mem_limit: 1.5G\nmem_reservation: 1048576\ndeploy: {resources: {limits: {pids: 1}}}');
    expect([web.mem_limit, web.mem_reservation]).toEqual(['1.5G', '1048576']);
  });

  it.each([
    ['mem_limit: ""', 'empty', {}],
    ['mem_limit: lots', 'invalid', { input: 'lots' }],
    ['mem_reservation: -1g', 'negative', { input: '-1g' }],
    ['mem_limit: 99999999999999999999', 'overflow', { input: '99999999999999999999' }],
    ['deploy: {resources: {limits: {memory: 1q}}}', 'invalid', { input: '1q' }],
    ['deploy: {resources: {reservations: {memory: " "}}}', 'empty', {}],
  ])('fail for %s as ComposeMemoryParseError.%s, with the line', async (body, failureCase, fields) => {
    const failure = await loadFailure(`services:\n  web:\n    image: nginx\n    ${body}\n`);
    expect(failure).toMatchObject({
      error: 'ComposeMemoryParseError',
      case: failureCase,
      fields,
      location: { line: 4 },
    });
  });

  it('allow -1 for unlimited swap', async () => {
    expect((await loadWeb('memswap_limit: -1')).memswap_limit).toBe('-1');
  });
});
