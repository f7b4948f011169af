/**
 * Parses the prefix of a title: conventional-commit types (conventionalcommits.org:
 * `type(scope)!: description`), tags in brackets, an emoji (gitmoji.dev), the areas that a change is in (`docs, api: ...`),
 * and the kind of the branch that a host's merge message names.
 */

export interface ReadTitle {
  /** In lower case, in the order of the title. */
  readonly types: readonly string[];
  /** In lower case; several if they are separated by commas or slashes. */
  readonly scopes: readonly string[];
  /** The title without its conventional type. */
  readonly description: string;
  /** The title without all prefixes. */
  readonly bare: string;
}

const CONVENTIONAL = /^([a-z][a-z0-9_-]{0,30})(?:\(([^()]{0,100})\))?!?:(?:\s|$)/i;
/** `[DOCS] `, `[Release 2.55] `. */
const TAG = /^\[([^[\]]{1,40})\]\s*/;
/** An emoji with its modifiers, or its name: `:memo:`. */
const EMOJI = /^(?:(\p{Extended_Pictographic})[\u{fe0f}\u{200d}\p{Emoji_Modifier}]*|(:[a-z0-9_+-]{1,40}:))\s*/iu;
/** Most titles begin with a letter, and have neither tag nor emoji. */
const LETTER = /^[a-z]/i;
/** `client/log: `, `Documentation, scripts: `, `*: `. */
const AREAS = /^([^\s:,]{1,60}(?:, ?[^\s:,]{1,60}){0,3}):\s+/;
const MERGED_BRANCH =
  /^Merge (?:pull request #\d{1,9} from [^\s/]{1,100}\/|(?:remote-tracking )?branch ')([^\s']{1,200})/;
/** The maximum number of prefixes of a title. */
const MOST_MARKS = 4;

export function readTitle(title: string): ReadTitle {
  const branch = title.startsWith('Merge ') ? MERGED_BRANCH.exec(title)?.[1] : undefined;
  if (branch !== undefined) return readBranch(branch, title);
  if (title.startsWith('Revert "')) return { types: ['revert'], scopes: [], description: title, bare: title };
  const types: string[] = [];
  let rest = title.trimStart();
  for (let mark = 0; mark < MOST_MARKS; mark += 1) {
    if (LETTER.test(rest)) break;
    const found = TAG.exec(rest) ?? EMOJI.exec(rest);
    if (found === null) break;
    const name = (found[1] ?? found[2] ?? '').toLowerCase();
    // `[ci skip]` is a command for the build server, not a type of work.
    if (!name.includes('skip')) types.push(...name.split(/[\s-]+/));
    rest = rest.slice(found[0].length);
  }
  if (!rest.includes(':')) return { types, scopes: [], description: title, bare: rest };
  const conventional = CONVENTIONAL.exec(rest);
  if (conventional?.[1] !== undefined) {
    const description = rest.slice(conventional[0].length);
    const scopes = (conventional[2] ?? '')
      .toLowerCase()
      .split(/[,/\s]+/)
      .filter((scope) => scope !== '');
    return { types: [...types, conventional[1].toLowerCase()], scopes, description, bare: description.trimStart() };
  }
  const areas = AREAS.exec(rest);
  if (areas?.[1] !== undefined) types.push(...areas[1].toLowerCase().split(/, ?/));
  return { types, scopes: [], description: title, bare: rest.slice(areas?.[0].length ?? 0) };
}

/** Reads `fix/crash-at-start` as the type `fix` and the words of a title. */
function readBranch(branch: string, title: string): ReadTitle {
  const [first = '', ...rest] = branch.split('/');
  const words = (rest.length > 0 ? rest.join(' ') : first).replace(/[-_]+/g, ' ');
  return { types: rest.length > 0 ? [first.toLowerCase()] : [], scopes: [], description: title, bare: words };
}
