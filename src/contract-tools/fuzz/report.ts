import { junitXml, type JunitCase } from '../junit.js';
import { curlOf } from './curl.js';
import type { Finding } from './explore.js';
import { isUntried, type Result } from './fuzz.js';
import type { Sender } from './send.js';

/** What a run has found. */
export interface Report {
  readonly path: string;
  readonly server: string;
  readonly seed: number;
  readonly results: readonly Result[];
  readonly sender: Sender;
  /** Headers whose values are not printed, in lower case. */
  readonly secret: ReadonlySet<string>;
}

/** One line: the requests of one kind to one operation, and their replies. */
export function printResults(result: Result): string {
  const { name, kind, statuses, findings, untried } = result;
  if (isUntried(result)) return `○ ${name}  ${kind}: not tried`;
  const mark = findings.length === 0 ? '✓' : '✗';
  const replies = [...statuses].sort().map(([status, count]) => `${status} (${count})`);
  const isRefused = kind === 'allowed' && ![...statuses.keys()].some((status) => /^[23]/.test(status));
  const left = untried === 0 ? '' : `; ${untried} ${kind === 'allowed' ? 'edges' : 'rules'} not tried`;
  return `${mark} ${name}  ${kind}: ${replies.join(', ')}${isRefused ? '; none succeeded' : ''}${left}`;
}

/** The findings, each with a command that shows it again, and the sum. */
export function printFindings(report: Report): string {
  const { results, path, server, seed } = report;
  const found = results.flatMap((result) => result.findings.map((finding) => ({ result, finding })));
  const lines = found.flatMap(({ result, finding }, index) => [
    '',
    `${index + 1}. ${result.name}: ${finding.fault.text}`,
    `   ${commandOf(report, finding)}`,
  ]);
  const sent = results.flatMap(({ statuses }) => [...statuses.values()]).reduce((sum, each) => sum + each, 0);
  const repeat = found.length === 0 ? '' : ` Again: plumbline fuzz ${path} ${server} --seed ${seed}`;
  const untried = results.filter(isUntried).length;
  const sum = `${sent} requests, ${found.length} findings${untried === 0 ? '' : `, ${untried} not tried`}.`;
  return [...lines, '', `${sum}${repeat}`].join('\n');
}

function commandOf({ sender, secret }: Report, { request }: Finding): string {
  return curlOf(sender, request, secret);
}

/** The report as JUnit XML: a case per operation and kind of request, and one per finding. */
export function junitReport(report: Report): string {
  const cases = report.results.flatMap((result): JunitCase[] => {
    const { name, kind, findings } = result;
    const title = { className: name, name: `${name} > ${kind}` };
    if (isUntried(result)) return [{ ...title, skipped: 'not tried: no request was sent' }];
    if (findings.length === 0) return [title];
    return findings.map((finding) => ({
      ...title,
      failure: { message: finding.fault.text, text: commandOf(report, finding) },
    }));
  });
  return junitXml([{ name: 'fuzz', cases }]);
}

/** The report as JSON. */
export function jsonReport(report: Report): string {
  const results = report.results.map(({ name, kind, statuses, findings, untried }) => ({
    name,
    kind,
    tried: statuses.size > 0,
    ...(kind === 'allowed' ? { untriedEdges: untried } : { untriedRules: untried }),
    statuses: Object.fromEntries(statuses),
    findings: findings.map((finding) => ({
      rule: finding.fault.rule,
      message: finding.fault.text,
      status: finding.status,
      curl: commandOf(report, finding),
    })),
  }));
  const passed = results.every(({ findings }) => findings.length === 0);
  return `${JSON.stringify({ passed, seed: report.seed, server: report.server, results }, null, 2)}\n`;
}
