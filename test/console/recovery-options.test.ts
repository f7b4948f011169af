import { expect, test } from 'vitest';
import { recoveryOptions } from '../../src/console/organization/recovery-options.js';

const owner = { user_id: '5f0c0f5e-7d5c-4b62-9a35-0d7f1b0c7c11', email: 'robin@example.com' };

test('The current recovery owner can be chosen before the members are known', () => {
  expect(recoveryOptions(owner.user_id, [])).toEqual({ '': 'nobody', [owner.user_id]: 'the current recovery owner' });
});

test('The owners can be chosen by their addresses, also the current one', () => {
  expect(recoveryOptions(owner.user_id, [owner])).toEqual({ '': 'nobody', [owner.user_id]: owner.email });
  expect(recoveryOptions(null, [owner])).toEqual({ '': 'nobody', [owner.user_id]: owner.email });
});

test('Nobody is the only option without owners', () => {
  expect(recoveryOptions(null, [])).toEqual({ '': 'nobody' });
});
