/** Start-up and auth store errors that are not in the error catalogue. */

/** Incompatible options, or invalid files named by options: a usage error. */
export class ListenOptionsError extends Error {
  override readonly name = 'ListenOptionsError';
}

/** An unavailable address: in use, not local, or not permitted. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A name or certificate that the auth store does not accept: a usage error. */
export class InvalidClient extends Error {
  override readonly name = 'InvalidClient';
}
