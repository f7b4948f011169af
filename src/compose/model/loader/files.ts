import { open, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { failure } from '../errors.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** The file system access that loading a project needs. */
export interface ComposeFiles {
  /**
   * The text of a file, or undefined if there is none; directories and unreadable files are failures.
   *
   * @param shownAs the file's name in errors, if the name contains a variable
   */
  readText(file: string, shownAs?: string): Promise<string | undefined>;
  isFile(file: string, shownAs?: string): Promise<boolean>;
  /** Standard input, for `-f -`. */
  readStandardInput(): Promise<string>;
}

/** The maximum size of compose and environment files. Reading stops there, so that a device cannot fill the memory. */
const MAX_BYTES = 16_777_216;
const CHUNK_BYTES = 65_536;

/** The real file system. */
export const localFiles: ComposeFiles = {
  async readText(file, shownAs = file) {
    if (file === '/dev/null') return '';
    try {
      return await readBounded(file);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      if (code === undefined) throw error;
      throw failure('YamlError', 'unreadable', {
        path: shownAs,
        reason: code === 'EISDIR' ? 'it is a directory' : code,
      });
    }
  },
  async isFile(file) {
    try {
      return !(await stat(file)).isDirectory();
    } catch {
      return false; // missing, or in a directory without access
    }
  },
  readStandardInput: () => text(process.stdin),
};

async function readBounded(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const chunks: Buffer[] = [];
    let total = 0;
    for (;;) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) });
      if (bytesRead === 0) break;
      total += bytesRead;
      if (total > MAX_BYTES) throw failure('YamlError', 'limitExceeded', { limit: 'bytes', maximum: MAX_BYTES });
      chunks.push(buffer.subarray(0, bytesRead));
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    await handle.close();
  }
}
