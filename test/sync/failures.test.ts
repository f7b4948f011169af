import { expect, it } from 'vitest';
import { withoutSecrets } from '../../src/sync/failures.js';

it('secrets are replaced in a text', () => {
  expect(withoutSecrets('the token abcd was refused by abcd', ['abcd'])).toBe('the token *** was refused by ***');
});

it('a text of fewer than four characters is not taken for a secret', () => {
  const text = 'The database refuses the password.';
  expect(withoutSecrets(text, ['', 'e', 'se', 'ass'])).toBe(text);
});

it('a secret that contains another one is replaced as a whole', () => {
  expect(withoutSecrets('it is pass-word-1', ['word', 'pass-word-1'])).toBe('it is ***');
});

it('a short password in an address is replaced as part of it', () => {
  expect(withoutSecrets('postgres://u:p@h/d is away', ['p'])).toBe('postgres://***@h/d is away');
});
