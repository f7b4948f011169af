/** Lifetimes in seconds. */
export const accessTokenSeconds = 15 * 60;
/** Slides: each rotation starts it anew. */
export const refreshTokenSeconds = 7 * 24 * 3600;
/** However often it is rotated, a session ends after this. */
export const refreshFamilySeconds = 30 * 24 * 3600;
export const verificationTokenSeconds = 24 * 3600;
/** An account that is not verified by then is removed. */
export const unverifiedAccountSeconds = 7 * 24 * 3600;
export const resetTokenSeconds = 3600;
export const inviteTokenSeconds = 72 * 3600;
