/** Reads the changed files of a commit from its diff, as git writes it. */

export interface ChangedFile {
  readonly path: string;
  /** The path before a rename or copy; otherwise null. */
  readonly oldPath: string | null;
  /** Null for a binary file. */
  readonly additions: number | null;
  readonly deletions: number | null;
}

interface Counted {
  path: string;
  oldPath: string | null;
  additions: number | null;
  deletions: number | null;
}

/** The files of a diff in its order. Lines are counted by the lengths in the heads of hunks: their texts can be anything. */
export function changedFiles(diff: string): readonly ChangedFile[] {
  const files: Counted[] = [];
  let file: Counted | undefined;
  let old = 0;
  let fresh = 0;
  for (const line of linesOf(diff)) {
    if (file !== undefined && (old > 0 || fresh > 0)) {
      if (line.startsWith('+')) {
        fresh -= 1;
        file.additions = (file.additions ?? 0) + 1;
      } else if (line.startsWith('-')) {
        old -= 1;
        file.deletions = (file.deletions ?? 0) + 1;
      } else if (!line.startsWith('\\')) {
        old -= 1;
        fresh -= 1;
      }
    } else if (line.startsWith('diff --git ')) {
      file = { path: samePath(line), oldPath: null, additions: 0, deletions: 0 };
      files.push(file);
    } else if (file !== undefined) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) [old, fresh] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      else readHead(file, line);
    }
  }
  return files;
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? text.length : end + 1;
  }
}

/** A file whose diff names it in no other line is the same before and after: `diff --git a/x b/x`. */
function samePath(line: string): string {
  const names = line.slice('diff --git '.length);
  return unquoted(names.slice(0, Math.floor(names.length / 2))).slice('a/'.length);
}

function readHead(file: Counted, line: string): void {
  const [, word, name = ''] = /^(rename from|rename to|copy from|copy to|---|\+\+\+) (.*?)\t?$/.exec(line) ?? [];
  if (word === undefined) {
    if (/^(?:Binary files |GIT binary patch)/.test(line)) [file.additions, file.deletions] = [null, null];
  } else if (word === 'rename from' || word === 'copy from') file.oldPath = unquoted(name);
  else if (word === 'rename to' || word === 'copy to') file.path = unquoted(name);
  else if (name !== '/dev/null') file.path = unquoted(name).slice('a/'.length);
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** A name with control characters, quotes or backslashes is quoted; bytes are in octal digits. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replaceAll(/\\(?:([0-7]{3})|(.))/g, (_match, octal: string | undefined, letter: string | undefined) =>
      octal === undefined ? (ESCAPES[letter ?? ''] ?? letter ?? '') : `\0${octal}`,
    );
  const parts = bytes.split(/(\0[0-7]{3})/).map((part) => {
    return part.startsWith('\0') ? Buffer.of(Number.parseInt(part.slice(1), 8)) : Buffer.from(part);
  });
  return Buffer.concat(parts).toString('utf8');
}
