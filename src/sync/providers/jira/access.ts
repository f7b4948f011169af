/** How requests to Jira are addressed and authorized, in a sync and in tests of a token. */

export const API_PATH = '/rest/api/2';

/**
 * The header for a token. Cloud has tokens of users, which count together with their email address (`email:token`).
 * Data Center has personal access tokens, which never contain a colon; OAuth tokens do not either.
 */
export function authorizationOf(token: string): string {
  return token.includes(':') ? `Basic ${Buffer.from(token, 'utf8').toString('base64')}` : `Bearer ${token}`;
}
