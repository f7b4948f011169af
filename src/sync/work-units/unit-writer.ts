/** Writing units while the next ones are worked out: at most one change is on its way. */
import type { WorkUnit, WorkUnitChange, WorkUnitStore } from '../../analytics/work-unit.js';

/** Whose units are written, and whether none of them was written before. */
type UnitOwner = Pick<WorkUnitChange, 'orgId' | 'repoId' | 'areNew'>;

export class UnitWriter {
  /** Units written so far. */
  written = 0;
  readonly #store: WorkUnitStore;
  readonly #owner: UnitOwner;
  #pending: Promise<void> = Promise.resolve();

  constructor(store: WorkUnitStore, owner: UnitOwner) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Waits for the change before, and begins with this one. */
  async write(units: readonly WorkUnit[], removed: readonly string[] = []): Promise<void> {
    await this.#pending;
    // SQLite answers at once: without a break, locks would not be renewed and signals not be seen until the end.
    await new Promise((resolve) => setImmediate(resolve));
    if (units.length + removed.length === 0) return;
    this.written += units.length;
    this.#pending = this.#store.apply({ ...this.#owner, units, removed });
    // It is awaited by the next call; until then a failure must not end the process.
    this.#pending.catch(() => {});
  }

  /** Resolves when everything is stored. */
  async flush(): Promise<void> {
    await this.#pending;
  }
}
