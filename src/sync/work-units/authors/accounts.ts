/** What names and e-mails tell of host accounts: whose account an address is, and which accounts are bots. */

/**
 * Addresses that the hosts make up for accounts that hide their own: `1234+login@users.noreply.github.com` (without the
 * number before 2017) and `1234-login@users.noreply.gitlab.com`; instances of the hosts have their own names behind it.
 */
const NOREPLY = /^(\d+[+-])?([^@+]+)@users\.noreply\.([^@]+)$/i;

/** The login of the account that an address stands for; undefined for any other address. */
export function loginOfAddress(email: string): string | undefined {
  const [, number = '', login, host] = NOREPLY.exec(email.trim()) ?? [];
  if (login === undefined) return undefined;
  // A login of GitHub's may begin with digits and a hyphen.
  return number.endsWith('-') && host?.toLowerCase() === 'github.com' ? number + login : login;
}

/** Accounts that are bots without saying so by `[bot]`, as they call themselves in logins, names and addresses. */
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

/** Accounts that GitLab makes for access tokens. */
const TOKEN_ACCOUNT = /^((?:project|group)_\d+_bot(?:_\w+)?)$/;

/** `dependabot[bot]` for a login, a name or an e-mail of that bot; undefined for people. */
export function botOf(text: string): string | undefined {
  const lower = text.trim().toLowerCase();
  const own = /^(.+?)\[bot\]$/.exec(lower)?.[1];
  const name = own ?? lower;
  const known = BOTS.find(([, pattern]) => pattern.test(name))?.[0] ?? TOKEN_ACCOUNT.exec(name)?.[1] ?? own;
  return known === undefined ? undefined : `${known}[bot]`;
}
