/** Finds what looks like a secret in files that would be published. */

/** Formats that their makers document; the same kinds that docker compose looks for. */
const FORMATS: readonly (readonly [kind: string, format: RegExp])[] = [
  ['private key', /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/],
  ['AWS access key', /\b(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}\b/],
  ['AWS marketplace key', /amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/],
  ['Azure storage key', /AccountKey=[a-zA-Z0-9+/=]{88}/],
  ['GitHub token', /\b(?:gh[pousr]_\w{36}|github_pat_\w{22,})/],
  ['GitLab token', /\bglpat-[\w-]{20}/],
  ['JSON web token', /\beyJ[\w=-]+\.eyJ[\w=-]+/],
  ['npm token', /\bnpm_[a-zA-Z0-9]{36}\b/],
  ['SendGrid key', /\bSG\.[\w-]{22}\.[\w-]{43}/],
  ['Slack token', /\bxox[abeoprs]-\d+-[\w-]+/],
  ['Slack webhook', /hooks\.slack\.com\/services\/T\w+\/B\w+\/\w+/],
  ['Square token', /\bsq0(?:atp-[\w-]{22}|csp-[\w-]{43})/],
  ['Stripe key', /\b[rs]k_live_[0-9a-zA-Z]{24}/],
  ['Twilio key', /\bSK[0-9a-f]{32}\b/],
  ['password in a URL', /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@${}]{1,200}:[^\s:/@${}]{1,200}@/i],
];

/** A variable with a telling name and a literal value of some length. */
const NAMED =
  /(?:pass(?:word|wd)?|pwd|secret|token|(?:api|access|auth|service|account|private|priv|client|db)[-_]?key)["']?\s*[:=]\s*["']?([^\s"'${}][^\s]{5,})/i;

/** Values that name a place instead of a secret. */
const PLACE = /^(?:\/|\.{1,2}\/|[\w-]+\.(?:txt|env|ya?ml|pem)\b)/;

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
}

/** A line of a file is at most this long for the search, so that its time has a bound. */
const LONGEST_LINE = 10_000;

/** One finding per line at most. The values are not part of it: they would end in terminals and logs. */
export function secretsIn(file: string, text: string): Finding[] {
  return text.split('\n').flatMap((whole, index) => {
    const line = whole.slice(0, LONGEST_LINE);
    const format = FORMATS.find(([, pattern]) => pattern.test(line));
    const kind = format?.[0] ?? (isNamed(line) ? 'variable with the name of a secret' : undefined);
    return kind === undefined ? [] : [{ file, line: index + 1, kind }];
  });
}

function isNamed(line: string): boolean {
  const value = NAMED.exec(line)?.[1];
  return value !== undefined && !PLACE.test(value);
}
