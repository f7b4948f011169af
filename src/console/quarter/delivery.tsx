import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { useDora, useOpenRequests } from '../delivery/queries.js';
import { View } from '../ui/view.js';
import {
  failureSentence,
  keySentences,
  limitSentences,
  openSentence,
  unclassifiedSentence,
} from './delivery-sentences.js';
import type { QuarterLinks } from './links.js';
import { sharesFrom } from './parts.js';
import type { QuarterWork } from './queries.js';
import { Section, Sentences } from './sentences.js';
import { obstacleTo, type Span } from './span.js';
import { texts } from './texts.js';
import type { ComparedWork } from './work.js';

interface DeliveryProps {
  readonly orgId: string;
  readonly span: Span;
  readonly links: QuarterLinks;
  readonly work: ComparedWork;
  readonly days: QuarterWork;
}

/** The four keys, and what is at risk. */
export function DeliveryAndRisk({ orgId, span, links, work, days }: DeliveryProps): JSX.Element {
  const asked = { orgId, topN: 1, interval: null } as const;
  const [now, before] = [useDora({ ...asked, dateRange: span.range }), useDora({ ...asked, dateRange: span.previous })];
  const open = useOpenRequests({ ...asked, dateRange: span.range });
  const openBefore = useOpenRequests({ ...asked, dateRange: span.previous });
  const hrefs = {
    deployments: links.wholes('COUNT', 'WORK_TYPE', 'deployment'),
    requests: links.wholes('COUNT', 'WORK_TYPE', 'pull_request'),
    incidents: links.wholes('COUNT', 'WORK_TYPE', 'incident'),
  };
  return (
    <View query={now} what="the four keys">
      {({ answer: keys, days: known }) => (
        <View query={before} what="the former four keys">
          {({ answer: keysBefore }) => {
            if (keys === null || keysBefore === null) return null;
            const isComparable = obstacleTo(known, span) === null;
            return (
              <>
                <Section title={texts.headings.delivery}>
                  <Sentences
                    list={keySentences(
                      { now: keys.total, before: isComparable ? keysBefore.total : null },
                      span,
                      hrefs,
                    )}
                  />
                </Section>
                <View query={open} what="the open pull requests">
                  {({ answer: openNow, days: knownRequests }) => (
                    <View query={openBefore} what="the former open pull requests">
                      {({ answer: formerlyOpen }) => (
                        <Section title={texts.headings.risk}>
                          <Sentences
                            list={[
                              failureSentence({ now: keys.total }, hrefs),
                              ...(openNow === null
                                ? []
                                : [
                                    openSentence(
                                      openNow.total,
                                      obstacleTo(knownRequests, span) === null ? (formerlyOpen?.total ?? null) : null,
                                      span,
                                      links.delivery.now,
                                    ),
                                  ]),
                              unclassifiedSentence(
                                sharesFrom(work.themes, work.total),
                                links.shares('THEME', 'unclassified').now,
                              ),
                              ...limitSentences(days.historyLimits, span),
                            ]}
                          />
                          <p class="small muted">
                            {texts.risk.code} <Link href={links.delivery.now}>{texts.risk.delivery}</Link>.
                          </p>
                        </Section>
                      )}
                    </View>
                  )}
                </View>
              </>
            );
          }}
        </View>
      )}
    </View>
  );
}
