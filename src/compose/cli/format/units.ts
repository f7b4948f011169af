/** Sizes in the format of the Docker CLI (github.com/docker/go-units), which scripts parse. */

const DECIMAL = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Units of 1000, three digits: `1.98MB`. */
export function humanSize(bytes: number): string {
  return scaled(bytes, 1000, DECIMAL, 3);
}

/** Units of 1024, four digits: `23.54GiB`. */
export function binarySize(bytes: number): string {
  return scaled(bytes, 1024, BINARY, 4);
}

function scaled(bytes: number, base: number, units: readonly string[], digits: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= base && unit < units.length - 1; unit++) size /= base;
  // Like %.3g of Go: significant digits, without trailing zeros.
  return `${Number(size.toPrecision(digits))}${units[unit] ?? ''}`;
}

/** The text, truncated to this length with an ellipsis as the last character. */
export function ellipsis(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
