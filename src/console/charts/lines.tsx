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
  /** The first days of the buckets, in order: YYYY-MM-DD. */
  readonly dates: readonly string[];
  /** The days of the axis; charts beside each other have the same (default: those of the buckets). */
  readonly span?: { readonly startDate: string; readonly endDate: string };
  /** The buckets of which only a part is in the values: they are dashed. */
  readonly partial?: ReadonlySet<string>;
  /** What is measured, for the label of the chart: "Work units by week". */
  readonly label: string;
  /** The unit of the marks and the values (default: a number). */
  readonly unit?: AxisUnit;
  /** Where a click on a point leads, or on the name of a series (`date` is null). */
  readonly hrefOf?: (key: string, date: string | null) => string | undefined;
}

const margins = { left: 52, right: 12, top: 12, bottom: 28 };
const height = 260;
const nothing: ReadonlySet<string> = new Set();
const numbers: AxisUnit = { size: 1, format: numberOf };
/** Dashes distinguish lines that have the same colour. */
const dashes = ['', '6 3', '2 3', '10 3 2 3', '1 4', '14 4'];

/** Lines over time, one per series. Hovering or focusing a date shows its values. */
export function Lines(props: LinesProps): JSX.Element {
  const { dimension, series, dates, span, partial = nothing, label, unit = numbers, hrefOf } = props;
  const { size, format } = unit;
  const [shown, setShown] = useState<number | null>(null);
  const [container, available] = useWidth();
  const box = { ...margins, height, width: Math.max(280, available) };
  // A scale from 0 to 0 has no heights.
  const top = max(series.flatMap(({ values }) => [...values.values()])) || 1;
  const [, most] = nice(0, top / size, 4); // the highest mark is above the lines
  const highest = most * size;
  const marks = ticks(0, most, 4).map((mark) => mark * size);
  const times = dates.map((date) => Date.parse(date));
  // The first bucket may begin before the days that were asked for.
  const [from, to] = [
    Math.min(...times, ...(span === undefined ? [] : [Date.parse(span.startDate)])),
    Math.max(...times, ...(span === undefined ? [] : [Date.parse(span.endDate)])),
  ];
  const x = (at: number): number =>
    box.left + (to === from ? 0.5 : ((times[at] ?? from) - from) / (to - from)) * (box.width - box.left - box.right);
  const y = (value: number): number =>
    box.height - box.bottom - (value / highest) * (box.height - box.top - box.bottom);
  const path = line<readonly [number, number]>(
    ([at]) => x(at),
    ([, value]) => y(value),
  );
  const labelled = labelledOf(dates.map((_date, at) => x(at)));
  const pointsOf = ({ values }: Series): (readonly [number, number])[] =>
    dates.flatMap((date, at) => {
      const value = values.get(date);
      return value === undefined ? [] : [[at, value] as const];
    });
  const isPartial = (at: number): boolean => partial.has(dates[at] ?? '');
  /** The middle between two neighbours belongs to both. */
  const edge = (at: number): number =>
    at < 0 ? box.left : at >= dates.length - 1 ? box.width - box.right : (x(at) + x(at + 1)) / 2;

  if (series.every(({ values }) => values.size === 0)) {
    // An axis without values would be invented.
    return (
      <div class="lines" ref={container}>
        <p class="muted">Nothing is known of this period.</p>
      </div>
    );
  }
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
          isPartial(at) ? (
            <rect
              key={date}
              class="partial"
              x={edge(at - 1)}
              y={box.top}
              width={edge(at) - edge(at - 1)}
              height={box.height - box.top - box.bottom}
            />
          ) : null,
        )}
        {dates.map((date, at) =>
          labelled.has(at) ? (
            <text key={date} class="tick" x={x(at)} y={box.height - 8} text-anchor={anchorOf(x(at), box)}>
              {shortDayOf(date)}
            </text>
          ) : null,
        )}
        {series.map((each, at) => {
          const points = pointsOf(each);
          const color = { stroke: `var(${colorTokenOf(dimension, each.key, at)})` };
          return (
            <g key={each.key} class="series" style={color}>
              {runsOf(points, isPartial).map((run) => (
                <path
                  key={run.points[0]?.[0]}
                  class={run.isPartial ? 'partial' : undefined}
                  d={path(run.points) ?? ''}
                  fill="none"
                  stroke-dasharray={run.isPartial ? '1 5' : dashes[at % dashes.length]}
                />
              ))}
              {lonelyOf(points).map(([index, value]) => (
                <circle key={index} cx={x(index)} cy={y(value)} r="3" />
              ))}
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
            x={edge(at - 1)}
            y={box.top}
            width={edge(at) - edge(at - 1)}
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
        {shown !== null && (
          <li class="muted">
            {dayOf(dates[shown] ?? '')}
            {isPartial(shown) && ', partial'}
          </li>
        )}
        {dates.some((_date, at) => isPartial(at)) && (
          <li class="muted">
            <svg class="swatch" viewBox="0 0 24 8" aria-hidden="true">
              <rect class="partial" width="24" height="8" />
            </svg>
            only a part of the days
          </li>
        )}
      </ul>
    </div>
  );
}

type Point = readonly [number, number];

/** A line in pieces: those that begin or end in a partial bucket are apart. A bucket without a value interrupts it. */
function runsOf(
  points: readonly Point[],
  isPartial: (at: number) => boolean,
): readonly { readonly points: readonly Point[]; readonly isPartial: boolean }[] {
  const runs: { points: Point[]; isPartial: boolean }[] = [];
  for (const [at, point] of points.entries()) {
    const before = points[at - 1];
    if (before === undefined || before[0] !== point[0] - 1) continue;
    const touches = isPartial(before[0]) || isPartial(point[0]);
    const latest = runs.at(-1);
    if (latest?.isPartial === touches && latest.points.at(-1) === before) latest.points.push(point);
    else runs.push({ points: [before, point], isPartial: touches });
  }
  return runs;
}

/** The points without a neighbour, which no line shows. */
function lonelyOf(points: readonly Point[]): readonly Point[] {
  const indexes = new Set(points.map(([index]) => index));
  return points.filter(([index]) => !indexes.has(index - 1) && !indexes.has(index + 1));
}

/** The dates that have a label: about 90 pixels apart. */
function labelledOf(places: readonly number[]): ReadonlySet<number> {
  const labelled = new Set<number>();
  let end = -Infinity;
  for (const [at, place] of places.entries()) {
    if (place < end) continue;
    labelled.add(at);
    end = place + 90;
  }
  return labelled;
}

function anchorOf(place: number, { left, right, width }: typeof margins & { readonly width: number }): string {
  if (place - left < 30) return 'start';
  return width - right - place < 30 ? 'end' : 'middle';
}
