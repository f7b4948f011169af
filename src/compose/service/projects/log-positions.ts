/** The positions in the output of several containers, as the ids of events have them. */
import { createHash } from 'node:crypto';
import { parsePosition, positionAfter, textOfPosition, type Position } from '../positions.js';

/** Then an id has at most 9,000 characters: servers refuse more than 16 KiB of request headers. */
const mostContainers = 200;

/** By {@link keyOf}; last of the container that printed last. */
export type Positions = ReadonlyMap<string, Position>;

/** @param id if {@link movingPositions} did not give it, there are no positions */
export function parsePositions(id = ''): Positions {
  const entries = id.split(',').map((entry): [string, Position | undefined] => {
    const [, key = '', text] = /^([\w-]{12})\.(.*)$/.exec(entry) ?? [];
    return [key, parsePosition(text)];
  });
  return new Map(entries.filter((entry): entry is [string, Position] => entry[1] !== undefined));
}

export function positionOf(positions: Positions, container: string): Position | undefined {
  return positions.get(keyOf(container));
}

/**
 * Follows the output of several containers.
 *
 * @returns a function that gives the id after a further line
 */
export function movingPositions(begin: Positions): (line: { container: string; time: string }) => string {
  const positions = new Map(begin);
  return (line) => {
    const key = keyOf(line.container);
    const position = positionAfter(positions.get(key), line);
    positions.delete(key);
    positions.set(key, position);
    const [oldest] = positions.keys();
    if (positions.size > mostContainers && oldest !== undefined) positions.delete(oldest);
    return [...positions].map(([each, at]) => `${each}.${textOfPosition(at)}`).join(',');
  };
}

/** Names can have 255 characters. */
function keyOf(container: string): string {
  return createHash('sha256').update(container).digest('base64url').slice(0, 12);
}
