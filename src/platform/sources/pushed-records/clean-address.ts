import { addressOf, identityOfRemote } from '../../../sync/identity.js';

/** What is wrong with a text that is not an address. */
export const notAnAddress = 'must be the address of a repository at a host, such as https://github.com/acme/shop';

/** Whether a text is the address of a repository at a host, whose name can be stored. */
export function isAddress(text: string): boolean {
  const identity = identityOfRemote(text);
  // A character of the address may be encoded, and then be any.
  return identity !== undefined && !/[\u0000-\u001f\u007f\ud800-\udfff]/u.test(identity.name);
}

/** The address of the same repository, without credentials, parameters and other spellings. @throws if it is not one */
export function cleanAddress(text: string): string {
  const identity = identityOfRemote(text);
  if (identity === undefined) throw new Error('A pushed record names no repository of a host');
  return addressOf(identity);
}
