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

/**
 * Programs whose logins, names and addresses do not show that they are programs, and those with several names, as they
 * author commits of open source projects. The patterns match text in lower case, without `[bot]`.
 */
const BOTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['dependabot', /^dependabot(?:-preview|-support)?$|^support@dependabot\.com$/],
  ['renovate', /^renovate(?:[- ]?bot)?$|^(?:bot|renovate)@(?:renovateapp\.com|whitesourcesoftware\.com)$/],
  ['github-actions', /^github[- ]actions?$|^(?:github-)?actions?@github\.com$/],
  ['greenkeeper', /^greenkeeper(?:[- ]?bot|-io)?$|^support@greenkeeper\.io$/],
  ['pre-commit-ci', /^pre-commit-ci$/],
  ['pyup', /^pyup-bot$|^github-bot@pyup\.io$/],
  ['snyk', /^snyk-bot$|^snyk-bot@snyk\.io$/],
  ['semantic-release', /^semantic-release-bot$|^semantic-release-bot@martynus\.net$/],
  ['allcontributors', /^allcontributors$/],
  ['imgbot', /^imgbot(?:app)?$|^imgbothelp@gmail\.com$/],
  ['mergify', /^mergify$/],
  ['depfu', /^depfu$/],
  ['weblate', /^(?:hosted )?weblate$|^hosted@weblate\.org$|^noreply@weblate\.org$/],
  ['transifex', /^transifex(?:-integration)?$/],
  ['crowdin', /^crowdin bot$|^support\+bot@crowdin\.com$/],
  ['translatewiki', /^translatewiki\.net$|^l10n-bot@translatewiki\.net$/],
  ['gitlab-bot', /^gitlab bot$|^gitlab-bot@gitlab\.com$/],
  ['gitlab-release-tools-bot', /^gitlab release tools bot$|^delivery-team\+release-tools@gitlab\.com$/],
  ['k8s-ci-robot', /^k8s\.ci\.robot@gmail\.com$|^kubernetes prow robot$/],
  ['k8s-merge-robot', /^kubernetes submit queue$/],
  ['istio-testing', /^istio-testing(?:-bot@google\.com)?$/],
  ['facebook-github-bot', /^facebook (?:community|github) bot$/],
  ['yoshi-automation', /^yoshi[- ](?:code[- ]bot|automation)$|^yoshi-automation@google\.com$/],
  ['copybara', /^copybara[- ]service$|^copybara-(?:worker|service)@google\.com$/],
  ['tensorflower-gardener', /^tensorflower[- ]gardener$|^a?\.?gardener@tensorflow\.org$/],
  ['pytorchmergebot', /^pytorch(?:mergebot| mergebot|bot)$/],
  ['bors', /^bors(?:-servo|-ng)?$|^bors@rust-lang\.org$/],
  ['homu', /^homu$/],
  ['rust-highfive', /^rust-highfive$|^highfive$/],
  ['rustbot', /^rustbot$/],
  ['brewtestbot', /^brewtestbot$|^brew-test-bot@googlegroups\.com$/],
  ['r-ryantm', /^r\. ?ryantm$|^r-ryantm$/],
  ['conda-forge-admin', /^conda-forge-admin$/],
  ['scala-steward', /^scala[- ]steward$|^me@scala-steward\.org$/],
  ['swift-ci', /^swift-ci$/],
  ['openstack-proposal', /^openstack proposal bot$/],
  ['zuul', /^zuul$|^zuul@review\.(?:opendev|openstack)\.org$/],
  ['nextcloud-command', /^nextcloud-command$/],
  ['scrutinizer', /^scrutinizer auto-fixer$|^auto-fixer@scrutinizer-ci\.com$/],
  ['styleci', /^styleci bot$|^bot@styleci\.io$/],
  ['deepsource', /^deepsource bot$|^bot@deepsource\.io$/],
  ['restyled-io', /^restyled\.io$|^commits@restyled\.io$/],
  ['codecov-commenter', /^codecov(?:-commenter|-io)$/],
  ['gitter-badger', /^(?:the )?gitter[- ]badger$|^badger@gitter\.im$/],
  ['travis-ci', /^travis[- ]ci$|^(?:builds|deploy|travis)@travis-ci\.(?:org|com)$/],
  ['jenkins', /^jenkins$/],
  ['claude', /^noreply@anthropic\.com$/],
  ['cursoragent', /^cursoragent(?:@cursor\.com)?$|^cursor agent$/],
];

/** Accounts that GitLab creates for access tokens. */
const TOKEN_ACCOUNT = /^((?:project|group)_\d+_bot(?:_\w+)?)$/;

/**
 * Names that end like those of programs: `openshift-bot`, `ci-robot`, `Nextcloud bot`, `Release Robot`, `BackportBot`. `Jan Bot`
 * is a person, because Bot is a surname. In an address, what follows a plus is a folder of the mailbox.
 */
const NAMED_AS_BOT = /^[^+]*(?:[-_](?:ro)?bot|\s(?:bot|[Rr]obot)|[a-z]Bot)$/;

/** The bot, such as `dependabot[bot]`, of a login, name or e-mail; undefined for people. */
export function botOf(text: string): string | undefined {
  const trimmed = text.trim();
  const lower = trimmed.toLowerCase();
  const own = /^(.+?)\[bot\]$/.exec(lower)?.[1];
  const name = own ?? lower;
  const known = BOTS.find(([, pattern]) => pattern.test(name))?.[0] ?? TOKEN_ACCOUNT.exec(name)?.[1] ?? own;
  const bot = known ?? namedAsBot(trimmed.split('@')[0] ?? '');
  return bot === undefined ? undefined : `${bot}[bot]`;
}

function namedAsBot(name: string): string | undefined {
  return NAMED_AS_BOT.test(name) ? name.toLowerCase().replaceAll(/\s+/g, '-') : undefined;
}
