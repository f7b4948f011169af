/** A problem as its page explains it. */
export interface ProblemExplanation {
  readonly title: string;
  readonly statuses: readonly number[];
  readonly description: string;
}

/** All problems by slug: `problemCatalogue` of `generated/problems.ts`. */
export type ProblemCatalogue = Readonly<Record<string, ProblemExplanation>>;

/** The page that a problem's `type` refers to, or null if there is no such problem. */
export function problemPage(problems: ProblemCatalogue, slug: string): string | null {
  const problem = Object.hasOwn(problems, slug) ? problems[slug] : undefined;
  if (problem === undefined) return null;
  const { title, statuses, description } = problem;
  return page(title, [`<p>${whereItIsSeen(statuses)} · <code>/problems/${slug}</code></p>`, paragraph(description)]);
}

/** The list of all problems. */
export function problemIndex(problems: ProblemCatalogue): string {
  const entries = Object.entries(problems).map(
    ([slug, { title, statuses }]) =>
      `<li><a href="/problems/${slug}">${escapeHtml(title)}</a> (${statuses.join(', ') || 'command line'})</li>`,
  );
  return page('Problems', [
    paragraph('All errors of the APIs and the command line, by type.'),
    `<ul>${entries.join('')}</ul>`,
  ]);
}

function whereItIsSeen(statuses: readonly number[]): string {
  return statuses.length === 0 ? 'On the command line' : `Status ${statuses.join(' or ')}`;
}

function page(title: string, contents: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Plumbline</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }
code { font-size: 0.95em }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${contents.join('\n')}
<p><a href="/problems">All problems</a> · <a href="/docs">API reference</a></p>
</body>
</html>
`;
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
