import type { JSX } from 'preact';
import { Redirect } from 'wouter-preact';
import { useLimits, useToday } from '../analytics/calendar.js';
import { Skeleton } from '../ui/view.js';
import { useWork } from './queries.js';
import { spanFrom } from './span.js';

/**
 * What opens after log-in: the quarter where work of the organization is known, otherwise the overview. The reply is kept
 * for the page that follows.
 */
export function Landing({ orgId }: { orgId: string }): JSX.Element {
  const calendar = useLimits();
  const work = useWork(calendar.isPending ? '' : orgId, spanFrom(new URLSearchParams(), useToday()));
  if (calendar.isPending || (work.data === undefined && work.error === null)) return <Skeleton what="your quarter" />;
  return <Redirect to={work.data?.knownSince == null ? '/overview' : '/quarter'} replace />;
}
