import { unwrap } from '@plumbline/sdk';
import { createView, deleteView, updateView } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useMay, useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Dialog } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View as Shown } from '../ui/view.js';
import type { Choices } from './choices.js';
import { definitionOf, hrefOfView, refreshViews, useViews, type View } from './views.js';

/** The views of the organization: each opens what it shows. Members save what they see. */
export function SavedViews({ orgId, choices }: { orgId: string; choices: Choices }): JSX.Element {
  const maySave = useMay('views:write');
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const views = useViews(orgId);
  const close = (): void => {
    setOpen(null);
  };
  return (
    <section class="card" aria-labelledby="saved-views">
      <div class="card-head">
        <h2 id="saved-views">Saved views</h2>
        {maySave && (
          <div class="actions">
            <button
              type="button"
              onClick={() => {
                setOpen('save');
              }}
            >
              Save this view
            </button>
            {(views.data?.length ?? 0) > 0 && (
              <button
                type="button"
                onClick={() => {
                  setOpen('manage');
                }}
              >
                Rename or delete
              </button>
            )}
          </div>
        )}
      </div>
      <Shown
        query={views}
        what="the saved views"
        empty={(items) =>
          items.length > 0
            ? null
            : { title: 'No view is saved yet', text: 'A saved view is open to the whole organization.' }
        }
      >
        {(items) => (
          <ul class="chips" aria-label="Saved views">
            {items.map((view) => (
              <li key={view.id}>
                <Link class="button" href={hrefOfView(view)}>
                  <span class="break">{view.name}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <Dialog title="Save this view" open={open === 'save'} onClose={close}>
        <Form
          button="Save"
          send={({ name = '' }) =>
            createView(platform, { params: { org_id: orgId }, body: { name, definition: definitionOf(choices) } })
          }
          done={({ name }) => {
            announce(`${name} is saved.`);
            close();
            refreshViews();
          }}
          beside={
            <button type="button" onClick={close}>
              Cancel
            </button>
          }
        >
          <Field name="name" label="Name of the view" maxLength={100} required autofocus />
        </Form>
      </Dialog>
      <Dialog title="Rename or delete views" open={open === 'manage'} onClose={close}>
        <ManageViews orgId={orgId} views={views.data ?? []} />
        <div class="actions">
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </Dialog>
    </section>
  );
}

/** Who has saved a view, and admins, can rename and delete it. */
function ManageViews({ orgId, views }: { orgId: string; views: readonly View[] }): JSX.Element {
  const me = useMe().data;
  const isAdmin = me?.role === 'admin' || me?.role === 'owner';
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
              {(isAdmin || view.created_by === me?.id) && (
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
            {(isAdmin || view.created_by === me?.id) && (
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
