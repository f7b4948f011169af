/** Detects host accounts from names and e-mails: the account of an address, and whether an account is a bot. */

/**
 * Addresses that the hosts generate for accounts that hide their address: `1234+login@users.noreply.github.com`
 * (without the number before 2017) and `1234-login@users.noreply.gitlab.com`; self-hosted instances have other host
 * names at the end.
 */
const NOREPLY = /^(\d+[+-])?([^@+]+)@users\.noreply\.([^@]+)$/i;

/** The login of the account with this address; undefined if it is not a generated address. */
export function loginOfAddress(email: string): string | undefined {
  const [, number = '', login, host] = NOREPLY.exec(email.trim()) ?? [];
  if (login === undefined) return undefined;
  // On GitHub, a login may begin with digits and a hyphen.
  return number.endsWith('-') && host?.toLowerCase() === 'github.com' ? number + login : login;
}

/** Bots whose logins, names and addresses lack the suffix `[bot]`. */
const BOTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['dependabot', /^dependabot(?:-preview|-support)?$|^support@dependabot\.com$/],
  ['renovate', /^renovate(?:[- ]?bot)?$|^(?:bot|renovate)@(?:renovateapp\.com|whitesourcesoftware\.com)$/],
  ['github-actions', /^github[- ]actions?$/],
  ['greenkeeper', /^greenkeeper(?:[- ]?bot|-io)?$|^support@greenkeeper\.io$/],
  ['pre-commit-ci', /^pre-commit-ci$/],
  ['pyup', /^pyup-bot$|^github-bot@pyup\.io$/],
  ['snyk', /^snyk-bot$|^snyk-bot@snyk\.io$/],
  ['semantic-release', /^semantic-release-bot$|^semantic-release-bot@martynus\.net$/],
  ['allcontributors', /^allcontributors$/],
  ['imgbot', /^imgbot(?:app)?$/],
  ['mergify', /^mergify$/],
];

/** Accounts that GitLab creates for access tokens. */
const TOKEN_ACCOUNT = /^((?:project|group)_\d+_bot(?:_\w+)?)$/;

/** The bot, such as `dependabot[bot]`, of a login, name or e-mail; undefined for people. */
export function botOf(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  const own = /^(.+?)\[bot\]$/.exec(lower)?.[1];
  const name = own ?? lower;
  const known = BOTS.find(([, pattern]) => pattern.test(name))?.[0] ?? TOKEN_ACCOUNT.exec(name)?.[1] ?? own;
  return known === undefined ? undefined : `${known}[bot]`;
}
