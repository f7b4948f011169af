import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Above this size, the best quality takes seconds and saves less than a tenth more than the next. */
const largeBytes = 300_000;

/** Writes `<file>.br` and `<file>.gz`, which the server sends to those who accept them. */
export async function precompress(file: string): Promise<void> {
  const content = await readFile(file);
  const quality = content.length > largeBytes ? 9 : 11;
  const [gzipped, brotli] = await Promise.all([
    promisify(gzip)(content, { level: 9 }),
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  ]);
  await Promise.all([writeFile(`${file}.gz`, gzipped), writeFile(`${file}.br`, brotli)]);
}
