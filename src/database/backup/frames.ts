/**
 * The format of a backup, before compression with gzip. A backup is a sequence of frames: one byte for the kind, four
 * bytes for the length (big-endian), the content. The frames are, in order:
 *
 *     header        JSON: BackupHeader
 *     table         JSON: BackupTable, once per table; then
 *       data        the table in the text format of COPY, in any number of frames
 *     footer        JSON: BackupFooter
 *
 * A backup without its footer is incomplete. The footer has the SHA-256 of all frames before it.
 */
import { createHash } from 'node:crypto';

export const formatVersion = 1;

export interface BackupHeader {
  readonly plumbline: 'backup';
  readonly format: number;
  /** RFC 3339. */
  readonly createdAt: string;
  /** The version of the schema that the migrations had created. */
  readonly schemaVersion: number;
  /** The definitions of tables that no migration creates: those of the records and the work units. */
  readonly definitions: readonly TableDefinition[];
  /** Statements that set the positions of sequences. */
  readonly sequences: readonly string[];
  /** Data that the caller adds, such as the key of the secrets. */
  readonly extra: Readonly<Record<string, string>>;
}

export interface TableDefinition {
  readonly name: string;
  /** Creates the table with its keys, and no other indexes. */
  readonly create: string;
  /** Create the other indexes. */
  readonly indexes: readonly string[];
}

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface BackupFooter {
  readonly tables: number;
  readonly sha256: string;
}

export type Frame =
  | { readonly kind: 'header'; readonly content: BackupHeader }
  | { readonly kind: 'table'; readonly content: BackupTable }
  | { readonly kind: 'data'; readonly content: Buffer }
  | { readonly kind: 'footer'; readonly content: BackupFooter };

const codes = { header: 0x48, table: 0x54, data: 0x44, footer: 0x46 } as const;
const prefixLength = 5;
/** PostgreSQL sends a row per message, and a row has at most 1 GB. */
const longest = 1 << 30;

/** Encodes frames and appends the footer. */
export async function* encodeFrames(frames: AsyncIterable<Exclude<Frame, { kind: 'footer' }>>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let tables = 0;
  for await (const { kind, content } of frames) {
    const bytes = encode(codes[kind], kind === 'data' ? content : Buffer.from(JSON.stringify(content)));
    if (kind === 'table') tables += 1;
    hash.update(bytes);
    yield bytes;
  }
  const footer: BackupFooter = { tables, sha256: hash.digest('hex') };
  yield encode(codes.footer, Buffer.from(JSON.stringify(footer)));
}

/**
 * Decodes frames. Checks the footer, but does not yield it.
 *
 * @throws Error when the content is not a backup, has another format, is incomplete, or is damaged
 */
export async function* decodeFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Exclude<Frame, { kind: 'footer' }>> {
  const hash = createHash('sha256');
  let tables = 0;
  let isComplete = false;
  for await (const { code, bytes } of split(chunks)) {
    const content = bytes.subarray(prefixLength);
    if (isComplete) throw new Error('The backup has content after its end');
    if (code === codes.footer) {
      const footer = parse(content) as BackupFooter;
      if (footer.tables !== tables || footer.sha256 !== hash.digest('hex')) throw damaged();
      isComplete = true;
      continue;
    }
    hash.update(bytes);
    if (code === codes.header) yield { kind: 'header', content: checked(parse(content) as BackupHeader) };
    else if (code === codes.table) {
      tables += 1;
      yield { kind: 'table', content: parse(content) as BackupTable };
    } else if (code === codes.data) yield { kind: 'data', content };
    else throw damaged();
  }
  if (!isComplete) throw incomplete();
}

export function notABackup(cause?: unknown): Error {
  return new Error('The file is not a backup of Plumbline, or is damaged', { cause });
}

export function incomplete(cause?: unknown): Error {
  return new Error('The backup is incomplete or damaged: its end is missing', { cause });
}

function damaged(cause?: unknown): Error {
  return new Error('The backup is damaged: its content does not match its checksum', { cause });
}

function encode(code: number, content: Buffer): Buffer {
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt8(code);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}

async function* split(chunks: AsyncIterable<Buffer>): AsyncGenerator<{ code: number; bytes: Buffer }> {
  let parts: Buffer[] = [];
  let length = 0;
  let needed = prefixLength;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length < needed) continue;
    let rest = Buffer.concat(parts, length);
    for (;;) {
      if (rest.length < prefixLength) break;
      const size = rest.readUInt32BE(1);
      if (size > longest) throw notABackup();
      needed = prefixLength + size;
      if (rest.length < needed) break;
      yield { code: rest.readUInt8(0), bytes: rest.subarray(0, needed) };
      rest = rest.subarray(needed);
      needed = prefixLength;
    }
    parts = rest.length === 0 ? [] : [rest];
    length = rest.length;
  }
  if (length > 0) throw incomplete();
}

/** Parses JSON. The shape of the content follows from the kind of the frame, because only this module writes frames. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw damaged(error);
  }
}

function checked(header: BackupHeader): BackupHeader {
  // The first frame of another file may contain any JSON, so the type is not guaranteed.
  const { plumbline, format } = header as Partial<BackupHeader>;
  if (plumbline !== 'backup') throw notABackup();
  if (format !== formatVersion) {
    throw new Error(
      `The backup has the format ${format}, and this release reads ${formatVersion}: use a newer release`,
    );
  }
  return header;
}
