import { unwrap } from '@plumbline/sdk';
import { deleteSyncConfig, getSyncConfig, hasSyncRunEnded } from '@plumbline/sdk/platform';
import { useMutation, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { queries, useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { Confirm } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { NextRun } from './next-run.js';
import { RunHistory } from './run-history.js';
import { ActiveRun } from './run-state.js';
import { useStart } from './runs.js';
import { scheduleText } from './schedule-fields.js';
import { EditSyncDialog, type SyncConfig } from './sync-form.js';
import { startText } from './syncs.js';
import { providers, targetList } from './words.js';

/** One sync: what it reads, the run that is under way, and those before. */
export default function SyncPage(): JSX.Element {
  const { id } = useParams<{ id: string }>();
  const config = useQuery({
    queryKey: ['sync-config', id],
    queryFn: async ({ signal }) => unwrap(await getSyncConfig(platform, { params: { sync_config_id: id }, signal })),
  });
  return (
    <Page
      title={config.data?.name ?? 'Sync'}
      intro={<Link href="/sources">All sources</Link>}
      actions={config.data && <Actions config={config.data} />}
    >
      <View query={config} what="the sync">
        {(data) => (
          <>
            <About config={data} />
            <Latest config={data} />
            <RunHistory configId={data.id} />
          </>
        )}
      </View>
    </Page>
  );
}

/** Edits and deletes a sync. */
function Actions({ config }: { config: SyncConfig }): JSX.Element | null {
  const mayWrite = useMay('sync:write');
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const [, navigate] = useLocation();
  const remove = useMutation({
    mutationFn: async () => {
      const reply = await deleteSyncConfig(platform, { params: { sync_config_id: config.id } });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    onSuccess: () => {
      announce(`${config.name} is deleted.`);
      navigate('/sources');
      void queries.invalidateQueries();
    },
  });
  const close = (): void => {
    setAsking(null);
  };
  if (!mayWrite) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setAsking('edit');
        }}
      >
        Edit
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => {
          setAsking('delete');
        }}
      >
        Delete
      </button>
      <Failed mutation={remove} />
      <EditSyncDialog
        config={config}
        open={asking === 'edit'}
        onClose={close}
        onSaved={({ name }) => {
          announce(`${name} is saved.`);
          close();
        }}
      />
      <Confirm
        title={`Delete ${config.name}?`}
        text={
          config.is_demo
            ? 'The history of its runs is deleted, and the demo data with it.'
            : 'The history of its runs is deleted. What was read stays.'
        }
        button="Delete"
        open={asking === 'delete'}
        onClose={close}
        onConfirm={() => {
          remove.mutate();
        }}
      />
    </>
  );
}

function About({ config }: { config: SyncConfig }): JSX.Element {
  return (
    <section class="card">
      <h2>What it reads</h2>
      <dl class="facts">
        <dt>From</dt>
        <dd>{providers[config.provider]}</dd>
        <dt>What</dt>
        <dd>{targetList(config.targets)}</dd>
        {!config.is_demo && (
          <>
            <dt>Runs</dt>
            <dd>{scheduleText(config.schedule)}</dd>
          </>
        )}
        <dt>Repositories</dt>
        <dd>
          <ul class="plain">
            {config.repositories.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
        </dd>
      </dl>
    </section>
  );
}

/** The run that is under way, or what to start. */
function Latest({ config }: { config: SyncConfig }): JSX.Element {
  const mayRun = useMay('sync:run');
  const start = useStart();
  const { latest_run: run } = config;
  const isActive = run !== null && !hasSyncRunEnded(run);
  return (
    <section class="card">
      <div class="card-head">
        <h2>{isActive ? 'Under way' : 'Next run'}</h2>
        {mayRun && !isActive && config.is_active && (
          <button
            type="button"
            class="primary"
            aria-disabled={start.isPending}
            onClick={() => {
              if (!start.isPending) start.mutate(config.id);
            }}
          >
            {startText(run)}
          </button>
        )}
      </div>
      <p class="small muted">
        <NextRun config={config} />
      </p>
      <Failed mutation={start} />
      {isActive ? <ActiveRun configId={config.id} runId={run.id} mayCancel={mayRun} /> : <Idle config={config} />}
    </section>
  );
}

function Idle({ config: { is_active, latest_run: run } }: { config: SyncConfig }): JSX.Element {
  if (!is_active) return <p>This sync is off. Edit it to let runs start.</p>;
  if (run === null) return <p>Start the first run. You can leave this page while it reads.</p>;
  if (run.error === null) return <p>A run reads what is new since the one before.</p>;
  return (
    <div class={run.status === 'failed' ? 'banner bad' : 'banner warn'}>
      <p class="break">
        <strong>
          {run.status === 'failed' ? 'The latest run failed.' : 'The latest run did not read everything.'}
        </strong>{' '}
        {run.error}
      </p>
    </div>
  );
}
