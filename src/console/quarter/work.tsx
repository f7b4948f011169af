import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { colorTokenOf, numberOf, wordsOf } from '../charts/words.js';
import type { QuarterLinks } from './links.js';
import { mostParts, partsFrom, type Part } from './parts.js';
import type { QuarterWork } from './queries.js';
import { Section, Words } from './sentences.js';
import type { Span } from './span.js';
import { texts } from './texts.js';
import { totalsFrom } from './why-sentences.js';
import { fewSentence, themeLines, totalSentence, type ThemeLine, type Work } from './work-sentences.js';

/** The work of both periods. */
export interface ComparedWork extends Work {
  readonly repos: readonly Part[];
  readonly teams: readonly Part[];
}

/**
 * Reads the breakdowns of the reply: `graphql/persisted/quarter.graphql` has them in this order.
 *
 * @param isComparable whether all work of both periods is known
 */
export function comparedWork({ breakdowns }: Pick<QuarterWork, 'breakdowns'>, isComparable: boolean): ComparedWork {
  const items = (at: number): QuarterWork['breakdowns'][number]['items'] => breakdowns[at]?.items ?? [];
  const before = (at: number): ReturnType<typeof items> | null => (isComparable ? items(at) : null);
  return {
    total: totalsFrom(items(0), before(1)),
    themes: partsFrom(items(2), before(3)),
    repos: partsFrom(items(4), before(5)),
    teams: partsFrom(items(6), before(7)),
  };
}

interface WorkProps {
  readonly work: ComparedWork;
  readonly span: Span;
  readonly links: QuarterLinks;
  /** Why nothing is compared. */
  readonly note?: string | undefined;
}

/** What the page leads with: the total, and the shares of the themes. */
export function Where({ work, span, links, note }: WorkProps): JSX.Element {
  const hrefs = { total: links.total, theme: (theme: string) => links.shares('THEME', theme) };
  const lines = themeLines(work, span, hrefs);
  const few = fewSentence(work);
  const largest = Math.max(...lines.flatMap(({ now, before }) => [now ?? 0, before ?? 0]), 0.01);
  return (
    <Section title={texts.headings.where} note={note}>
      <p class="answer">
        <Words of={totalSentence(work, span, hrefs)} />
      </p>
      {lines.length > 0 && (
        <ul class="bars">
          {lines.map((line) => (
            <ThemeRow key={line.key} line={line} largest={largest} />
          ))}
        </ul>
      )}
      {few !== null && (
        <p class="small muted">
          <Words of={few} />
        </p>
      )}
    </Section>
  );
}

/** A sentence, with the share as a bar and a thinner one for the former period. */
function ThemeRow({ line, largest }: { line: ThemeLine; largest: number }): JSX.Element {
  const width = (share: number): string => `${(share / largest) * 100}%`;
  return (
    <li>
      <span class="bar-sentence">
        <Words of={line.sentence} />
      </span>
      <span class="bar-track" aria-hidden="true">
        <span style={{ width: width(line.now ?? 0), background: `var(${colorTokenOf('THEME', line.key, 0)})` }} />
      </span>
      {line.before !== null && (
        <span class="bar-track former" aria-hidden="true">
          <span style={{ width: width(line.before) }} />
        </span>
      )}
    </li>
  );
}

/** The work of the teams, by their names. */
export function Teams({ work, links }: Pick<WorkProps, 'work' | 'links'>): JSX.Element {
  const teams = work.teams
    .filter(({ key }) => key !== 'unassigned')
    .toSorted((one, other) => one.key.localeCompare(other.key));
  const rule = work.teams.length < mostParts ? texts.teams.rule : `${texts.teams.rule} ${texts.teams.cut}`;
  const { columns } = texts.teams;
  return (
    <Section title={texts.headings.teams} note={teams.length === 0 ? texts.teams.none : rule}>
      {teams.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={texts.teams.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{columns.team}</th>
                <th scope="col" class="number">
                  {columns.now}
                </th>
                <th scope="col" class="number">
                  {columns.before}
                </th>
              </tr>
            </thead>
            <tbody>
              {teams.map(({ key, now, before }) => (
                <tr key={key}>
                  <td class="break">{wordsOf('TEAM', key)}</td>
                  <Amount value={now} href={links.shares('TEAM', key).now} />
                  <Amount value={before} href={links.shares('TEAM', key).before} />
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

/** A dash where the number is not known. */
function Amount({ value, href }: { value: number | null; href: string }): JSX.Element {
  return <td class="number">{value === null ? '–' : <Link href={href}>{numberOf(Math.round(value))}</Link>}</td>;
}
