/** Splits the output of git with `-z`. */

/**
 * The fields of a stream that end with NUL, including an unterminated last one. Each is valid until the next is read.
 */
export async function* nulTerminated(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(0, start); end >= 0; end = bytes.indexOf(0, start)) {
      yield bytes.subarray(start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) yield rest;
}
