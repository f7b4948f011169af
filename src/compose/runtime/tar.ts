/**
 * Writes tar archives (POSIX.1-2001: ustar headers, with a pax header for long names) for build contexts and for files
 * put into a container.
 */

export interface TarEntry {
  /** Relative, with `/` as separator. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink';
  /** Bytes of content; 0 for entries that are not files. */
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Seconds since 1970. */
  readonly modifiedAt?: number;
  /** The target of a symlink. */
  readonly target?: string;
}

const BLOCK = 512;
const typeFlags = { file: '0', directory: '5', symlink: '2' } as const;

/** The header of an entry; its content follows, then padding. */
export function tarHeader(entry: TarEntry): Buffer {
  const path = entry.type === 'directory' ? `${entry.path}/` : entry.path;
  const target = entry.target ?? '';
  const extended = [
    ...(fits(path, 100) ? [] : [paxRecord('path', path)]),
    ...(fits(target, 100) ? [] : [paxRecord('linkpath', target)]),
  ].join('');
  const header = block(path, typeFlags[entry.type], entry.size, entry, target);
  if (extended === '') return header;
  const body = Buffer.from(extended);
  return Buffer.concat([
    block('PaxHeader', 'x', body.length, { mode: 0o644 }, ''),
    body,
    tarPadding(body.length),
    header,
  ]);
}

/** Pads content to whole blocks. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Two empty blocks end an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * BLOCK);

/** Builds a whole archive in memory. */
export function tarOf(entries: readonly { readonly entry: TarEntry; readonly content: Uint8Array }[]): Buffer {
  const parts = entries.flatMap(({ entry, content }) => [tarHeader(entry), content, tarPadding(content.length)]);
  return Buffer.concat([...parts, tarEnd]);
}

function block(
  path: string,
  flag: string,
  size: number,
  attributes: Pick<TarEntry, 'mode' | 'uid' | 'gid' | 'modifiedAt'>,
  target: string,
): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(truncate(path, 100), 0, 100, 'utf8');
  header.write(octal(attributes.mode & 0o7777, 8), 100, 'ascii');
  header.write(octal(attributes.uid ?? 0, 8), 108, 'ascii');
  header.write(octal(attributes.gid ?? 0, 8), 116, 'ascii');
  header.write(octal(size, 12), 124, 'ascii');
  header.write(octal(Math.max(0, Math.floor(attributes.modifiedAt ?? 0)), 12), 136, 'ascii');
  header.write(' '.repeat(8), 148, 'ascii'); // The checksum is computed with a blank checksum field.
  header.write(flag, 156, 'ascii');
  header.write(truncate(target, 100), 157, 100, 'utf8');
  header.write('ustar\x0000', 257, 'ascii');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii');
  return header;
}

/** Octal digits and a NUL. Larger values are not supported; a build context has no file of 8 GiB. */
function octal(value: number, width: number): string {
  const digits = value.toString(8);
  if (digits.length >= width) throw new RangeError(`${value} does not fit a tar header`);
  return `${digits.padStart(width - 1, '0')}\0`;
}

function fits(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) <= bytes && /^[\x20-\x7e]*$/.test(text);
}

function truncate(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '_');
}

/** `<length> <key>=<value>\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
