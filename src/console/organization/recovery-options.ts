import type { Schemas } from '@plumbline/sdk/platform';

/**
 * Who can be the recovery owner, by id. The current one is an option also while the members are loading or cannot be
 * loaded: saving the form must not replace that owner by nobody.
 *
 * @param current the id of the current one; null: none
 */
export function recoveryOptions(
  current: string | null,
  owners: readonly Pick<Schemas['Member'], 'user_id' | 'email'>[],
): Readonly<Record<string, string>> {
  return {
    '': 'nobody',
    ...(current !== null && { [current]: 'the current recovery owner' }),
    ...Object.fromEntries(owners.map(({ user_id: id, email }) => [id, email])),
  };
}
