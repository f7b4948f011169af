/** How the four keys moved, and what is at risk. */
import { durationOf, frequencyOf, percentOf } from '../charts/words.js';
import type { DoraKeys, OpenRequests } from '../delivery/figures.js';
import { dayOf } from '../charts/words.js';
import { fewest, type Part } from './parts.js';
import type { Figure, Sentence } from './sentence.js';
import type { Span } from './span.js';
import { texts } from './texts.js';
import type { Both } from './work-sentences.js';

/** The keys of both periods; `before` is null where there is nothing to compare with. */
export interface Keys {
  readonly now: DoraKeys;
  readonly before: DoraKeys | null;
}

export interface DeliveryLinks {
  readonly deployments: Both;
  readonly requests: Both;
  readonly incidents: Both;
}

/** A sentence for each of the four keys. */
export function keySentences({ now, before }: Keys, span: Span, links: DeliveryLinks): readonly Sentence[] {
  const { delivery } = texts;
  const deployed = {
    now: now.deploymentFrequency.deployments,
    before: before?.deploymentFrequency.deployments ?? null,
  };
  if (deployed.now === null) return [delivery.noDeployments(), ...durationSentences({ now, before }, span, links)];
  const hasFew = deployed.now < fewest;
  const few = { text: delivery.deployments(deployed.now), href: links.deployments.now };
  const isBeforeEnough = deployed.before !== null && deployed.before >= fewest;
  const compared = (what: string, text: (keys: DoraKeys) => string, href: Both): Sentence =>
    hasFew
      ? delivery.few(what, few)
      : moved(
          what,
          { text: text(now), href: href.now },
          isBeforeEnough && before !== null ? { text: text(before), href: href.before } : null,
          span,
        );
  return [
    compared(delivery.frequency, (keys) => frequencyOf(keys.deploymentFrequency.perDay), links.deployments),
    ...durationSentences({ now, before }, span, links, [
      compared(delivery.failureRate, (keys) => percentOf(keys.changeFailureRate.rate ?? 0), links.incidents),
    ]),
  ];
}

/** Lead time and time to restore. @param between what is said between them */
function durationSentences(
  { now, before }: Keys,
  span: Span,
  links: DeliveryLinks,
  between: readonly Sentence[] = [],
): readonly Sentence[] {
  const { delivery } = texts;
  const duration = (
    what: string,
    key: 'leadTime' | 'timeToRestore',
    unitsIn: (amount: number) => string,
    href: Both,
  ): Sentence => {
    const known = now[key].statistics;
    if (known === null) return delivery.unknown(what);
    if (known.count < fewest) return delivery.few(what, { text: unitsIn(known.count), href: href.now });
    const former = before?.[key].statistics ?? null;
    return moved(
      what,
      { text: durationOf(known.median), href: href.now },
      former === null || former.count < fewest ? null : { text: durationOf(former.median), href: href.before },
      span,
    );
  };
  return [
    duration(delivery.leadTime, 'leadTime', delivery.requests, links.requests),
    ...between,
    duration(delivery.restore, 'timeToRestore', delivery.incidents, links.incidents),
  ];
}

function moved(what: string, now: Figure, before: Figure | null, span: Span): Sentence {
  if (before === null) return texts.delivery.alone(what, now);
  return now.text === before.text
    ? texts.delivery.same(what, now, span)
    : texts.delivery.changed(what, now, before, span);
}

/** The deployments that failed. */
export function failureSentence({ now }: Pick<Keys, 'now'>, links: DeliveryLinks): Sentence {
  const { deployments } = now.deploymentFrequency;
  const { failed } = now.changeFailureRate;
  if (deployments === null || failed === null) return texts.risk.failuresUnknown();
  if (deployments === 0) return texts.risk.nothingDeployed();
  const all = texts.delivery.deployments(deployments);
  return failed === 0
    ? texts.risk.noFailure({ text: all, href: links.deployments.now })
    : texts.risk.failures({ text: failed.toLocaleString(), href: links.incidents.now }, all, failed === 1);
}

type Open = OpenRequests['total'];

/** The requests that were open at the end of the period, and how long they had waited. */
export function openSentence(now: Open, before: Open | null, span: Span, href: string): Sentence {
  const day = dayOf(span.range.endDate);
  if (now.count === null) return texts.risk.openUnknown();
  if (now.count === 0 || now.ageDays === null) return texts.risk.noneOpen(day);
  const open: Figure = { text: texts.risk.requestsWere(now.count), href };
  if (now.count < fewest) return texts.risk.fewOpen(open, day);
  const said = texts.risk.open(open, day, durationOf(now.ageDays.median * 24));
  const former =
    before?.ageDays == null || before.ageDays.count < fewest
      ? ''
      : texts.risk.openBefore(durationOf(before.ageDays.median * 24), span);
  return [...said, `${former}.`];
}

/** The work that no rule classifies. @param shares of all work by theme */
export function unclassifiedSentence(shares: readonly Part[], href: string): Sentence {
  const share = shares.find(({ key }) => key === 'unclassified')?.now ?? 0;
  return share === 0 ? texts.risk.allClassified() : texts.risk.unclassified({ text: percentOf(share), href });
}

/** The repositories of which only the later part of the work is known. */
export function limitSentences(
  limits: readonly { readonly repo: string; readonly knownSince: string }[],
  { range }: Span,
): readonly Sentence[] {
  const partly = limits.filter(({ knownSince }) => knownSince > range.startDate);
  const latest = partly.reduce((day, { knownSince }) => (knownSince > day ? knownSince : day), '');
  return latest === '' ? [] : [texts.risk.limits(new Set(partly.map(({ repo }) => repo)).size, dayOf(latest))];
}
