/** The units that a sync left in a database. */
import { openWorkUnitStore } from '../../../src/analytics/store/open.js';
import type { WorkUnit } from '../../../src/analytics/work-unit.js';
import { parseConnection } from '../../../src/sync/sinks/connection-string.js';
import { openSink } from '../../../src/sync/sinks/open.js';
import type { Sink } from '../../../src/sync/sinks/sink.js';
import { importConnector } from '../../support/chdb.js';
import { testDependencies } from '../harness.js';

const ignore = (): void => {};
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Opens a database as a sync does. */
export async function sinkOf(uri: string): Promise<Sink> {
  const address = parseConnection(uri);
  if ('problem' in address) throw new Error(address.problem);
  return openSink(address, { now: Date.now, concurrency: 1, echo: undefined }, testDependencies());
}

/** All units of a repository of the default organization, in order of id. */
export async function unitsIn(uri: string, repoId: string): Promise<WorkUnit[]> {
  const sink = await sinkOf(uri);
  await sink.close();
  if (sink.unitsAddress === undefined) throw new Error(`${sink.kind} has no work units`);
  const importChdb = (): Promise<unknown> => importConnector('chdb');
  const store = await openWorkUnitStore(sink.unitsAddress, {
    now: Date.now,
    log,
    exclusively: (work) => work(() => Promise.resolve()),
    importChdb,
  });
  const units: WorkUnit[] = [];
  try {
    for await (const batch of store.scan('default', repoId)) units.push(...batch);
  } finally {
    await store.close();
  }
  return units.sort((a, b) => (a.id < b.id ? -1 : 1));
}
