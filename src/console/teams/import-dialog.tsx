import { importTeams } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { FileForm } from '../ui/file-form.js';
import { refreshTeams } from './queries.js';

const example = `teams:
  - id: payments
    name: Payments
    members: [ada@example.com, grace]
    repositories: ['example/pay-*']`;

export interface ImportDialogProps {
  readonly orgId: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** Called with the number of teams that there are now. */
  readonly onSaved: (count: number) => void;
}

/** Replaces the teams by those of a file, which is chosen or pasted. */
export function ImportDialog({ orgId, open, onClose, onSaved }: ImportDialogProps): JSX.Element {
  return (
    <Dialog title="Import a teams file" open={open} onClose={onClose}>
      <ImportForm orgId={orgId} onClose={onClose} onSaved={onSaved} />
    </Dialog>
  );
}

function ImportForm({ orgId, onClose, onSaved }: Omit<ImportDialogProps, 'open'>): JSX.Element {
  return (
    <FileForm
      button="Import"
      beside={<CancelButton onClick={onClose} />}
      example={example}
      send={(text) => importTeams(platform, { params: { org_id: orgId }, body: text })}
      done={({ teams }) => {
        onSaved(teams);
        void refreshTeams();
      }}
    >
      <p class="small muted">
        The file replaces all teams. It has the form that <code>plumbline teams import</code> reads.
      </p>
    </FileForm>
  );
}
