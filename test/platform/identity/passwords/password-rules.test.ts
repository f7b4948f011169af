import { describe, expect, it } from 'vitest';
import { checkPassword } from '../../../../src/platform/identity/passwords/password-rules.js';

const rulesOf = async (password: string): Promise<string[]> => (await checkPassword(password)).map(({ rule }) => rule);

describe('a password', () => {
  it.each(['seven quiet rivers 7', 'ежи едят грибы 7', '鯨が泳ぐ青い海の上空を飛ぶ7'])(
    'of twelve characters and more with a letter and a digit is accepted: %s',
    async (password) => {
      expect(await rulesOf(password)).toEqual([]);
    },
  );

  it('of eleven characters is too short', async () => {
    expect(await rulesOf('quiet rive7')).toEqual(['min_length']);
  });

  it('is measured in characters, of which one may take several code units', async () => {
    expect(await rulesOf('a7🐋🐙🦀🐬🦭🐳🦑🐡🐠🦈')).toEqual([]);
    expect(await rulesOf('a7🐋🐋🐋🐋🐋')).toEqual(['min_length']);
  });

  it('is measured before and after its normalization, and has at most 72 bytes after it', async () => {
    expect(await rulesOf('7ﷺ')).toContain('min_length'); // 19 characters after it
    expect(await rulesOf('u\u0308'.repeat(9) + '7')).toContain('min_length'); // 10 characters after it
    expect(await rulesOf(`7${'ﷺ'.repeat(12)}`)).toContain('max_bytes');
    expect(await rulesOf('ｓｅｖｅｎ　ｑｕｉｅｔ　ｒｉｖｅｒｓ　７７７７７７')).toEqual([]);
    expect(await rulesOf('Ｓｕｍｍｅｒ２０２６！！')).toEqual(['common']);
  });

  it('of 72 bytes is accepted, of 73 not', async () => {
    const longest = 'quiet river 7 '.repeat(6).slice(0, 72);
    expect(await rulesOf(longest)).toEqual([]);
    expect(await rulesOf(`${longest}x`)).toEqual(['max_bytes']);
  });

  it('is estimated by its first 32 characters: later ones do not improve an easy beginning', async () => {
    expect(await rulesOf(`${'a1'.repeat(16)}vkqzwxjhpm`)).toEqual(['common']);
    expect(await rulesOf(`seven quiet rivers 7${'1'.repeat(50)}`)).toEqual([]);
  });

  it('of few characters with many bytes is too long', async () => {
    expect(await rulesOf(`7${'海'.repeat(24)}`)).toEqual(['max_bytes']);
  });

  it('without a letter is refused', async () => {
    expect(await rulesOf('4071-8815-2293')).toEqual(['letter']);
  });

  it('without a digit is refused', async () => {
    expect(await rulesOf('seven quiet rivers')).toEqual(['digit']);
  });

  it.each([
    ...['password1234', 'PassWord1234', 'Password12345', 'iloveyou1234', 'aaaaaaaaaaa1', 'qwertyuiop12'],
    ...['1q2w3e4r5t6y', 'P@ssw0rd1234', 'abcdefghijk1', 'trustno1trustno1', 'Plumbline2026!'],
  ])('that is easy to guess is refused: %s', async (password) => {
    expect(await rulesOf(password)).toEqual(['common']);
  });

  it.each([
    ...['Summer2026!!', 'Winter2025!!', 'Spring2026!!!', 'August2026!!!', 'Welcome2026!!', 'Company2026!!'],
    ...[
      'London2026!!',
      'Plumbline2026!!',
      'contraseña123',
      'пароль123456',
      '!!2026Summer',
      'Summer-2026-!',
      '2026 Summer 1!',
      'Summer!!2026Winter',
      'June!2026!July',
      'Spring-2026-Autumn!',
    ],
  ])('is refused if it is a common word with a year, numbers and signs: %s', async (password) => {
    expect(await rulesOf(password)).toEqual(['common']);
  });

  it.each(['Robin2026!!!', 'Acme2026!!!!', 'robin.example1990', '#Miller#2025#', 'Robin.Miller1!'])(
    'is refused if it is only a name of the owner with a year and signs around it: %s',
    async (password) => {
      const owner = { email: 'robin.example@acme.example', fullName: 'Robin Miller', organizationNames: ['Acme'] };
      expect((await checkPassword(password, owner)).map(({ rule }) => rule)).toEqual(['common']);
    },
  );

  it.each([
    '2026 vkqzwxjh!!',
    'Xk29fjq0-2026',
    '7f3-0091-2245-8',
    'harbour-kettle-9!',
    'harbour 1984 kettle',
    'kqx42mzpw7t3',
    'Ki7!xQ2v 2026',
  ])('is accepted if it is hard to guess even without its numbers and signs: %s', async (password) => {
    expect(await rulesOf(password)).toEqual([]);
  });

  it.each(['robin7.miller@example.com', 'Robin7.Miller@Example.com', 'miller1robin', 'exampleworks1'])(
    'made of known facts about its owner is refused: %s',
    async (password) => {
      const owner = {
        email: 'robin7.miller@example.com',
        fullName: 'Robin Miller',
        organizationNames: ['Example Works'],
      };
      expect((await checkPassword(password, owner)).map(({ rule }) => rule)).toEqual(['common']);
    },
  );

  it.each(['nine loud harbours 9', 'correct horse battery 1', 'tr0mbone-Kettle-92', 'Xk29fjq0Zmwp'])(
    'that is hard to guess is accepted: %s',
    async (password) => {
      expect(await rulesOf(password)).toEqual([]);
    },
  );

  it('is checked against every rule at once', async () => {
    expect(await rulesOf('')).toEqual(['min_length', 'letter', 'digit']);
    expect(await rulesOf('123456')).toEqual(['min_length', 'letter']);
  });

  it('that is refused is not repeated in the messages', async () => {
    const violations = await checkPassword('hunter2');
    expect(violations.length).toBeGreaterThan(0);
    expect(JSON.stringify(violations)).not.toContain('hunter2');
  });
});
