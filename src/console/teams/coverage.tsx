import { unwrap } from '@plumbline/sdk';
import { assignTeams } from '@plumbline/sdk/platform';
import { useMutation, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { percentOf } from '../charts/words.js';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { View } from '../ui/view.js';
import { refreshTeams, useAssignment, type CoverageFigure } from './queries.js';

export interface CoverageProps {
  readonly orgId: string;
  readonly query: UseQueryResult<CoverageFigure>;
  /** The share before the latest change; null: nothing was changed, or it is unknown. */
  readonly before: number | null;
}

/** How much of the recent work has a team, and the assignment that is under way. */
export function Coverage({ orgId, query, before }: CoverageProps): JSX.Element {
  const maySync = useMay('sync:read');
  return (
    <section class="card">
      <h2>Coverage</h2>
      <View
        query={query}
        what="the coverage"
        empty={({ share }) =>
          share === null
            ? {
                title: 'No work in the last 90 days',
                text: 'Once a sync has read some, this shows how much has a team.',
                action: maySync && <Link href="/sources">Go to Sources</Link>,
              }
            : null
        }
      >
        {({ share }) => {
          const now = share ?? 0;
          return (
            <div class="stack tight">
              <p>
                <strong>{percentOf(now)}</strong> of the work of the last 90 days has a team.
                {before !== null && <> Before the change it was {percentOf(before)}.</>}
              </p>
              <progress aria-label="Work with a team" max={1} value={now} />
            </div>
          );
        }}
      </View>
      <Assignment orgId={orgId} />
    </section>
  );
}

function Assignment({ orgId }: { orgId: string }): JSX.Element {
  const mayWrite = useMay('teams:write');
  const assignment = useAssignment(orgId);
  const again = useMutation({
    mutationFn: async () => unwrap(await assignTeams(platform, { params: { org_id: orgId } })),
    onSettled: refreshTeams,
  });
  const button = (text: string): JSX.Element | false =>
    mayWrite && (
      <button
        type="button"
        aria-disabled={again.isPending}
        onClick={() => {
          if (!again.isPending) again.mutate();
        }}
      >
        {text}
      </button>
    );
  return (
    <>
      <Failed mutation={again} />
      <View query={assignment} what="the assignment">
        {({ state, error }) => {
          if (state === 'failing') {
            return (
              <div class="banner warn" role="status">
                <p class="break">
                  <strong>The assignment failed.</strong> {error} It is tried again.
                </p>
                {button('Try now')}
              </div>
            );
          }
          return (
            <div class="actions">
              <span class="tag" role="status">
                {state === 'done' ? '✓ up to date' : '▸ work is being assigned'}
              </span>
              {state === 'done' && button('Assign again')}
            </div>
          );
        }}
      </View>
    </>
  );
}
