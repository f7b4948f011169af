import { deleteOrganization } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useWaysToLogIn } from '../account/ways-to-log-in.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Field, Form, Labelled } from '../ui/form.js';
import { announce } from '../ui/toasts.js';

export interface DeleteDialogProps {
  readonly orgId: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** Asks for the name of the organization and the password before the organization is marked for deletion. */
export function DeleteDialog({ orgId, name, onClose }: DeleteDialogProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const hasPassword = useWaysToLogIn().data?.has_password !== false;
  return (
    <Dialog title={`Delete ${name}?`} open onClose={onClose}>
      <p>
        In 7 days everything that belongs to it is removed: members, teams, views, connections, figures and service
        tokens. Until then every owner can take that back. No sync runs meanwhile, nobody can join, and service tokens
        are refused. All owners get a mail.
      </p>
      <Form
        button="Delete in 7 days"
        blocked={typed !== name}
        send={({ password }) =>
          deleteOrganization(platform, {
            params: { org_id: orgId },
            body: password === undefined ? {} : { current_password: password },
          })
        }
        done={() => {
          onClose();
          announce(`${name} is marked for deletion.`);
          void queries.invalidateQueries();
        }}
        beside={<CancelButton onClick={onClose} />}
      >
        <Labelled name="confirmation" label="Name of the organization" hint={<>Type {name} to confirm.</>}>
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              autocomplete="off"
              onInput={({ currentTarget }) => {
                setTyped(currentTarget.value);
              }}
            />
          )}
        </Labelled>
        {hasPassword && (
          <Field name="password" label="Your password" type="password" autocomplete="current-password" required />
        )}
      </Form>
    </Dialog>
  );
}
