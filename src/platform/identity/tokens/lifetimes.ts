/** Lifetimes in seconds. */
export const accessTokenSeconds = 15 * 60;
/** Restarts with each rotation. */
export const refreshTokenSeconds = 7 * 24 * 3600;
/** A session ends after this time, regardless of rotations. */
export const refreshFamilySeconds = 30 * 24 * 3600;
export const verificationTokenSeconds = 24 * 3600;
/** An unverified account is removed after this time. */
export const unverifiedAccountSeconds = 7 * 24 * 3600;
export const emailChangeTokenSeconds = 24 * 3600;
export const resetTokenSeconds = 3600;
export const inviteTokenSeconds = 72 * 3600;
/** The link "this was not me" of mails about the security of an account. */
export const securityLinkSeconds = 7 * 24 * 3600;
