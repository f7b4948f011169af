import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CancelButton, Dialog } from '../ui/dialog.js';

export interface DownDialogProps {
  readonly project: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: (withVolumes: boolean) => void;
}

/** Asks before the containers of a project are removed, and whether its data go with them. */
export function DownDialog({ project, open, onClose, onConfirm }: DownDialogProps): JSX.Element {
  const [withVolumes, setWithVolumes] = useState(false);
  return (
    <Dialog title={`Take ${project} down?`} open={open} onClose={onClose}>
      <p>Its containers and networks are removed. The compose file stays.</p>
      <label class="choice">
        <input
          type="checkbox"
          checked={withVolumes}
          onChange={(event) => {
            setWithVolumes(event.currentTarget.checked);
          }}
        />
        Remove its volumes and the data in them, too
      </label>
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            onConfirm(withVolumes);
          }}
        >
          Take down
        </button>
        <CancelButton onClick={onClose} />
      </div>
    </Dialog>
  );
}
