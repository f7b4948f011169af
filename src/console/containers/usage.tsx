import { getContainerStats, type Schemas } from '@plumbline/sdk/compose';
import { line } from 'd3-shape';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { pause } from './events.js';
import type { Container } from './queries.js';
import { ask, compose, withKey } from './session.js';

type Sample = Schemas['StatsSample'];

const intervalMs = 2000;
/** Two minutes. */
const kept = 60;

/** What containers use, as small charts. They are asked while they are shown. */
export function Usage({ containers }: { containers: readonly Container[] }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="card"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        <h2>Processor and memory</h2>
      </summary>
      {isOpen &&
        (containers.length === 0 ? (
          <p class="muted">No container runs.</p>
        ) : (
          <ul class="usage">
            {containers.map(({ id, name }) => (
              <ContainerUsage key={id} id={id} name={name} />
            ))}
          </ul>
        ))}
    </details>
  );
}

function ContainerUsage({ id, name }: { id: string; name: string }): JSX.Element {
  const samples = useSamples(id);
  const cpu = samples.slice(1).map((sample, at) => cpuOf(samples[at] ?? sample, sample));
  const memory = samples.map((sample) => sample.memory_usage_bytes);
  const limit = samples.at(-1)?.memory_limit_bytes ?? 0;
  return (
    <li>
      <h3 class="break">{name}</h3>
      <Spark label={`Processor of ${name}`} values={cpu} format={percentOf} token="--series-1" />
      <Spark
        label={`Memory of ${name}`}
        values={memory}
        format={bytesOf}
        token="--series-4"
        note={limit > 0 ? `of ${bytesOf(limit)}` : ''}
      />
    </li>
  );
}

interface SparkProps {
  readonly label: string;
  readonly values: readonly number[];
  readonly format: (value: number) => string;
  /** The design token of its colour. */
  readonly token: string;
  readonly note?: string;
}

/** A small chart of the last two minutes, with its newest value beside it. */
function Spark({ label, values, format, token, note = '' }: SparkProps): JSX.Element {
  const newest = values.at(-1);
  const top = Math.max(...values, Number.MIN_VALUE);
  const path = line<number>(
    (_value, at) => 100 - (values.length - 1 - at) * (100 / (kept - 1)),
    (value) => 31 - (value / top) * 30,
  )([...values]);
  const text = newest === undefined ? 'no value yet' : `${format(newest)}, at most ${format(top)}`;
  return (
    <div class="spark">
      <span class="small muted">{label.split(' ')[0]}</span>
      <svg viewBox="0 0 100 32" preserveAspectRatio="none" role="img" aria-label={`${label}: ${text}`}>
        <path d={path ?? ''} fill="none" style={{ stroke: `var(${token})` }} vector-effect="non-scaling-stroke" />
      </svg>
      <span class="number small">
        {newest === undefined ? '–' : format(newest)} <span class="muted">{note}</span>
      </span>
    </div>
  );
}

/** The newest samples of a container. Each is a short request: a stream for each would use up the connections. */
function useSamples(id: string): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    const left = new AbortController();
    void follow(id, left.signal, (sample) => {
      setSamples((before) => [...before, sample].slice(-kept));
    });
    return () => {
      left.abort();
    };
  }, [id]);
  return samples;
}

async function follow(id: string, signal: AbortSignal, onSample: (sample: Sample) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const request = { params: { id }, query: { stream: false }, signal };
      for await (const sample of await ask(getContainerStats(compose, { ...withKey(), ...request }))) onSample(sample);
    } catch {
      // It has ended, or the server is away: the services above say so.
    }
    await pause(intervalMs, signal);
  }
}

/** The share of one processor between two samples. */
function cpuOf(before: Sample, after: Sample): number {
  const elapsed = (Date.parse(after.sampled_at) - Date.parse(before.sampled_at)) * 1000;
  return elapsed > 0 ? Math.max(0, after.cpu_usage_microseconds - before.cpu_usage_microseconds) / elapsed : 0;
}

function percentOf(part: number): string {
  return part.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

function bytesOf(value: number): string {
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return (value / 1000 ** power).toLocaleString(undefined, {
    style: 'unit',
    unit: units[power] ?? 'byte',
    maximumFractionDigits: 1,
  });
}
