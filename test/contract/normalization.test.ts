import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeEmail } from '../../src/contract/normalization.js';

describe('a normalized e-mail address', () => {
  it.each([
    [' Robin@Example.COM\n', 'robin@example.com'],
    ['robin@Bücher.Example', 'robin@xn--bcher-kva.example'],
    ['robin@BU\u0308CHER.example', 'robin@xn--bcher-kva.example'],
    ['robin@ß.example', 'robin@xn--zca.example'],
    ['robin@ẞ.example', 'robin@xn--zca.example'],
    ['robin@STRAẞE.example', 'robin@xn--strae-oqa.example'],
    ['robin@xn--bcher-kva.example', 'robin@xn--bcher-kva.example'],
    ['robin@例え。jp', 'robin@xn--r8jz45g.jp'],
    ['"a@b"@Example.com', '"a@b"@example.com'],
    ['nobody', 'nobody'],
    ['@', '@'],
  ])('of %j is %j', (given, expected) => {
    expect(normalizeEmail(given)).toBe(expected);
  });

  it('does not change when it is normalized again', () => {
    const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.emailAddress());
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 3 }), fc.constantFrom('@', '', '.'), (parts, joint) => {
        const once = normalizeEmail(parts.join(joint));
        expect(normalizeEmail(once)).toBe(once);
      }),
    );
  });

  it.each([
    ['a Kelvin sign in the local part', 'ro\u212ain@example.com'],
    ['a percent escape in the domain', 'robin@ex%61mple.com'],
    ['a percent escape beside other scripts', 'robin@ü%2e.example.com'],
    ['a path behind the domain', 'robin@bücher.example/x'],
    ['a fullwidth slash in the domain', 'robin@example.com\uff0fx'],
    ['a zero-width joiner in the domain', 'robin@exam\u200dple.com'],
  ])('does not change %s', (_what, given) => {
    expect(normalizeEmail(given)).toBe(given);
  });
});
