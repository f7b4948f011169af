import { listContainerStats, type Schemas } from '@plumbline/sdk/compose';
import { line } from 'd3-shape';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Table } from '../charts/figures-table.js';
import type { ChartTable } from '../charts/table.js';
import { timeOfDay } from '../ui/moment.js';
import { pause } from './events.js';
import type { Container } from './queries.js';
import { ask, compose, withKey } from './session.js';
import { TableSwitch } from '../ui/table-switch.js';

type Sample = Schemas['StatsSample'];

const intervalMs = 2000;
/** Two minutes. */
const kept = 60;

export interface UsageProps {
  readonly project: string;
  /** The containers that run. */
  readonly containers: readonly Container[];
}

/** What containers use, as small charts. They are asked while they are shown. */
export function Usage({ project, containers }: UsageProps): JSX.Element {
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
      {isOpen && <Used project={project} containers={containers} />}
    </details>
  );
}

function Used({ project, containers }: UsageProps): JSX.Element {
  const samples = useSamples(project);
  const [asTable, setAsTable] = useState(false);
  if (containers.length === 0) return <p class="muted">No container runs.</p>;
  const used = containers.map(({ id, name }) => ({ name, points: pointsOf(samples.get(id) ?? []) }));
  return (
    <>
      <div class="card-head">
        <p class="muted">The last two minutes. The processor is a share of one core.</p>
        <div class="chart-actions">
          <TableSwitch asTable={asTable} back="As charts" onChange={setAsTable} />
        </div>
      </div>
      {asTable ? (
        <div class="usage-table">
          <Table table={tableOf(used)} label="Processor and memory, as a table" />
        </div>
      ) : (
        <ul class="usage">
          {used.map(({ name, points }) => (
            <ContainerUsage key={name} name={name} points={points} />
          ))}
        </ul>
      )}
    </>
  );
}

/** A sample as it is shown. */
interface Point {
  readonly at: string;
  /** The share of one core since the sample before; null: it is the first one. */
  readonly cpu: number | null;
  /** In bytes. */
  readonly memory: number;
  readonly limit: number;
}

function pointsOf(samples: readonly Sample[]): readonly Point[] {
  return samples.map((sample, at) => {
    const before = samples[at - 1];
    return {
      at: sample.sampled_at,
      cpu: before === undefined ? null : cpuOf(before, sample),
      memory: sample.memory_usage_bytes,
      limit: sample.memory_limit_bytes,
    };
  });
}

/** The newest first. */
function tableOf(used: readonly { readonly name: string; readonly points: readonly Point[] }[]): ChartTable {
  const rows = used.flatMap(({ name, points }) => points.map((point) => ({ name, ...point })));
  return {
    columns: ['Time', 'Container', 'Processor', 'Memory'],
    rows: rows
      .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
      .map(({ at, name, cpu, memory }) => [
        timeOfDay.format(new Date(at)),
        name,
        cpu === null ? null : percentOf(cpu),
        bytesOf(memory),
      ]),
  };
}

function ContainerUsage({ name, points }: { name: string; points: readonly Point[] }): JSX.Element {
  const limit = points.at(-1)?.limit ?? 0;
  return (
    <li>
      <h3 class="break">{name}</h3>
      <Spark
        label={`Processor of ${name}`}
        values={points.flatMap(({ cpu }) => cpu ?? [])}
        format={percentOf}
        token="--series-1"
      />
      <Spark
        label={`Memory of ${name}`}
        values={points.map(({ memory }) => memory)}
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

/**
 * The newest samples of the containers of a project, by their ids. One request has those of all: a stream for each
 * would use up the connections, and a container that has just ended would be an error.
 */
function useSamples(project: string): ReadonlyMap<string, readonly Sample[]> {
  const [samples, setSamples] = useState<ReadonlyMap<string, readonly Sample[]>>(new Map());
  useEffect(() => {
    const left = new AbortController();
    void follow(project, left.signal, (taken) => {
      // Containers without a sample have ended: what they used is forgotten.
      setSamples(
        (before) => new Map(taken.map((each) => [each.id, [...(before.get(each.id) ?? []), each].slice(-kept)])),
      );
    });
    return () => {
      left.abort();
    };
  }, [project]);
  return samples;
}

async function follow(
  project: string,
  signal: AbortSignal,
  onSamples: (samples: readonly Sample[]) => void,
): Promise<void> {
  const request = { query: { label: [`com.docker.compose.project=${project}`] }, signal };
  while (!signal.aborted) {
    try {
      const taken: Sample[] = [];
      for await (const sample of await ask(listContainerStats(compose, { ...withKey(), ...request }))) {
        taken.push(sample);
      }
      onSamples(taken);
    } catch {
      // The server is away: the services above say so.
    }
    await pause(intervalMs, signal);
  }
}

/** The share of one core between two samples. */
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
