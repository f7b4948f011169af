import { createSyncConfig, updateSyncConfig, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Choices, linesOf, Select } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { allTargets, codeHosts, providers, sourceOf, targetsOf, type Provider, type Target } from './words.js';
import type { Integration } from './integrations.js';
import { Repositories } from './repositories.js';
import { ScheduleFields, scheduleOf } from './schedule-fields.js';

export type SyncConfig = Schemas['SyncConfig'];

export interface SyncDialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  /** Called with the configuration as it is now. */
  readonly onSaved: (config: SyncConfig) => void;
}

/** Creates a sync: provider, integration, what to read, and the repositories. */
export function NewSyncDialog(props: SyncDialogProps & { integrations: readonly Integration[] }): JSX.Element {
  const { open, onClose, onSaved, integrations } = props;
  return (
    <Dialog title="New sync" open={open} onClose={onClose}>
      <NewSyncForm integrations={integrations} onClose={onClose} onSaved={onSaved} />
    </Dialog>
  );
}

function NewSyncForm({
  integrations,
  onClose,
  onSaved,
}: Omit<SyncDialogProps, 'open'> & { integrations: readonly Integration[] }): JSX.Element {
  const [provider, setProvider] = useState<Provider>(integrations[0]?.provider ?? 'local');
  const [chosen, setChosen] = useState<readonly Target[]>(allTargets);
  const targets = targetsOf(provider);
  const usable = integrations.filter((each) => each.provider === provider);
  const needsIntegration = Object.hasOwn(codeHosts, provider);
  const [connection, setConnection] = useState<string | null>(null);
  const integrationId = (usable.find(({ id }) => id === connection) ?? usable[0])?.id ?? null;
  return (
    <Form
      button="Create"
      beside={<CancelButton onClick={onClose} />}
      send={({ name = '', integration_id, repositories, prune, ...times }) =>
        createSyncConfig(platform, {
          body: {
            name,
            provider,
            integration_id: integration_id ?? null,
            targets: chosen.filter((target) => Object.hasOwn(targets, target)),
            repositories: linesOf(repositories),
            prune: prune === 'on',
            schedule: scheduleOf(times),
          },
        })
      }
      done={(config) => {
        void queries.invalidateQueries();
        onSaved(config);
      }}
    >
      <Field name="name" label="Name" maxLength={100} required />
      <Select name="provider" label="Read from" options={providers} value={provider} onChange={setProvider} />
      {needsIntegration &&
        (usable.length > 0 ? (
          <Select
            name="integration_id"
            label="Connection"
            options={Object.fromEntries(usable.map(({ id, name }) => [id, name]))}
            onChange={setConnection}
          />
        ) : (
          <div class="banner warn">
            <p>Connect {providers[provider]} first: this organization has no connection to it.</p>
          </div>
        ))}
      <Choices name="targets" label="What to read" options={targets} value={chosen} onChange={setChosen} />
      <Repositories provider={provider} integrationId={integrationId} />
      <ScheduleFields value="daily" />
      {hasHistory(provider, chosen) && <Prune />}
    </Form>
  );
}

/** Changes a sync. Its provider and its integration stay. */
export function EditSyncDialog(props: SyncDialogProps & { config: SyncConfig }): JSX.Element {
  const { open, onClose, onSaved, config } = props;
  return (
    <Dialog title={`Edit ${config.name}`} open={open} onClose={onClose}>
      <EditSyncForm config={config} onClose={onClose} onSaved={onSaved} />
    </Dialog>
  );
}

function EditSyncForm({
  config,
  onClose,
  onSaved,
}: Omit<SyncDialogProps, 'open'> & { config: SyncConfig }): JSX.Element {
  const [chosen, setChosen] = useState<readonly Target[]>(config.targets);
  return (
    <Form
      button="Save"
      beside={<CancelButton onClick={onClose} />}
      send={({ name = '', repositories, is_active, prune, ...times }) =>
        updateSyncConfig(platform, {
          params: { sync_config_id: config.id },
          body: {
            name,
            targets: [...chosen],
            repositories: linesOf(repositories),
            is_active: is_active === 'on',
            // Demo data have no schedule, and are not asked for one.
            ...(config.is_demo ? {} : { schedule: scheduleOf(times) }),
            // The choice is not shown without commits: the setting stays as it is.
            ...(hasHistory(config.provider, chosen) ? { prune: prune === 'on' } : {}),
          },
        })
      }
      done={(changed) => {
        void queries.invalidateQueries();
        onSaved(changed);
      }}
    >
      <Field name="name" label="Name" value={config.name} maxLength={100} required />
      <Choices
        name="targets"
        label="What to read"
        options={targetsOf(config.provider)}
        value={chosen}
        onChange={setChosen}
      />
      <Repositories provider={config.provider} integrationId={config.integration_id} value={config.repositories} />
      {!config.is_demo && <ScheduleFields value={config.schedule} />}
      {hasHistory(config.provider, chosen) && <Prune isChosen={config.prune} />}
      <label class="choice">
        <input type="checkbox" name="is_active" defaultChecked={config.is_active} />
        Runs can be started
      </label>
      <p class="small muted">A run that is under way is not affected; the next run uses the change.</p>
    </Form>
  );
}

/** Whether commits are read whose history may be rewritten; that of demo data never is. */
function hasHistory(provider: Provider, chosen: readonly Target[]): boolean {
  return sourceOf(provider)?.isGenerated === false && chosen.includes('git');
}

function Prune({ isChosen = false }: { isChosen?: boolean }): JSX.Element {
  return (
    <div class="stack tight">
      <label class="choice">
        <input type="checkbox" name="prune" defaultChecked={isChosen} aria-describedby="prune-effect" />
        Remove rewritten commits
      </label>
      <p class="small muted" id="prune-effect">
        After an amended, rebased or force-pushed history, each run removes the commits that nothing reaches, and their
        work units. Otherwise they are kept and counted.
      </p>
    </div>
  );
}
