import { expect, test } from 'vitest';
import { passwordFaults, usualWords } from '../../src/console/enter/password-check.js';
import { checkPassword } from '../../src/platform/identity/passwords/password-rules.js';

const owner = { email: 'robin@example.com', fullName: 'Robin Featherstone', organizationNames: ['Acme Works'] };
const known = [owner.email, owner.fullName, ...owner.organizationNames];

const weak = [
  'short',
  '',
  'seven quiet rivers',
  '777777777777',
  `1${'ä'.repeat(40)}`,
  'Summer2026!!',
  '!!2026Password',
  'Robin2026!!!!',
  'Featherstone1!',
  'Acme2026!!!!',
  ...usualWords.map((word) => `${word}2026!!!!!!!`),
];

test.each(weak)('The form refuses %j by itself, and so does the server', async (password) => {
  expect(passwordFaults(password, known)).not.toEqual([]);
  expect(await checkPassword(password, owner)).not.toEqual([]);
});

test.each(['seven quiet rivers 7', 'пароль из трёх слов 3', 'Summer of Robin at 9 Acme'])(
  'The form sends %j',
  (password) => {
    expect(passwordFaults(password, known)).toEqual([]);
  },
);

test('The form names the broken rules in the words of the server', async () => {
  for (const password of ['short', '777777777777', `1${'ä'.repeat(40)}`]) {
    const messages = (await checkPassword(password, owner)).map(({ message }) => message);
    expect(passwordFaults(password, known)).toEqual(messages);
  }
});
