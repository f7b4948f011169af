/** A table with a bar per row, at most as wide as the terminal. */

export interface ChartRow {
  readonly label: string;
  /** Not negative. */
  readonly value: number;
}

export interface ChartStyle {
  /** Maximum width of a line in columns. */
  readonly width: number;
  /** Whether escape sequences may be used. */
  readonly isColoured: boolean;
  /** Whether characters beyond ASCII may be used. */
  readonly isUnicode: boolean;
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'hasColors'>;

/** What a stream can show. A pseudo-terminal without a size reports 0 columns. */
export function chartStyle(stream: Output, environment: NodeJS.ProcessEnv): ChartStyle {
  const locale = environment['LC_ALL'] ?? environment['LC_CTYPE'] ?? environment['LANG'] ?? '';
  return {
    width: stream.isTTY && stream.columns > 0 ? stream.columns : 80,
    isColoured: stream.isTTY && stream.hasColors() && (environment['NO_COLOR'] ?? '') === '',
    isUnicode: /utf-?8/i.test(locale) || process.platform === 'win32',
  };
}

const shortestBar = 8;
const longestBar = 40;
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/**
 * Draws a table: label, value, share of the sum, and a bar proportional to the largest value.
 *
 * @returns lines without line breaks; without bars if the terminal is too narrow
 */
export function drawChart(
  header: readonly [label: string, value: string],
  rows: readonly ChartRow[],
  style: ChartStyle,
): string[] {
  const values = rows.map(({ value }) => value.toLocaleString('en-US', { maximumFractionDigits: 1 }));
  const sum = rows.reduce((total, { value }) => total + value, 0);
  const shares = rows.map(({ value }) => (sum === 0 ? '' : `${Math.round((value / sum) * 100)}%`));
  const valueWidth = longest([header[1], ...values]);
  const shareWidth = longest(['share', ...shares]);
  const fixed = valueWidth + shareWidth + 4;
  const labelWidth = Math.max(
    1,
    Math.min(longest([header[0], ...rows.map(({ label }) => label)]), style.width - fixed),
  );
  const room = style.width - fixed - labelWidth - 2;
  const barWidth = room < shortestBar ? 0 : Math.min(room, longestBar);
  const most = Math.max(0, ...rows.map(({ value }) => value));

  const line = (label: string, value: string, share: string): string =>
    `${cut(label, labelWidth, style).padEnd(labelWidth)}  ${value.padStart(valueWidth)}  ${share.padStart(shareWidth)}`;
  const head = line(header[0], header[1], 'share');
  return [
    style.isColoured ? `\u001b[1m${head}\u001b[0m` : head,
    ...rows.map(({ label, value }, index) => {
      const bar = most === 0 ? '' : barOf((value / most) * barWidth, style);
      const text = line(label, values[index] ?? '', shares[index] ?? '');
      if (bar === '') return text.trimEnd();
      return style.isColoured ? `${text}  \u001b[36m${bar}\u001b[0m` : `${text}  ${bar}`;
    }),
  ];
}

/** @param length in columns, may be fractional */
function barOf(length: number, { isUnicode }: ChartStyle): string {
  if (!isUnicode) return '#'.repeat(Math.round(length));
  const parts = Math.round(length * 8);
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '');
}

function cut(text: string, width: number, { isUnicode }: ChartStyle): string {
  if (text.length <= width) return text;
  return isUnicode ? `${text.slice(0, width - 1)}…` : text.slice(0, width);
}

function longest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
