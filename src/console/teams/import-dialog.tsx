import { importTeams } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { FileField, type FileProblem } from '../ui/file-field.js';
import { Form } from '../ui/form.js';
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
  const [text, setText] = useState('');
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  return (
    <Form
      button="Import"
      beside={<CancelButton onClick={onClose} />}
      send={async () => {
        const reply = await importTeams(platform, { params: { org_id: orgId }, body: text });
        if (reply.ok || !('problems' in reply.problem)) {
          setProblems([]);
          return reply;
        }
        setProblems(reply.problem.problems);
        return { ...reply, problem: { ...reply.problem, message: 'The file is invalid, and nothing was changed.' } };
      }}
      done={({ teams }) => {
        onSaved(teams);
        void refreshTeams();
      }}
    >
      <p class="small muted">
        The file replaces all teams. It has the form that <code>plumbline teams import</code> reads.
      </p>
      <FileField example={example} text={text} onText={setText} problems={problems} />
    </Form>
  );
}
