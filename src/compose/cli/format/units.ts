/** Sizes and durations in the format of the Docker CLI (github.com/docker/go-units), which scripts parse. */

/** `Less than a second`, `5 minutes`, `About an hour`, `3 weeks`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(seconds / 3600 + 0.5);
  if (seconds < 1) return 'Less than a second';
  if (seconds === 1) return '1 second';
  if (seconds < 60) return `${seconds} seconds`;
  if (minutes === 1) return 'About a minute';
  if (minutes < 60) return `${minutes} minutes`;
  if (hours === 1) return 'About an hour';
  if (hours < 48) return `${hours} hours`;
  if (hours < 24 * 7 * 2) return `${Math.floor(hours / 24)} days`;
  if (hours < 24 * 30 * 2) return `${Math.floor(hours / 24 / 7)} weeks`;
  if (hours < 24 * 365 * 2) return `${Math.floor(hours / 24 / 30)} months`;
  return `${Math.floor(seconds / 3600 / 24 / 365)} years`;
}

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
