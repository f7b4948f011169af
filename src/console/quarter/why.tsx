import type { JSX } from 'preact';
import { usePhases } from '../delivery/queries.js';
import { View } from '../ui/view.js';
import type { QuarterLinks } from './links.js';
import { partsFrom } from './parts.js';
import { useReposOfTheme, type QuarterRequests } from './queries.js';
import { Section, Sentences } from './sentences.js';
import { obstacleTo, type Span } from './span.js';
import { texts } from './texts.js';
import { cycleSentences, themeReason, totalReason, type MedianPair } from './why-sentences.js';
import type { ComparedWork } from './work.js';
import { mostMoved } from './work-sentences.js';

interface WhyProps {
  readonly orgId: string;
  readonly span: Span;
  readonly work: ComparedWork;
  readonly requests: QuarterRequests;
  readonly links: QuarterLinks;
}

/** The repositories, phases and sizes behind what changed. */
export function Why({ orgId, span, work, requests, links }: WhyProps): JSX.Element {
  const asked = { orgId, dimension: 'WORK_TYPE', compareWith: null, topN: 10 } as const;
  const now = usePhases({ ...asked, dateRange: span.range });
  const before = usePhases({ ...asked, dateRange: span.previous });
  const theme = mostMoved(work);
  const repos = useReposOfTheme(orgId, span, theme?.key ?? null);
  const [reposNow, reposBefore] = repos.data ?? [];
  const reasons = [
    ...totalReason(work.total, work.repos, span, (repo) => links.shares('REPO', repo)),
    ...(theme === undefined
      ? []
      : themeReason(
          theme,
          work.total,
          reposNow === undefined || reposBefore === undefined ? null : partsFrom(reposNow.items, reposBefore.items),
          span,
          (repo) => links.shares('REPO', repo, { THEME: [theme.key] }),
        )),
  ];
  const { analytics } = requests;
  const isComparable = obstacleTo(analytics, span) === null;
  return (
    <Section title={texts.headings.why}>
      <View query={now} what="the phases of pull requests">
        {(phasesNow) => (
          <View query={before} what="the former phases of pull requests">
            {(phasesBefore) => {
              const { distributions } = analytics;
              const list = [
                ...reasons,
                ...cycleSentences(
                  {
                    all: medians(distributions[0], distributions[1], isComparable)[0] ?? nothing,
                    coverage: distributions[0]?.coverage ?? null,
                    sizes: medians(distributions[2], distributions[3], isComparable)[0] ?? nothing,
                    repos: medians(distributions[4], distributions[5], isComparable),
                    phases: phasesNow.answer.flatMap((phase, at) =>
                      medians(phase, phasesBefore.answer[at], isComparable).map((pair) => ({
                        ...pair,
                        key: phase.measure,
                      })),
                    ),
                  },
                  span,
                  {
                    all: links.wholes('CYCLE_TIME_HOURS', 'WORK_TYPE', 'pull_request'),
                    repo: (repo) => links.wholes('CYCLE_TIME_HOURS', 'REPO', repo, { WORK_TYPE: ['pull_request'] }),
                    sizes: links.wholes('CHURN_LOC', 'WORK_TYPE', 'pull_request'),
                  },
                ),
              ];
              return list.length === 0 ? <p>{texts.why.nothing}</p> : <Sentences list={list} />;
            }}
          </View>
        )}
      </View>
    </Section>
  );
}

const nothing: MedianPair = { key: '', now: null, before: null };

interface Distribution {
  readonly items: readonly {
    readonly key: string;
    readonly statistics: { readonly count: number; readonly median: number };
  }[];
}

/** The medians of both periods by the values of a dimension. */
function medians(
  now: Distribution | undefined,
  before: Distribution | undefined,
  isComparable: boolean,
): readonly MedianPair[] {
  return (now?.items ?? []).map(({ key, statistics }) => ({
    key,
    now: statistics,
    before: isComparable ? (before?.items.find((item) => item.key === key)?.statistics ?? null) : null,
  }));
}
