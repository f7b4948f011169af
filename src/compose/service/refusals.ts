/** Why a server does not come to listen, or a client not into the auth store; beside the catalogue's own errors. */

/** Options that do not go together, or name files that are not what they should be: wrong usage. */
export class ListenOptionsError extends Error {
  override readonly name = 'ListenOptionsError';
}

/** An address that cannot be had: it is taken, or not this machine's, or not this user's. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A name or a certificate that cannot be put into the auth store: wrong usage. */
export class InvalidClient extends Error {
  override readonly name = 'InvalidClient';
}
