import { paginate } from '@plumbline/sdk';
import { hasSyncRunEnded, listSyncConfigs } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import type { Integration } from './integrations.js';
import { NextRun } from './next-run.js';
import { ActiveRun, StatusTag } from './run-state.js';
import { useStart } from './runs.js';
import { NewSyncDialog, type SyncConfig } from './sync-form.js';
import { providers, shortList, targetList } from './words.js';

/** The sync configurations, each with its latest run. */
export function Syncs({ integrations }: { integrations: UseQueryResult<readonly Integration[]> }): JSX.Element {
  const mayWrite = useMay('sync:write');
  const [isCreating, setCreating] = useState(false);
  const [, navigate] = useLocation();
  const configs = useQuery({
    queryKey: ['sync-configs'],
    queryFn: async ({ signal }) => {
      const all: SyncConfig[] = [];
      for await (const each of paginate(listSyncConfigs, platform, { query: { limit: 200 }, signal })) all.push(each);
      return all;
    },
  });
  const newButton = (
    <button
      type="button"
      class="primary"
      onClick={() => {
        setCreating(true);
      }}
    >
      New sync
    </button>
  );
  return (
    <section class="card">
      <div class="card-head">
        <h2>Syncs</h2>
        {mayWrite && (configs.data?.length ?? 0) > 0 && newButton}
      </div>
      <View
        query={configs}
        what="the syncs"
        empty={(items) =>
          items.length > 0
            ? null
            : {
                title: 'Nothing is read yet',
                text: 'A sync says which repositories to read, and what to read of them.',
                action: mayWrite && newButton,
              }
        }
      >
        {(items) => (
          <ul class="rows">
            {items.map((each) => (
              <SyncRow key={each.id} config={each} />
            ))}
          </ul>
        )}
      </View>
      <NewSyncDialog
        open={isCreating}
        integrations={integrations.data ?? []}
        onClose={() => {
          setCreating(false);
        }}
        onSaved={({ id, name }) => {
          announce(`${name} is created.`);
          navigate(`/sources/${id}`);
        }}
      />
    </section>
  );
}

function SyncRow({ config }: { config: SyncConfig }): JSX.Element {
  const mayRun = useMay('sync:run');
  const start = useStart();
  const { id, name, latest_run: run } = config;
  const isActive = run !== null && !hasSyncRunEnded(run);
  return (
    <li>
      <div class="stack tight grow">
        <span>
          <Link href={`/sources/${id}`}>
            <strong>{name}</strong>
          </Link>{' '}
          <span class="tag">{providers[config.provider]}</span> {config.is_demo && <span class="tag">demo data</span>}{' '}
          {!config.is_active && <span class="tag warn">! off</span>}
        </span>
        <span class="small muted break">
          {shortList(config.repositories)} · {targetList(config.targets)}
        </span>
        <span class="small muted">
          <NextRun config={config} />
        </span>
        {run === null && <span class="small muted">Never run</span>}
        {run !== null && !isActive && (
          <span class="small">
            <StatusTag status={run.status} />{' '}
            <span class="muted">
              <Moment at={run.finished_at ?? run.created_at} />
            </span>
            {run.error !== null && <span class="block break">{run.error}</span>}
          </span>
        )}
        {isActive && <ActiveRun configId={id} runId={run.id} mayCancel={mayRun} />}
        <Failed mutation={start} />
      </div>
      {mayRun && !isActive && config.is_active && (
        <button
          type="button"
          aria-label={`${startText(run)}: ${name}`}
          aria-disabled={start.isPending}
          onClick={() => {
            if (!start.isPending) start.mutate(id);
          }}
        >
          {startText(run)}
        </button>
      )}
    </li>
  );
}

/** The label of the button that starts the next run. */
export function startText(run: SyncConfig['latest_run']): string {
  return run === null || run.status === 'complete' ? 'Start' : 'Retry';
}
