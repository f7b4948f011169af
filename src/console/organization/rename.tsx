import { updateOrganization } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';

/** Gives the organization another name. */
export function Rename({ orgId, name }: { orgId: string; name: string | null }): JSX.Element {
  return (
    <details>
      <summary>Rename</summary>
      <Form
        key={name}
        button="Save the name"
        send={({ name: entered = '' }) =>
          updateOrganization(platform, { params: { org_id: orgId }, body: { name: entered } })
        }
        done={(organization) => {
          announce(`The organization is called ${organization.name} now.`);
          void queries.invalidateQueries();
        }}
      >
        <Field name="name" label="Name of the organization" value={name ?? ''} maxLength={100} required />
      </Form>
    </details>
  );
}
