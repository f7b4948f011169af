import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../../src/platform/server/secrets/secret-box.js';

const box = createSecretBox(Buffer.alloc(32, 1));
const secret = 'a token of a code host';

describe('a sealed secret', () => {
  it('opens with the key and the context that sealed it', () => {
    for (const plaintext of [secret, '', 'schlüssel 🔑', 'x'.repeat(100_000)]) {
      expect(box.open(box.seal(plaintext, 'integration:1'), 'integration:1')).toBe(plaintext);
    }
  });

  it('does not show the secret', () => {
    expect(box.seal(secret, 'integration:1').includes(secret)).toBe(false);
  });

  it('looks different each time', () => {
    expect(box.seal(secret, 'integration:1').equals(box.seal(secret, 'integration:1'))).toBe(false);
  });

  it('does not open with another context', () => {
    expect(() => box.open(box.seal(secret, 'integration:1'), 'integration:2')).toThrow();
  });

  it('does not open with another key', () => {
    const other = createSecretBox(Buffer.alloc(32, 2));
    expect(() => other.open(box.seal(secret, 'integration:1'), 'integration:1')).toThrow();
  });

  it('does not open when any byte of it was changed', () => {
    const sealed = box.seal('short', 'integration:1');
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(index) ^ 1, index);
      expect(() => box.open(changed, 'integration:1')).toThrow();
    }
  });

  it('does not open when it was truncated, even within its tag', () => {
    const sealed = box.seal('', 'integration:1');
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => box.open(sealed.subarray(0, length), 'integration:1')).toThrow();
    }
  });

  it('reveals nothing in the error when it does not open', () => {
    const sealed = box.seal(secret, 'integration:1');
    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'integration:1')).not.toThrow(secret);
  });
});

describe('the fingerprint of a key', () => {
  it('is the same for the same key and different for another', () => {
    expect(createSecretBox(Buffer.alloc(32, 1)).fingerprint).toBe(box.fingerprint);
    expect(createSecretBox(Buffer.alloc(32, 2)).fingerprint).not.toBe(box.fingerprint);
  });

  it('does not contain the key', () => {
    const key = randomBytes(32);
    expect(createSecretBox(key).fingerprint).not.toContain(key.toString('hex').slice(0, 8));
  });
});
