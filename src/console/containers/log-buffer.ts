/** The newest lines of several services, in the order in which they came. Memory is bounded by service. */
export interface LogBuffer<Line> {
  push(line: Line): void;
  lines(): readonly Line[];
  clear(): void;
}

/** @param most how many lines of one service are kept */
export function createLogBuffer<Line extends { readonly service: string }>(most: number): LogBuffer<Line> {
  let kept: Line[] = [];
  let counts = new Map<string, number>();
  return {
    push(line) {
      const count = (counts.get(line.service) ?? 0) + 1;
      kept.push(line);
      if (count <= most) counts.set(line.service, count);
      else
        kept.splice(
          kept.findIndex(({ service }) => service === line.service),
          1,
        );
    },
    lines: () => [...kept],
    clear() {
      kept = [];
      counts = new Map();
    },
  };
}
