import { junitXml, type JunitCase, type JunitSuite } from '../junit.js';
import { separator } from './exceptions.js';
import { isFailure, type Verdict } from './judge.js';

/** The verdict as JUnit XML: a suite per contract, a case per documented unit, and a case per fault. */
export function renderJunit({ surfaces, staleExceptions }: Verdict): string {
  const suites = surfaces.map(({ name, units, faults }): JunitSuite => ({
    name,
    cases: [
      ...units.map(caseOf),
      ...faults.map((fault) => ({
        className: 'replies',
        name: 'not as documented',
        failure: { message: fault },
      })),
    ],
  }));
  const stale = staleExceptions.map(({ surface, unit }) => ({
    className: 'exceptions',
    name: [surface, ...unit].join(separator),
    failure: { message: 'nothing documents it' },
  }));
  return junitXml(stale.length === 0 ? suites : [...suites, { name: 'exceptions', cases: stale }]);
}

function caseOf({ unit, mark, reason }: Verdict['surfaces'][number]['units'][number]): JunitCase {
  const title = { className: unit[0] ?? '', name: unit.join(separator) };
  if (isFailure(mark)) return { ...title, failure: { message: mark } };
  return mark === 'excepted' ? { ...title, skipped: reason ?? '' } : title;
}
