/** Checks settings by which a server that others reach is less safe than its operator may think. Asks nobody. */
import type { PlatformSettings } from '../settings.js';
import { findingsOf, type Finding } from './finding.js';

/** Fewer characters can be guessed by trying. */
const shortestMetricsToken = 16;

type Settings = Pick<
  PlatformSettings,
  'host' | 'appBaseUrl' | 'trustedProxies' | 'mailUrl' | 'mailFrom' | 'metricsToken'
>;

/** Returns a finding for the public address, the proxies, the sender of mails, and the token of the metrics. */
export function checkExposure(settings: Settings): Finding[] {
  return [checkAddress(settings), checkProxies(settings), checkSender(settings), checkMetricsToken(settings)];
}

function checkAddress({ host, appBaseUrl }: Settings): Finding {
  const { ok, warning } = findingsOf('public address');
  if (appBaseUrl === null) {
    if (isLoopback(host)) return ok(`The server listens on ${host}, for this machine only.`);
    return warning(
      `The server listens on ${host} for other machines, and APP_BASE_URL is not set: links in mails lead to ${host}.`,
      'Set APP_BASE_URL to the address that people open.',
    );
  }
  const { protocol, hostname } = new URL(appBaseUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return ok(`People open ${appBaseUrl}.`);
  return warning(
    `People open ${appBaseUrl} without encryption: passwords and tokens can be read on their way.`,
    'Put a proxy with TLS in front of the server, and set APP_BASE_URL to its https address.',
  );
}

function checkProxies({ trustedProxies }: Settings): Finding {
  const { ok, warning } = findingsOf('trusted proxies');
  const everything = trustedProxies.filter((network) => network.endsWith('/0'));
  if (everything.length === 0) return ok(`${trustedProxies.length} addresses and networks of proxies are trusted.`);
  return warning(
    `TRUSTED_PROXIES has ${everything.join(', ')}: every caller can claim any address, so limits per address do not hold.`,
    'Name the addresses of the proxies alone.',
  );
}

function checkSender({ mailUrl, mailFrom }: Settings): Finding {
  const { ok, warning, failed } = findingsOf('sender of mails');
  const address = /<(?<address>[^<>]*)>$/u.exec(mailFrom)?.groups?.['address'] ?? mailFrom;
  const domain = /^[^\s<>@,]+@(?<domain>[^\s<>@,]+)$/u.exec(address)?.groups?.['domain'];
  if (domain === undefined) {
    return failed(`MAIL_FROM has no address: ${mailFrom}.`, 'Write it as "Name <name@example.com>".');
  }
  if (mailUrl === null || domain.includes('.')) return ok(`Mails come from ${address}.`);
  return warning(
    `Mails come from ${address}, which other mail servers refuse or mark as spam.`,
    'Set MAIL_FROM to an address of your domain.',
  );
}

function checkMetricsToken({ metricsToken }: Settings): Finding {
  const { ok, warning } = findingsOf('metrics token');
  if (metricsToken === null) return ok('METRICS_TOKEN is not set: only this machine reads the metrics.');
  if (metricsToken.length >= shortestMetricsToken) return ok('METRICS_TOKEN is long enough.');
  return warning(
    `METRICS_TOKEN has ${metricsToken.length} characters.`,
    `Choose one of at least ${shortestMetricsToken} random characters: openssl rand -hex 24.`,
  );
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/u.test(host);
}
