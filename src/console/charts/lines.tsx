import { max, nice, ticks } from 'd3-array';
import { line } from 'd3-shape';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useWidth } from './width.js';
import { colorTokenOf, dayOf, numberOf, shortDayOf, wordsOf, type AxisUnit } from './words.js';

export interface Series {
  /** The value of the dimension. */
  readonly key: string;
  /** By the date of the bucket; absent: there is no value. */
  readonly values: ReadonlyMap<string, number>;
}

export interface LinesProps {
  readonly dimension: string;
  readonly series: readonly Series[];
  /** All buckets, in order: YYYY-MM-DD. */
  readonly dates: readonly string[];
  /** What is measured, for the label of the chart: "Work units by week". */
  readonly label: string;
  /** Of the marks and the values (default: a number). */
  readonly unit?: AxisUnit;
  /** Where a click on a point leads, or on the name of a series (`date` is null). */
  readonly hrefOf?: (key: string, date: string | null) => string | undefined;
}

const margins = { left: 52, right: 12, top: 12, bottom: 28 };
const height = 260;
const numbers: AxisUnit = { size: 1, format: numberOf };
/** Dashes distinguish lines that have the same colour. */
const dashes = ['', '6 3', '2 3', '10 3 2 3', '1 4', '14 4'];

/** Lines over time, one per series. Hovering or focusing a date shows its values. */
export function Lines({ dimension, series, dates, label, unit = numbers, hrefOf }: LinesProps): JSX.Element {
  const { size, format } = unit;
  const [shown, setShown] = useState<number | null>(null);
  const [container, available] = useWidth();
  const box = { ...margins, height, width: Math.max(280, available) };
  // A scale from 0 to 0 has no heights.
  const top = max(series.flatMap(({ values }) => [...values.values()])) || 1;
  const [, most] = nice(0, top / size, 4); // the highest mark is above the lines
  const highest = most * size;
  const marks = ticks(0, most, 4).map((mark) => mark * size);
  const x = (at: number): number =>
    box.left + (dates.length < 2 ? 0.5 : at / (dates.length - 1)) * (box.width - box.left - box.right);
  const y = (value: number): number =>
    box.height - box.bottom - (value / highest) * (box.height - box.top - box.bottom);
  const path = line<readonly [number, number]>(
    ([at]) => x(at),
    ([, value]) => y(value),
  );
  const step = Math.max(1, Math.ceil((dates.length * 90) / box.width)); // about 90 pixels a label
  const pointsOf = ({ values }: Series): (readonly [number, number])[] =>
    dates.flatMap((date, at) => {
      const value = values.get(date);
      return value === undefined ? [] : [[at, value] as const];
    });
  const width = (box.width - box.left - box.right) / Math.max(1, dates.length);

  return (
    <div class="lines" ref={container}>
      <svg
        viewBox={`0 0 ${box.width} ${box.height}`}
        role={hrefOf === undefined ? 'img' : 'group'}
        aria-label={label}
        onMouseLeave={() => {
          setShown(null);
        }}
      >
        {marks.map((mark) => (
          <g key={mark}>
            <line class="grid" x1={box.left} x2={box.width - box.right} y1={y(mark)} y2={y(mark)} />
            <text class="tick" x={box.left - 8} y={y(mark) + 4} text-anchor="end">
              {format(mark)}
            </text>
          </g>
        ))}
        {dates.map((date, at) =>
          at % step === 0 ? (
            <text
              key={date}
              class="tick"
              x={x(at)}
              y={box.height - 8}
              text-anchor={at === 0 ? 'start' : at + step >= dates.length ? 'end' : 'middle'}
            >
              {shortDayOf(date)}
            </text>
          ) : null,
        )}
        {series.map((each, at) => {
          const points = pointsOf(each);
          const color = { stroke: `var(${colorTokenOf(dimension, each.key, at)})` };
          return (
            <g key={each.key} class="series" style={color}>
              <path d={path(points) ?? ''} fill="none" stroke-dasharray={dashes[at % dashes.length]} />
              {points.length === 1 &&
                points.map(([index, value]) => <circle key={index} cx={x(index)} cy={y(value)} r="3" />)}
            </g>
          );
        })}
        {shown !== null && (
          <line class="cursor" x1={x(shown)} x2={x(shown)} y1={box.top} y2={box.height - box.bottom} />
        )}
        {dates.map((date, at) => (
          <rect
            key={date}
            class="hit"
            x={x(at) - width / 2}
            y={box.top}
            width={width}
            height={box.height - box.top - box.bottom}
            onMouseEnter={() => {
              setShown(at);
            }}
          />
        ))}
        {shown !== null &&
          series.map(({ key, values }, at) => {
            const date = dates[shown] ?? '';
            const value = values.get(date);
            const href = hrefOf?.(key, date);
            if (value === undefined || href === undefined) return null;
            const name = `${wordsOf(dimension, key)}, ${dayOf(date)}: ${format(value)}`;
            // The keyboard reaches the same units by the table.
            return (
              <Link key={key} href={href} class="point" aria-label={name} tabIndex={-1}>
                <circle class="reach" cx={x(shown)} cy={y(value)} r="10" />
                <circle
                  cx={x(shown)}
                  cy={y(value)}
                  r="4"
                  style={{ fill: `var(${colorTokenOf(dimension, key, at)})` }}
                />
              </Link>
            );
          })}
      </svg>
      <ul class="legend" aria-label="Series">
        {series.map(({ key, values }, at) => {
          const value = shown === null ? undefined : values.get(dates[shown] ?? '');
          const href = hrefOf?.(key, null);
          return (
            <li key={key}>
              <svg class="swatch" viewBox="0 0 24 8" aria-hidden="true">
                <line
                  x1="0"
                  x2="24"
                  y1="4"
                  y2="4"
                  stroke-dasharray={dashes[at % dashes.length]}
                  style={{ stroke: `var(${colorTokenOf(dimension, key, at)})` }}
                />
              </svg>
              {href === undefined ? wordsOf(dimension, key) : <Link href={href}>{wordsOf(dimension, key)}</Link>}
              {value !== undefined && <strong>{format(value)}</strong>}
            </li>
          );
        })}
        {shown !== null && <li class="muted">{dayOf(dates[shown] ?? '')}</li>}
      </ul>
    </div>
  );
}
