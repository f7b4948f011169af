import { ingestProject } from '@plumbline/sdk/compose';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { ActionFailed } from './action-failed.js';
import { refresh } from './queries.js';
import { ask, compose, withKey } from './session.js';

const example = `services:
  web:
    image: nginx
    ports: ['127.0.0.1:8000:80']`;

/** Sends a compose file to the server. Nothing is started by it. */
export function AddProject({ open, onClose }: { open: boolean; onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const [file, setFile] = useState('');
  const [, go] = useLocation();
  const id = useId();
  const sending = useMutation({
    mutationFn: () => ask(ingestProject(compose, { ...withKey(), params: { name }, body: file })),
    onSuccess: async () => {
      onClose();
      await refresh();
      go(`/projects/${encodeURIComponent(name)}`);
    },
  });
  return (
    <Dialog title="Add a project" open={open} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!sending.isPending) sending.mutate();
        }}
      >
        <div class="field">
          <label for={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            required
            pattern="[a-z0-9][a-z0-9_\-]*"
            title="Lower case letters, digits, - and _"
            aria-describedby={`${id}-hint`}
            value={name}
            onInput={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <p class="hint" id={`${id}-hint`}>
            Lower case letters, digits, - and _
          </p>
        </div>
        <div class="field">
          <label for={`${id}-file`}>Compose file</label>
          <textarea
            id={`${id}-file`}
            class="code"
            required
            rows={12}
            spellcheck={false}
            placeholder={example}
            value={file}
            onInput={(event) => {
              setFile(event.currentTarget.value);
            }}
          />
        </div>
        <ActionFailed mutation={sending} />
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={sending.isPending}>
            Add
          </button>
          <CancelButton onClick={onClose} />
        </div>
      </form>
    </Dialog>
  );
}
