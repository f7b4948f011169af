import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from './error-code.js';

/** Why a file is not read. `code` is the system's (such as ENOENT), or ENOTREG or EFBIG for the two checks here. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
  readonly code: string;
  /** The problem of the file, as a text after its name: `does not exist`. */
  readonly reason: string;

  constructor(file: string, code: string, reason: string, cause?: unknown) {
    super(`'${file}' ${reason}`, { cause });
    this.code = code;
    this.reason = reason;
  }
}

/** Certificates, keys, tokens and settings files are far smaller. */
const largestSmallFile = 1024 * 1024;

/**
 * Reads a regular file of at most `maxBytes`, also through symbolic links (Kubernetes mounts secrets as such).
 *
 * @throws UnreadableFileError
 */
export async function readRegularFile(file: string, maxBytes = largestSmallFile): Promise<Buffer> {
  const { handle } = await openRegularFile(file);
  try {
    return await readUpTo(handle, maxBytes);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw unreadable(file, error);
    throw new UnreadableFileError(file, 'EFBIG', `is larger than ${sizeText(maxBytes)}`);
  } finally {
    await handle.close();
  }
}

/**
 * Opens a regular file for reading.
 *
 * Opening a FIFO would block until another process writes to it, and a device has no end. O_NONBLOCK opens both without
 * blocking. The type is checked on the opened file, so the file cannot be replaced between check and read.
 *
 * @throws UnreadableFileError
 */
export async function openRegularFile(file: string): Promise<{ readonly handle: FileHandle; readonly found: Stats }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const found = await handle.stat();
    if (found.isFile()) return { handle, found };
    throw found.isDirectory()
      ? new UnreadableFileError(file, 'EISDIR', 'is a directory')
      : new UnreadableFileError(file, 'ENOTREG', 'is not a regular file');
  } catch (error) {
    await handle?.close();
    throw unreadable(file, error);
  }
}

class TooLargeError extends Error {}

/** Does not trust the reported size: it is 0 for files of /proc, and a file may grow while it is read. */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ;) {
    const chunk = Buffer.alloc(Math.min(64 * 1024, maxBytes + 1 - length));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    length += bytesRead;
    if (length > maxBytes) throw new TooLargeError();
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes} bytes`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  ELOOP: 'is a loop of symbolic links',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  EISDIR: 'is a directory',
  ENXIO: 'is not a regular file', // a socket
};

function unreadable(file: string, error: unknown): UnreadableFileError {
  if (error instanceof UnreadableFileError) return error;
  const code = errorCode(error) ?? 'unknown error';
  return new UnreadableFileError(file, code, reasons[code] ?? `cannot be read (${code})`, error);
}
