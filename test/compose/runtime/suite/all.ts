/** The whole suite over one subject. */
import { afterAll, describe, it } from 'vitest';
import { testEngine, type TestEngine } from '../../../support/engines.js';
import { report } from '../conformance-table.js';
import { conformance, type ConformanceColumn, type Subject } from '../conformance.js';
import { lifecycle } from './lifecycle.js';
import { output } from './output.js';
import { resources } from './resources.js';
import { summaries } from './summaries.js';
import { watching } from './watching.js';
import { isolation } from './isolation.js';

/** An engine that runs real containers; skipped, with the reason, where it is missing. */
export async function engineConformance(name: TestEngine['name']): Promise<void> {
  const engine = await testEngine(name);
  if ('reason' in engine) {
    describe(name, () => {
      it.skip(`skipped: ${engine.reason}`);
    });
    await report({ subject: name, skipped: engine.reason, operations: {} });
    return;
  }
  afterAll(() => engine.clean(), 120_000);
  wholeConformance({ ...engine, real: true });
}

export function wholeConformance(subject: Subject): void {
  const operations: ConformanceColumn = {};
  afterAll(() => report({ subject: subject.name, operations }));
  conformance(subject, operations, [lifecycle, summaries, output, resources, watching, isolation]);
}
