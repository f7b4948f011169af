import { createOrganization } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Field, Form } from '../ui/form.js';

/** Creates another organization. @param created receives its id */
export function NewOrganization({ created }: { created: (orgId: string) => void }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <div class="actions">
        <button
          type="button"
          onClick={() => {
            setOpen(true);
          }}
        >
          New organization
        </button>
      </div>
      <Dialog title="New organization" open={isOpen} onClose={close}>
        <p>It has its own members, connections and figures. You are its owner.</p>
        <Form
          button="Create and switch"
          send={({ name = '' }) => createOrganization(platform, { body: { name } })}
          done={({ id }) => {
            close();
            created(id);
          }}
          beside={<CancelButton onClick={close} />}
        >
          <Field
            name="name"
            label="Name of the organization"
            autocomplete="organization"
            maxLength={100}
            required
            autofocus
          />
        </Form>
      </Dialog>
    </>
  );
}
