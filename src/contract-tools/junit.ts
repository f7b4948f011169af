/** JUnit XML, as CI servers read it. */

/** A test case. `failure`: why it failed; `skipped`: why it did not run. */
export interface JunitCase {
  readonly className: string;
  readonly name: string;
  readonly failure?: { readonly message: string; readonly text?: string };
  readonly skipped?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** Test suites as a document. */
export function junitXml(suites: readonly JunitSuite[]): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    ...suites.flatMap(suiteLines),
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function suiteLines({ name, cases }: JunitSuite): string[] {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const head = `<testsuite name="${escapeXml(name)}" tests="${cases.length}" failures="${failures}">`;
  return [head, ...cases.map(caseLine), '</testsuite>'];
}

function caseLine({ className, name, failure, skipped }: JunitCase): string {
  const title = `<testcase classname="${escapeXml(className)}" name="${escapeXml(name)}"`;
  if (skipped !== undefined) return `${title}><skipped message="${escapeXml(skipped)}"/></testcase>`;
  if (failure === undefined) return `${title}/>`;
  const { message, text } = failure;
  const element = `<failure message="${escapeXml(message)}"`;
  return `${title}>${text === undefined ? `${element}/>` : `${element}>${escapeXml(text)}</failure>`}</testcase>`;
}

/** A text in an attribute or an element. XML 1.0 has no control characters, not even escaped. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
