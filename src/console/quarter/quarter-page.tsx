import { quarter } from '@plumbline/sdk/analytics';
import type { JSX } from 'preact';
import { useToday } from '../analytics/calendar.js';
import { Freshness } from '../analytics/freshness.js';
import { daysOf } from '../analytics/period.js';
import { QueryDialog } from '../analytics/query-dialog.js';
import { useSearchParts } from '../analytics/search.js';
import { useNoWork } from '../overview/no-work.js';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { DeliveryAndRisk } from './delivery.js';
import { linksTo } from './links.js';
import { Notable } from './notable.js';
import { PeriodSwitch } from './period-switch.js';
import { useRequests, useWork, type QuarterWork } from './queries.js';
import { obstacleTo, spanFrom, type Span } from './span.js';
import { texts } from './texts.js';
import { Why } from './why.js';
import { comparedWork, Teams, Where } from './work.js';

/** What the work of a quarter was spent on, what changed, and why, in sentences. */
export default function QuarterPage(): JSX.Element {
  const orgId = useMe().data?.org_id ?? '';
  const [search, setParts] = useSearchParts();
  const span = spanFrom(search, useToday());
  const work = useWork(orgId, span);
  const isEmpty = work.data !== undefined && comparedWork(work.data, true).total.now === 0;
  const nothing = useNoWork(isEmpty);
  const variables = { orgId, dateRange: span.range, previous: span.previous };
  return (
    <Page title={texts.title} intro={texts.intro} actions={<QueryDialog query={quarter} variables={variables} />}>
      <PeriodSwitch span={span} onChange={setParts} />
      <Freshness orgId={orgId} />
      <View query={work} what="your quarter" empty={() => (isEmpty ? nothing : null)}>
        {(data) => <Answers orgId={orgId} span={span} data={data} />}
      </View>
    </Page>
  );
}

interface AnswersProps {
  readonly orgId: string;
  readonly span: Span;
  readonly data: QuarterWork;
}

function Answers({ orgId, span, data }: AnswersProps): JSX.Element {
  const requests = useRequests(orgId, span);
  const obstacle = obstacleTo(data, span);
  const work = comparedWork(data, obstacle === null);
  const links = linksTo(span);
  return (
    <>
      <p class="muted">
        {texts.compared(span, daysOf(span.range.startDate, span.range.endDate))} {texts.fewRule}
      </p>
      <Where work={work} span={span} links={links} note={obstacle === null ? undefined : texts.obstacle(obstacle)} />
      <View query={requests} what="the pull requests">
        {(answer) => (
          <>
            <Why orgId={orgId} span={span} work={work} requests={answer} links={links} />
            <Notable requests={answer} links={links} />
          </>
        )}
      </View>
      <DeliveryAndRisk orgId={orgId} span={span} links={links} work={work} days={data} />
      <Teams work={work} links={links} />
    </>
  );
}
