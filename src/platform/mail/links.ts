/** The pages of the application that mails lead to, on `APP_BASE_URL`. */
export function mailLink(
  appBaseUrl: string,
  page: 'verify' | 'not-me' | 'reset-password' | 'accept-invite',
  token: string,
): string {
  return `${appBaseUrl}/${page}?token=${encodeURIComponent(token)}`;
}
