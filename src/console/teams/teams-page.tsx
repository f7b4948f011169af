import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMay, useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { Coverage } from './coverage.js';
import { ImportDialog } from './import-dialog.js';
import { useCoverage } from './queries.js';
import { NewTeamDialog } from './team-form.js';
import { TeamList } from './team-list.js';

/** The dialog that is open. */
type Asking = 'new' | 'import' | null;

/** The teams of the organization, and how much of the work belongs to one of them. */
export default function TeamsPage(): JSX.Element {
  const mayWrite = useMay('teams:write');
  const [asking, setAsking] = useState<Asking>(null);
  const buttons = mayWrite && (
    <>
      <button
        type="button"
        onClick={() => {
          setAsking('import');
        }}
      >
        Import a file
      </button>
      <button
        type="button"
        class="primary"
        onClick={() => {
          setAsking('new');
        }}
      >
        New team
      </button>
    </>
  );
  return (
    <Page title="Teams" intro="Which work belongs to which team." actions={buttons}>
      <View query={useMe()} what="your account">
        {({ org_id }) => org_id !== null && <Teams orgId={org_id} asking={asking} ask={setAsking} />}
      </View>
    </Page>
  );
}

interface TeamsProps {
  readonly orgId: string;
  readonly asking: Asking;
  readonly ask: (what: Asking) => void;
}

function Teams({ orgId, asking, ask }: TeamsProps): JSX.Element {
  const close = (): void => {
    ask(null);
  };
  const coverage = useCoverage(orgId);
  const [before, setBefore] = useState<number | null>(null);
  /** A change moves the coverage: the figure before it is kept, to compare with. */
  const saved = (text: string): void => {
    setBefore(coverage.data?.share ?? null);
    announce(text);
    close();
  };
  return (
    <>
      <Coverage orgId={orgId} query={coverage} before={before} />
      <TeamList
        orgId={orgId}
        onChanged={saved}
        onNew={() => {
          ask('new');
        }}
      />
      <NewTeamDialog
        orgId={orgId}
        open={asking === 'new'}
        onClose={close}
        onSaved={({ name }) => {
          saved(`${name} is created.`);
        }}
      />
      <ImportDialog
        orgId={orgId}
        open={asking === 'import'}
        onClose={close}
        onSaved={(count) => {
          saved(count === 1 ? '1 team is imported.' : `${count} teams are imported.`);
        }}
      />
    </>
  );
}
