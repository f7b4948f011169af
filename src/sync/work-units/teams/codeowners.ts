/**
 * A repository's CODEOWNERS file, in the form that both hosts read: a pattern and its owners on each line, of which the
 * last one that matches a path counts. Patterns are those of .gitignore without negation. host_b's section headers are
 * read over, but their default owners hold for the lines below that name none.
 */

export interface OwnerRule {
  readonly matches: (path: string) => boolean;
  /** As written: `@org/team`, `@login` or an e-mail; none takes ownership away. */
  readonly owners: readonly string[];
}

/** Where hosts look for the file, in their order. */
export const CODEOWNERS_PATHS = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

/** Reads the text of the file; lines that are no rules are left out, as the hosts do. */
export function parseCodeowners(text: string): readonly OwnerRule[] {
  const rules: OwnerRule[] = [];
  let defaults: readonly string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const section = /^\^?\[[^\]]*\](?:\[\d+\])?\s*(.*)$/.exec(line.trim());
    if (section !== null) {
      defaults = words(section[1] ?? '').filter(isOwner);
      continue;
    }
    const [pattern, ...rest] = words(line);
    if (pattern === undefined) continue;
    const own = rest.filter(isOwner);
    rules.push({ matches: ownerPattern(pattern), owners: own.length > 0 ? own : defaults });
  }
  return rules;
}

/** The owners of a path; none where no rule matches. */
export function ownersOf(rules: readonly OwnerRule[], path: string): readonly string[] {
  return rules.findLast(({ matches }) => matches(path))?.owners ?? [];
}

/** The words of a line without its comment; a backslash keeps a space or `#` in a pattern. */
function words(line: string): string[] {
  const found = line.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const comment = found.findIndex((word) => word.startsWith('#'));
  return (comment < 0 ? found : found.slice(0, comment)).map((word) => word.replace(/\\(.)/g, '$1'));
}

function isOwner(word: string): boolean {
  return word.startsWith('@') || /^[^@\s]+@[^@\s]+$/.test(word);
}

/** A .gitignore pattern: one with a slash before its end is rooted, others match in any folder; folders match all in them. */
function ownerPattern(pattern: string): (path: string) => boolean {
  const isRooted = /^\/|\/(?!$)/.test(pattern);
  const isFolder = pattern.endsWith('/');
  const body = pattern.replace(/^\//, '').replace(/\/$/, '');
  const parts = (isRooted ? body : `**/${body}`).split('/');
  const source = parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    if (part === '**') return isLast ? '.*' : '(?:.*/)?';
    const name = part
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '[^/]*')
      .replace(/\?/g, '[^/]');
    return isLast ? name : `${name}/`;
  });
  // `docs/*` names the files of a folder and not what is deeper; a name without a star may be a folder.
  const last = parts.at(-1) ?? '';
  const tail = isFolder ? '/.*' : last === '*' && isRooted ? '' : '(?:/.*)?';
  const expression = new RegExp(`^${source.join('')}${last === '**' ? '' : tail}$`, 's');
  return (path) => expression.test(path);
}
