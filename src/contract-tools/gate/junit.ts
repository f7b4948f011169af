import { separator } from './exceptions.js';
import { isFailure, type Verdict } from './judge.js';

/** The verdict as JUnit XML: a suite per contract, a case per documented unit, and a case per fault. */
export function renderJunit({ surfaces, staleExceptions }: Verdict): string {
  const suites = surfaces.map(({ name, units, faults }) => {
    const cases = units.map(({ unit, mark, reason }) => {
      const title = `<testcase classname="${escapeXml(unit[0] ?? '')}" name="${escapeXml(unit.join(separator))}"`;
      if (isFailure(mark)) return `${title}><failure message="${escapeXml(mark)}"/></testcase>`;
      return mark === 'excepted' ? `${title}><skipped message="${escapeXml(reason ?? '')}"/></testcase>` : `${title}/>`;
    });
    const wrong = faults.map(
      (fault) =>
        `<testcase classname="replies" name="not as documented"><failure message="${escapeXml(fault)}"/></testcase>`,
    );
    const failures = units.filter(({ mark }) => isFailure(mark)).length + faults.length;
    const head = `<testsuite name="${escapeXml(name)}" tests="${units.length + faults.length}" failures="${failures}">`;
    return [head, ...cases, ...wrong, '</testsuite>'].join('\n');
  });
  const stale = staleExceptions.map(
    ({ surface, unit }) =>
      `<testcase classname="exceptions" name="${escapeXml([surface, ...unit].join(separator))}"><failure message="nothing documents it"/></testcase>`,
  );
  if (stale.length > 0) {
    suites.push(
      `<testsuite name="exceptions" tests="${stale.length}" failures="${stale.length}">\n${stale.join('\n')}\n</testsuite>`,
    );
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

/** A text in an attribute or an element. XML 1.0 has no control characters, not even escaped. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
