/**
 * Positions in what the engine sends, as the ids of events have them: a time of the engine, and the number of items with
 * that time. Engines cannot continue after an item, but they can begin at a time.
 */

interface Timed {
  /** `RFC 3339` in UTC with nine digits; empty for messages of the engine. */
  readonly time: string;
}

export interface Position {
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  /** How many items with that time there are up to the position. */
  readonly count: number;
}

/** Engines store items nearly in the order of their times: two writers can swap theirs. */
const overlapMs = 1000;

const beginning: Position = { time: 0n, count: 0 };

/** The position after an item. An item without a time counts as one with the time of the item before it. */
export function positionAfter(previous: Position = beginning, item: Timed): Position {
  const time = nanosecondsOf(item.time) ?? previous.time;
  return { time, count: time === previous.time ? previous.count + 1 : 1 };
}

export function textOfPosition({ time, count }: Position): string {
  return `${time}.${count}`;
}

/** @returns undefined for a text that is not a position */
export function parsePosition(text = ''): Position | undefined {
  const [, time, count] = /^(\d{1,19})\.(\d{1,9})$/.exec(text) ?? [];
  return time === undefined ? undefined : { time: BigInt(time), count: Number(count) };
}

/** From when to ask the engine for what follows a position. */
export function sinceOf({ time }: Position): Date {
  return new Date(Math.max(0, Number(time / 1_000_000n) - overlapMs));
}

/**
 * The items after a position, of those that the engine has since {@link sinceOf}. An item with a later time marks the
 * position as passed, so that nothing is lost where the engine no longer has the item at the position.
 */
export async function* itemsAfter<Item extends Timed>(
  items: AsyncIterable<Item>,
  position: Position,
): AsyncGenerator<Item, void> {
  let isPassed = false;
  let at = beginning;
  let count = 0;
  for await (const item of items) {
    if (isPassed) {
      yield item;
      continue;
    }
    at = positionAfter(at, item);
    if (at.time === position.time) count++;
    const isLater = at.time > position.time;
    isPassed = isLater || count === position.count;
    if (isLater) yield item;
  }
}

function nanosecondsOf(time: string): bigint | undefined {
  const milliseconds = Date.parse(`${time.slice(0, 19)}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(time.slice(20, -1).padEnd(9, '0'));
}
