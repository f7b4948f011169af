import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { durationOf } from '../charts/words.js';
import { count } from '../ui/count.js';
import type { QuarterLinks } from './links.js';
import { notableRequests } from './notable-requests.js';
import type { QuarterRequests } from './queries.js';
import { Section } from './sentences.js';
import { texts } from './texts.js';

/** The requests that stand out by their size or their duration. */
export function Notable({ requests, links }: { requests: QuarterRequests; links: QuarterLinks }): JSX.Element {
  const notable = notableRequests(requests.largest.items, requests.longest.items);
  return (
    <Section title={texts.headings.requests} note={notable.length === 0 ? undefined : texts.requests.rule}>
      {notable.length === 0 ? (
        <p>{texts.requests.none}</p>
      ) : (
        <ol class="sentences">
          {notable.map(({ id, title, repo, churnLoc, cycleTimeHours }) => (
            <li key={id} class="break">
              <Link href={links.request(id)}>{title ?? texts.requests.untitled}</Link>
              {texts.requests.facts(
                repo,
                churnLoc === null ? null : count(churnLoc, 'line', 'lines'),
                cycleTimeHours === null ? null : durationOf(cycleTimeHours),
              )}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
