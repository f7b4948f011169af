/**
 * `npm run bench analytics [millions]`: batches of ten over so many million work units (default 1 on PostgreSQL and 10
 * on ClickHouse), beside the same statements sent by hand. `npm run bench analytics-growth [millions ...]` measures how
 * they grow, with the sizes on disk (default 0.1, 1 and 10). `npm run bench analytics-figures [millions]` measures the
 * figures that are not sums in the same way as the batches.
 */
import type { AnalyticsBatch } from '../../../src/analytics/analytics.js';
import { median, printTable, unlessBrief } from '../measure.js';
import { batches, byHand, ORG } from './batches.js';
import { figures } from './figures.js';
import { chdbEngine, postgresEngine, type MeasuredEngine } from './engines.js';
import { peakMegabytes } from './memory.js';

const MILLION = unlessBrief(1_000_000, 1000);
const ROUNDS = unlessBrief(7, 1);
const GROWTH_ROUNDS = unlessBrief(3, 1);
const never = new AbortController().signal;

type Figures = Readonly<Record<string, string | number>>;

export function benchAnalytics(): Promise<void> {
  return onBoth(
    'A batch of 10 beside the same statements by hand (milliseconds, and MB at most)',
    async (engine, size, aim) => {
      const compared = Object.entries(batches).map(([name, batch]) => ({
        name,
        ask: () => run(engine, batch),
        statements: byHand(engine.byHand, batch),
      }));
      return [...(await measure(engine, compared, size, aim)), await weighted(engine, size)];
    },
  );
}

export function benchAnalyticsFigures(): Promise<void> {
  return onBoth('A figure beside the same statements by hand (milliseconds, and MB at most)', (engine, size, aim) => {
    const compared = Object.entries(figures).map(([name, figure]) => ({
      name,
      ask: () => figure.ask(engine.analytics, never),
      statements: figure.byHand(engine.figures),
    }));
    return measure(engine, compared, size, aim);
  });
}

/** Measures on each engine that is there, filled with as many units as it is measured with. */
async function onBoth(
  title: string,
  work: (engine: MeasuredEngine, size: number, aim: string) => Promise<readonly Figures[]>,
): Promise<void> {
  const millions = process.argv.map(Number).find((each) => each > 0);
  const measured = [
    { open: postgresEngine, size: millions ?? 1, aim: '<= 1.1' },
    { open: chdbEngine, size: millions ?? 10, aim: '<= 1.2' },
  ];
  for (const { open, size, aim } of measured) {
    await withEngine(open, async (engine) => {
      await engine.grow(size * MILLION, true);
      printTable(title, await work(engine, size, aim));
    });
  }
}

/** What is measured beside statements by hand. */
interface Compared {
  readonly name: string;
  ask(): Promise<unknown>;
  readonly statements: readonly string[];
}

export async function benchAnalyticsGrowth(): Promise<void> {
  for (const open of [postgresEngine, chdbEngine]) {
    await withEngine(open, async (engine) => {
      const rows: Figures[] = [];
      const given = process.argv.map(Number).filter((each) => each > 0);
      for (const size of given.length > 0 ? given : [0.1, 1, 10]) {
        const before = engine.processorTime();
        await engine.grow(size * MILLION, false);
        const made = engine.processorTime() - before;
        rows.push({
          engine: engine.name,
          units: `${size} million`,
          made_cpu_s: Math.round(made / 1000),
          ...(await grown(engine)),
        });
        printTable('How batches grow with the work units (milliseconds, also of processor time, and MB)', rows);
      }
    });
  }
}

/** A year of one organization, and a month of it. */
async function grown(engine: MeasuredEngine): Promise<Figures> {
  const { dashboard } = batches;
  if (dashboard === undefined) throw new Error('there is no such batch');
  const figures: Record<string, number> = { disk_mb: await engine.diskMegabytes() };
  for (const [name, batch] of Object.entries({ ...batches, month: ofOneMonth(dashboard) })) {
    await run(engine, batch);
    const times: number[] = [];
    const before = engine.processorTime();
    for (let round = 0; round < GROWTH_ROUNDS; round += 1) times.push(await timed(() => run(engine, batch)));
    figures[name] = Math.round(median(times));
    // Other processes change it little.
    figures[`${name}_cpu`] = Math.round((engine.processorTime() - before) / GROWTH_ROUNDS);
  }
  figures['peak_mb'] = await peakMegabytes(engine.memory, () => run(engine, dashboard));
  return figures;
}

function ofOneMonth(batch: AnalyticsBatch): AnalyticsBatch {
  const dateRange = { startDate: '2025-06-01', endDate: '2025-06-30' };
  return {
    ...batch,
    timeseries: batch.timeseries.map((request) => ({ ...request, dateRange })),
    breakdowns: batch.breakdowns.map((request) => ({ ...request, dateRange })),
    sankey: batch.sankey === null ? null : { ...batch.sankey, dateRange },
  };
}

async function withEngine(
  open: () => Promise<MeasuredEngine | { readonly missing: string }>,
  work: (engine: MeasuredEngine) => Promise<void>,
): Promise<void> {
  const engine = await open();
  if ('missing' in engine) {
    console.log(`ClickHouse (chdb) skipped: ${engine.missing}`);
    return;
  }
  try {
    await work(engine);
  } finally {
    await engine.remove();
  }
}

async function measure(
  engine: MeasuredEngine,
  compared: readonly Compared[],
  size: number,
  aim: string,
): Promise<readonly Figures[]> {
  const rows: Figures[] = [];
  for (const { name, ask, statements } of compared) {
    // In turns, so that a busy moment of the machine hits both.
    const [ours, hand]: [number[], number[]] = [[], []];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const times = [await timed(ask), await timed(() => engine.send(statements))] as const;
      // The first round fills caches.
      if (round === 0) continue;
      ours.push(times[0]);
      hand.push(times[1]);
    }
    rows.push({
      engine: engine.name,
      units: `${size} million`,
      asked: name,
      ours_ms: Math.round(median(ours)),
      by_hand_ms: Math.round(median(hand)),
      ratio: Number((median(ours) / median(hand)).toFixed(2)),
      aim,
      ours_mb: await peakMegabytes(engine.memory, ask),
      by_hand_mb: await peakMegabytes(engine.memory, () => engine.send(statements)),
    });
  }
  return rows;
}

/** Split over shares; nobody would write that by hand, so it is compared with nothing. */
async function weighted(engine: MeasuredEngine, size: number): Promise<Figures> {
  const { dashboard } = batches;
  if (dashboard === undefined) throw new Error('there is no such batch');
  const times: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    times.push(await timed(() => run(engine, { ...dashboard, useInvestment: true })));
  }
  return {
    engine: engine.name,
    units: `${size} million`,
    asked: 'dashboard, useInvestment',
    ours_ms: Math.round(median(times)),
  };
}

function run(engine: MeasuredEngine, batch: AnalyticsBatch): Promise<unknown> {
  return engine.analytics.run(ORG, batch, never);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
