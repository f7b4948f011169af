/** Builds the links in mails to pages of the application at `APP_BASE_URL`. */
export function mailLink(
  appBaseUrl: string,
  page: 'verify' | 'not-me' | 'confirm-email' | 'secure-account' | 'reset-password' | 'accept-invite',
  token: string,
): string {
  return `${appBaseUrl}/${page}?token=${encodeURIComponent(token)}`;
}
