import type { UnitStore, WorkUnit, WorkUnitChange } from '../../../analytics/work-unit.js';

/** The repository of the units, and whether it has no stored units. */
type UnitOwner = Pick<WorkUnitChange, 'orgId' | 'repoId' | 'areNew'>;

/** Writes units while the next ones are derived; at most one change is in progress. */
export class UnitWriter {
  /** Units written so far. */
  written = 0;
  readonly #store: UnitStore;
  readonly #owner: UnitOwner;
  #pending: Promise<void> = Promise.resolve();

  constructor(store: UnitStore, owner: UnitOwner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Waits for the previous change and starts this one. */
  async write(units: readonly WorkUnit[], removed: readonly string[] = []): Promise<void> {
    await this.#pending;
    // SQLite is synchronous: without this, timers (to renew locks) and signals would wait until the end.
    await new Promise((resolve) => setImmediate(resolve));
    if (units.length + removed.length === 0) return;
    this.written += units.length;
    this.#pending = this.#store.apply({ ...this.#owner, units, removed });
    // The next call awaits it; until then a rejection must not end the process.
    this.#pending.catch(() => {});
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    await this.#pending;
  }
}
