import type { JudgedSurface, JudgedUnit, Verdict } from '../../../src/contract-tools/gate/judge.js';
import { isFailure } from '../../../src/contract-tools/gate/judge.js';
import { separator } from '../../../src/contract-tools/gate/exceptions.js';
import { group, nameBelowGroups, signs, summary } from '../../../src/contract-tools/gate/tree.js';

/** Writes the verdict as one HTML page that needs nothing beside it. */
export function renderPage(verdict: Verdict): string {
  const stale = verdict.staleExceptions.map(
    ({ surface, unit }) => `<li>Stale exception: <code>${escape([surface, ...unit].join(separator))}</code></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Contract gate: ${verdict.passed ? 'green' : 'red'}</title>
<style>${style}</style>
</head>
<body>
<h1 class="${verdict.passed ? 'good' : 'bad'}">The contract gate is ${verdict.passed ? 'green' : 'red'}</h1>
<p>Everything that the contracts document, and whether the tests have seen it happen:
${signs.seen} seen, ${signs.excepted} excepted with a reason, ${signs.missing} not seen, ${signs.undocumented} seen but not documented, or excepted without need.</p>
${stale.length > 0 ? `<ul class="bad">${stale.join('')}</ul>` : ''}
${verdict.surfaces.map(renderSurface).join('\n')}
</body>
</html>
`;
}

const style = `
:root { --ground: #fff; --ink: #1b1f24; --line: #d5dae1; --good: #0f6b3c; --bad: #b3261e; --dim: #5d6673 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --ink: #e3e6ea; --line: #343b45; --good: #63cf95; --bad: #ff8a80; --dim: #98a2b0 }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; background: var(--ground); color: var(--ink) }
code, table { font-family: ui-monospace, monospace; font-size: .875rem }
details { border-top: 1px solid var(--line); padding: .25rem 0 }
summary { cursor: pointer }
table { border-collapse: collapse; margin: .25rem 0 .5rem 1.25rem }
td { padding: .1rem .75rem .1rem 0; vertical-align: top; overflow-wrap: anywhere }
.good { color: var(--good) } .bad { color: var(--bad) } .dim { color: var(--dim) }
`;

function renderSurface(surface: JudgedSurface): string {
  const faults = surface.faults.map((fault) => `<li><code>${escape(fault)}</code></li>`).join('');
  const groups = [...group(surface.units)].map(([name, inner]) => renderGroup(name, inner));
  return `<h2>${escape(surface.name)}</h2>
<p>${escape(summary(surface))}</p>
${faults === '' ? '' : `<h3 class="bad">Not as documented</h3><ul class="bad">${faults}</ul>`}
${groups.join('\n')}`;
}

function renderGroup(name: string, inner: ReadonlyMap<string, readonly JudgedUnit[]>): string {
  const all = [...inner.values()].flat();
  const failed = all.filter(({ mark }) => isFailure(mark)).length;
  const seen = all.filter(({ mark }) => mark === 'seen').length;
  const rows = [...inner].flatMap(([second, units]) =>
    units.map(
      (each, index) =>
        `<tr class="${classOf(each)}"><td>${index === 0 ? escape(second) : ''}</td><td title="${each.mark}">${signs[each.mark]} ${escape(nameBelowGroups(each))}</td><td>${escape(each.reason ?? '')}</td></tr>`,
    ),
  );
  return `<details${failed > 0 ? ' open' : ''}><summary><code class="${failed > 0 ? 'bad' : 'good'}">${escape(name)}</code> <span class="dim">${seen} of ${all.length}</span></summary><table>${rows.join('')}</table></details>`;
}

function classOf({ mark }: JudgedUnit): string {
  if (isFailure(mark)) return 'bad';
  return mark === 'seen' ? 'good' : 'dim';
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
