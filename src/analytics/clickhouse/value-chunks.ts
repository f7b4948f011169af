/** Values are sent as URL parameters, which a server limits to 128 KiB by default. */
const CHUNK_BYTES = 16_384;

/** Splits values into lists that fit into a parameter of a statement. */
export function* valueChunks<Value extends string | number>(values: readonly Value[]): Generator<readonly Value[]> {
  let chunk: Value[] = [];
  let bytes = 0;
  for (const value of values) {
    chunk.push(value);
    bytes += Buffer.byteLength(String(value)) + 4;
    if (bytes < CHUNK_BYTES) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}
