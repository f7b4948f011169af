import { availableParallelism } from 'node:os';
import { hashSync } from '@node-rs/bcrypt';
import { describe, expect, it } from 'vitest';
import { createPasswords, dummyHash, PasswordsBusy } from '../../../../src/platform/identity/passwords/passwords.js';
import { captureLog } from '../../../support/captured-log.js';
import { countComputations } from './computations.js';

const { log } = captureLog();
const testPassword = 'seven quiet rivers 7';
const composed = 'über den Flüssen ﬁng 7';

describe('a password hash', () => {
  const passwords = createPasswords({ cost: 5, queue: 8, log });

  it('is bcrypt of the configured cost', async () => {
    expect(await passwords.hash('seven quiet rivers 7')).toMatch(/^\$2b\$05\$[./A-Za-z0-9]{53}$/);
  });

  it('differs each time, and matches its password only', async () => {
    const [one, other] = [await passwords.hash('seven quiet rivers 7'), await passwords.hash('seven quiet rivers 7')];
    expect(one).not.toBe(other);
    expect(await passwords.matches('seven quiet rivers 7', one)).toBe(true);
    expect(await passwords.matches('seven quiet rivers 8', one)).toBe(false);
  });

  it('still matches when the configured cost is changed', async () => {
    const hash = await createPasswords({ cost: 4, queue: 8, log }).hash('seven quiet rivers 7');
    expect(await passwords.matches('seven quiet rivers 7', hash)).toBe(true);
  });

  it('does not match a password that continues after 72 bytes', async () => {
    const longest = 'é7'.repeat(24);
    const hash = await passwords.hash(longest);
    expect(await passwords.matches(longest, hash)).toBe(true);
    expect(await passwords.matches(`${longest}x`, hash)).toBe(false);
  });
});

describe('a comparison with no hash', () => {
  it('never matches', async () => {
    expect(await createPasswords({ cost: 4, queue: 8, log }).matches('', null)).toBe(false);
  });

  it.each([4, 12, 16])('is one with a hash of the configured cost, %i, in the form of a real one', (cost) => {
    expect(dummyHash(cost)).toMatch(/^\$2b\$\d\d\$[./A-Za-z0-9]{53}$/);
    expect(dummyHash(cost).slice(0, 7)).toBe(
      hashSync('seven quiet rivers 7', 4).slice(0, 4) + String(cost).padStart(2, '0') + '$',
    );
  });

  it('costs as much as one with a hash', async () => {
    const passwords = createPasswords({ cost: 4, queue: 8, log });
    const hash = await passwords.hash('seven quiet rivers 7');
    const one = { computations: 1, result: false };
    expect(await countComputations(() => passwords.matches('another', hash))).toEqual(one);
    expect(await countComputations(() => passwords.matches('another', null))).toEqual(one);
  });
});

describe('an outdated hash', () => {
  const passwords = createPasswords({ cost: 5, queue: 8, log });

  it('has a lower cost than the configured one; a higher one stays', async () => {
    const compare = (cost: number): Promise<string> => passwords.compare(testPassword, hashSync(testPassword, cost));
    expect(await Promise.all([4, 5, 6].map(compare))).toEqual(['outdated', 'equal', 'equal']);
  });

  it('is that of a text which was not normalized, and which still matches', async () => {
    const hash = hashSync(composed.normalize('NFD'), 5);
    expect(await passwords.compare(composed.normalize('NFD'), hash)).toBe('outdated');
    expect(await passwords.compare(composed, hash)).toBe('different'); // as it was before
  });

  it('is kept if the normalized text is longer than bcrypt reads', async () => {
    const entered = `7${'ﷺ'.repeat(12)}`;
    expect([entered, entered.normalize('NFKC')].map((text) => Buffer.byteLength(text) <= 72)).toEqual([true, false]);
    const hash = hashSync(entered, 5);
    expect(await passwords.compare(entered, hash)).toBe('equal');
    expect(await passwords.compare(`${entered}ﷺ`, hash)).toBe('different');
  });
});

describe('a password with letters that keyboards send in several ways', () => {
  const passwords = createPasswords({ cost: 4, queue: 8, log });

  it.each(['NFC', 'NFD', 'NFKC', 'NFKD'])('has a hash that matches its form %s', async (form) => {
    const hash = await passwords.hash(composed);
    expect(await passwords.compare(composed.normalize(form), hash)).toBe('equal');
    expect(await passwords.compare('über den Flüssen 8', hash)).toBe('different');
  });

  it('may be longer than 72 bytes if its normalized form is not', async () => {
    const wide = 'ｓｅｖｅｎ　ｑｕｉｅｔ　ｒｉｖｅｒｓ　７７７７７７';
    expect(Buffer.byteLength(wide)).toBeGreaterThan(72);
    expect(await passwords.compare(wide, await passwords.hash(wide))).toBe('equal');
  });

  it('is compared as often without a hash as with one', async () => {
    const hash = await passwords.hash('another');
    const two = { computations: 2, result: false };
    expect(await countComputations(() => passwords.matches('u\u0308ber 7', hash))).toEqual(two);
    expect(await countComputations(() => passwords.matches('u\u0308ber 7', null))).toEqual(two);
  });
});

describe('more computations than threads and places in the queue', () => {
  it('are refused, and are admitted again when one is done', async () => {
    const passwords = createPasswords({ cost: 6, queue: 1, log });
    const admitted = Array.from({ length: availableParallelism() + 1 }, () => passwords.hash('seven quiet rivers 7'));
    await expect(passwords.hash('seven quiet rivers 7')).rejects.toThrow(PasswordsBusy);
    await expect(passwords.matches('seven quiet rivers 7', null)).rejects.toThrow(PasswordsBusy);
    await Promise.all(admitted);
    expect(await passwords.matches('seven quiet rivers 7', null)).toBe(false);
    await passwords.close();
  });
});

describe('computations that wait when the server stops', () => {
  it('are refused as those that find no place', async () => {
    const passwords = createPasswords({ cost: 12, queue: 8, log });
    const waiting = Array.from({ length: availableParallelism() + 4 }, () => passwords.hash('seven quiet rivers 7'));
    const ended = Promise.allSettled(waiting);
    await passwords.close();
    const reasons = (await ended).flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toBeInstanceOf(PasswordsBusy);
  });
});
