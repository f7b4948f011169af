import { streamProjectLogs, type Schemas } from '@plumbline/sdk/compose';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { nextStart, pause } from './events.js';
import { createLogBuffer } from './log-buffer.js';
import { LogBox } from './log-box.js';
import { ask, compose, withKey } from './session.js';
import { timeOfDay } from '../ui/moment.js';

type Line = Schemas['ProjectLogLine'];

/** How many lines of each service are kept and, of each container, asked for at the beginning. */
const kept = 500;
const tail = 100;
const retryMs = 3000;

/** What the services of a project print, followed. */
export function Output({ project, services }: { project: string; services: readonly string[] }): JSX.Element {
  const lines = useLines(project);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = lines.filter(({ service }) => !hidden.has(service));
  return (
    <section class="card" aria-labelledby="output">
      <div class="card-head">
        <h2 id="output">Output</h2>
        <div class="actions" role="group" aria-label="Services whose output is shown">
          {services.map((service) => (
            <label class="choice" key={service}>
              <input
                type="checkbox"
                checked={!hidden.has(service)}
                onChange={() => {
                  const next = new Set(hidden);
                  if (!next.delete(service)) next.add(service);
                  setHidden(next);
                }}
              />
              {service}
            </label>
          ))}
        </div>
      </div>
      <LogBox labelledBy="output" newest={shown}>
        {shown.length === 0 && <p class="muted">Nothing was printed.</p>}
        {shown.map(({ service, container, stream, time: at, line }, index) => (
          <div class={stream} key={index}>
            <time dateTime={at}>{timeOfDay.format(new Date(at))}</time>
            <span class="source" title={container}>
              {service}
            </span>
            <span class="text">
              {stream === 'stderr' && <span class="visually-hidden">error output: </span>}
              {line}
            </span>
          </div>
        ))}
      </LogBox>
    </section>
  );
}

/** The newest lines of a project. They are painted at most once per frame, however fast they come. */
function useLines(project: string): readonly Line[] {
  const [lines, setLines] = useState<readonly Line[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const buffer = createLogBuffer<Line>(kept);
    let frame = 0;
    const paint = (): void => {
      frame = 0;
      setLines(buffer.lines());
    };
    void follow(
      project,
      left.signal,
      () => {
        buffer.clear();
      },
      (line) => {
        buffer.push(line);
        if (frame === 0) frame = requestAnimationFrame(paint);
      },
    );
    return () => {
      left.abort();
      cancelAnimationFrame(frame);
    };
  }, [project]);
  return lines;
}

/** Follows the lines until the signal fires, also of containers that start again later. */
async function follow(
  project: string,
  signal: AbortSignal,
  onStart: () => void,
  onLine: (line: Line) => void,
): Promise<void> {
  while (!signal.aborted) {
    const started = nextStart(project, signal);
    try {
      const request = { params: { name: project }, query: { follow: true, tail: String(tail) }, signal };
      const lines = await ask(streamProjectLogs(compose, { ...withKey(), ...request }));
      onStart();
      for await (const line of lines) onLine(line);
      await started; // all containers have ended
    } catch {
      await pause(retryMs, signal); // the views say that the server is away
    }
  }
}
