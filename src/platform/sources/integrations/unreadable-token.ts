/** Why the token of an integration cannot be used, for its users. */
export const unreadableToken =
  'The stored token cannot be decrypted because SECRETS_KEY has changed. Connect the integration again.';
