/** Parses `git blame --porcelain`. */
import { SyncError } from '../../failures.js';
import type { Row } from '../../records.js';
import { gitMoment } from './log-parser.js';

export type BlameLine = Omit<Row<'git_blame'>, 'path'>;

interface Author {
  name: string;
  email: string;
  when: number;
}

const HEADER = /^([0-9a-f]{40,64}) \d+ (\d+)/;
const TAB = 0x09;
const NEWLINE = 0x0a;

/** The lines of one file, in order. The output has a commit's author only where the commit first appears. */
export function parseBlame(output: Buffer): BlameLine[] {
  const authors = new Map<string, Author>();
  const lines: BlameLine[] = [];
  let hash = '';
  let lineNumber = 0;
  for (let start = 0; start < output.length;) {
    const newline = output.indexOf(NEWLINE, start);
    const end = newline < 0 ? output.length : newline;
    if (output[start] === TAB) {
      const author = authors.get(hash);
      if (author === undefined) throw new SyncError('repository_unreadable', 'git printed a blame that cannot be read');
      lines.push({
        line_no: lineNumber,
        author_email: author.email,
        author_name: author.name,
        author_when: author.when,
        commit_hash: hash,
        line: output.toString('utf8', start + 1, end).replace(/\r$/, ''),
      });
    } else {
      const text = output.toString('utf8', start, end);
      const header = HEADER.exec(text);
      if (header?.[1] !== undefined) {
        hash = header[1];
        lineNumber = Number(header[2]);
        if (!authors.has(hash)) authors.set(hash, { name: '', email: '', when: 0 });
      } else {
        readAuthor(authors.get(hash), text);
      }
    }
    start = end + 1;
  }
  return lines;
}

function readAuthor(author: Author | undefined, text: string): void {
  if (author === undefined) return;
  if (text.startsWith('author ')) author.name = text.slice(7);
  else if (text.startsWith('author-mail ')) author.email = text.slice(12).replace(/^<|>$/g, '');
  else if (text.startsWith('author-time ')) author.when = gitMoment(text.slice(12));
}
