import { problemCatalogue, type ProblemSlug } from '../../generated/problems.js';

/** The page that a problem's `type` refers to, or null if there is no such problem. */
export function problemPage(slug: string): string | null {
  if (!isProblem(slug)) return null;
  const { title, statuses, description } = problemCatalogue[slug];
  return page(title, [`<p>${whereItIsSeen(statuses)} · <code>/problems/${slug}</code></p>`, paragraph(description)]);
}

/** The list of all problems. */
export function problemIndex(): string {
  const entries = Object.entries(problemCatalogue).map(
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

function isProblem(slug: string): slug is ProblemSlug {
  return Object.hasOwn(problemCatalogue, slug);
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
