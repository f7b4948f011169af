import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { colorTokenOf, numberOf, percentOf, wordsOf } from './words.js';

export interface Bar {
  readonly key: string;
  readonly value: number;
  /** Where a click leads; absent: nowhere. */
  readonly href?: string;
}

export interface BarsProps {
  readonly dimension: string;
  readonly bars: readonly Bar[];
  /** How a value is written (default: a number). */
  readonly format?: (value: number) => string;
  /** What the values are parts of, which may have more parts than are drawn: their shares are shown. */
  readonly whole?: number;
}

/** Horizontal bars, largest first: a list that reads well without seeing the bars. */
export function Bars({ dimension, bars, format = numberOf, whole = 0 }: BarsProps): JSX.Element {
  const largest = Math.max(...bars.map(({ value }) => value), 0);
  return (
    <ul class="bars">
      {bars.map(({ key, value, href }, at) => (
        <li key={key}>
          <span class="bar-name">
            {href === undefined ? wordsOf(dimension, key) : <Link href={href}>{wordsOf(dimension, key)}</Link>}
          </span>
          <span class="bar-value">
            {format(value)}
            {whole > 0 && <span class="muted"> · {percentOf(value / whole)}</span>}
          </span>
          <span class="bar-track" aria-hidden="true">
            <span
              style={{
                width: `${largest > 0 ? (value / largest) * 100 : 0}%`,
                background: `var(${colorTokenOf(dimension, key, at)})`,
              }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
