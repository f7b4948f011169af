import { unwrap } from '@plumbline/sdk';
import { deleteView, updateView } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { refreshViews, type View } from './views.js';

/** Tells which views the user may change: members those that they have saved, admins all. */
export function useMayChange(): (view: View) => boolean {
  const me = useMe().data;
  const isAdmin = me?.role === 'admin' || me?.role === 'owner';
  return ({ created_by: author }) => isAdmin || (me !== undefined && author === me.id);
}

/** Renames and deletes views. */
export function ManageViews({ orgId, views }: { orgId: string; views: readonly View[] }): JSX.Element {
  const mayChange = useMayChange();
  const remove = useMutation({
    mutationFn: async ({ id }: View) => {
      const reply = await deleteView(platform, { params: { org_id: orgId, view_id: id } });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    onSuccess: (_nothing, { name }) => {
      announce(`${name} is deleted.`);
    },
    onSettled: refreshViews,
  });
  return (
    <>
      <Failed mutation={remove} />
      <ul class="rows" aria-label="Views">
        {views.map((view) => (
          <li key={view.id}>
            <div class="stack tight grow">
              <span class="break">{view.name}</span>
              <span class="small muted break">saved by {view.created_by_name ?? 'an account that is gone'}</span>
              {mayChange(view) && (
                <details>
                  <summary aria-label={`Rename ${view.name}`}>Rename</summary>
                  <Form
                    key={view.name}
                    button="Save the name"
                    send={({ name = '' }) =>
                      updateView(platform, { params: { org_id: orgId, view_id: view.id }, body: { name } })
                    }
                    done={({ name }) => {
                      announce(`The view is called ${name} now.`);
                      refreshViews();
                    }}
                  >
                    <Field name="name" label="New name" value={view.name} maxLength={100} required />
                  </Form>
                </details>
              )}
            </div>
            {mayChange(view) && (
              <button
                type="button"
                class="danger"
                aria-label={`Delete ${view.name}`}
                aria-disabled={remove.isPending}
                onClick={() => {
                  if (!remove.isPending) remove.mutate(view);
                }}
              >
                Delete
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
