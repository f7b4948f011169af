/** Prints the resource usage of containers. */
import { membersOf, type Member } from '../../orchestrator/actual-state.js';
import type { NetworkTraffic, StatsSample } from '../../runtime/records.js';
import type { StatsFlags } from '../flags.js';
import { listingText, type Row } from '../format/listing.js';
import { binarySize, humanSize } from '../format/units.js';
import type { Session } from '../session.js';

/** The time between two samples of a rate. */
const INTERVAL_MS = 1000;
const CLEAR_SCREEN = '\u001b[H\u001b[J';

const TITLES = {
  Container: 'CONTAINER',
  ID: 'CONTAINER ID',
  CPUPerc: 'CPU %',
  MemUsage: 'MEM USAGE / LIMIT',
  MemPerc: 'MEM %',
  NetIO: 'NET I/O',
  BlockIO: 'BLOCK I/O',
};
const COLUMNS = ['ID', 'Name', 'CPUPerc', 'MemUsage', 'MemPerc', 'NetIO', 'BlockIO', 'PIDs'];

/** Where the containers of a project and their usage come from. */
export interface StatsSource {
  members(project: string): Promise<readonly Member[]>;
  /** By the id of the container. One that has ended has none. */
  samples(project: string, members: readonly Member[]): Promise<ReadonlyMap<string, StatsSample>>;
}

/** Prints the usage each second, or once, until the signal of the session. */
export async function printStats(
  session: Session,
  services: readonly string[],
  flags: StatsFlags,
  source: StatsSource,
): Promise<void> {
  const { name, project } = await session.select(services);
  const defined = Object.keys({ ...project?.services, ...project?.disabledServices });
  const isFollowing = flags.stream !== false;
  const clears = isFollowing && session.io.stdout.isTerminal && flags.format !== 'json';
  let before: ReadonlyMap<string, StatsSample> = new Map();
  for (let isFirst = true; ; isFirst = false) {
    const present = await source.members(name);
    membersOf(present, services, name, defined); // An unknown service is an error.
    const members = present
      .filter(({ service }) => services.length === 0 || services.includes(service))
      .filter(({ container }) => flags.all === true || container.status === 'running');
    const samples = await source.samples(name, members);
    // The first sample has no rate yet.
    if (!isFirst) {
      const rows = members.map(({ container }) =>
        statsRow(container, before.get(container.id), samples.get(container.id), flags),
      );
      const text = listingText({ titles: TITLES, columns: COLUMNS, json: 'lines', rows }, flags.format);
      await session.print(`${clears ? CLEAR_SCREEN : ''}${text}`);
      if (!isFollowing) return;
    }
    before = samples;
    await session.io.clock.sleep(INTERVAL_MS, session.signal);
  }
}

function statsRow(
  { id, name }: Member['container'],
  before: StatsSample | undefined,
  now: StatsSample | undefined,
  { trunc }: StatsFlags,
): Row {
  const names = { Container: id, ID: trunc === false ? id : id.slice(0, 12), Name: name };
  if (now === undefined) {
    return { ...names, BlockIO: '--', CPUPerc: '--', MemPerc: '--', MemUsage: '-- / --', NetIO: '--', PIDs: '--' };
  }
  const share = now.memoryLimitBytes === 0 ? 0 : now.memoryUsageBytes / now.memoryLimitBytes;
  return {
    ...names,
    BlockIO: `${humanSize(now.blockReadBytes)} / ${humanSize(now.blockWriteBytes)}`,
    CPUPerc: percent(before === undefined ? 0 : cpuShare(before, now)),
    MemPerc: percent(share),
    MemUsage: `${binarySize(now.memoryUsageBytes)} / ${binarySize(now.memoryLimitBytes)}`,
    NetIO: `${humanSize(sum(now.networks, 'receivedBytes'))} / ${humanSize(sum(now.networks, 'transmittedBytes'))}`,
    PIDs: String(now.processes),
  };
}

/** Relative to one processor: 2 if two are busy. */
function cpuShare(before: StatsSample, now: StatsSample): number {
  const elapsedMs = Date.parse(now.sampledAt) - Date.parse(before.sampledAt);
  return elapsedMs <= 0 ? 0 : Math.max(0, now.cpuUsageMicroseconds - before.cpuUsageMicroseconds) / (elapsedMs * 1000);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

function sum(networks: readonly NetworkTraffic[], key: 'receivedBytes' | 'transmittedBytes'): number {
  return networks.reduce((total, network) => total + network[key], 0);
}
