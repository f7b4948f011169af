/** How a registry asks for credentials (RFC 9110, section 11.6.1). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service: string; readonly scope: string };

export interface Challenges {
  /** The one to answer; undefined if none can be. */
  readonly chosen: Challenge | undefined;
  /** The names of all schemes, as sent. */
  readonly schemes: readonly string[];
}

interface Offer {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

const TOKEN = String.raw`[!#$%&'*+.^_\x60|~\w-]+`;

/** Some registries do not quote addresses, although RFC 9110 wants it. */
const PARAMETER = new RegExp(String.raw`(${TOKEN})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))(?=[\s,]|$)`, 'y');

/** With the data that some schemes have in place of parameters. */
const SCHEME = new RegExp(String.raw`(${TOKEN})(?=[\s,]|$)(?:[ \t]+[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$)))?`, 'y');

/** Reads the values of all headers `WWW-Authenticate`. Of those that are known, a token comes before a password. */
export function readChallenges(header: string): Challenges {
  const offers = offersIn(header);
  const known = offers.map(challengeOf).filter((challenge) => challenge !== undefined);
  const chosen = known.find(({ scheme }) => scheme === 'bearer') ?? known[0];
  return { chosen, schemes: offers.map(({ scheme }) => scheme) };
}

function offersIn(header: string): Offer[] {
  const offers: Offer[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    at += found?.[0].length ?? 0;
    return found;
  };
  for (;;) {
    next(/[\s,]*/y);
    const last = offers.at(-1);
    const parameter = last && next(PARAMETER);
    if (last && parameter) {
      const [, name = '', quoted, plain = ''] = parameter;
      last.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain);
      continue;
    }
    const scheme = next(SCHEME)?.[1];
    if (scheme === undefined) return offers; // The end, or what no rule explains.
    offers.push({ scheme, parameters: new Map() });
  }
}

function challengeOf({ scheme, parameters }: Offer): Challenge | undefined {
  if (/^basic$/i.test(scheme)) return { scheme: 'basic' };
  const realm = parameters.get('realm');
  if (!/^bearer$/i.test(scheme) || realm === undefined) return undefined;
  return {
    scheme: 'bearer',
    realm,
    service: parameters.get('service') ?? '',
    scope: parameters.get('scope') ?? '',
  };
}
