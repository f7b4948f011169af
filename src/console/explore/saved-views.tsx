import { unwrap } from '@plumbline/sdk';
import { createView, updateView } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { SearchParts } from '../analytics/search-parts.js';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { Field, Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View as Shown } from '../ui/view.js';
import type { Choices } from './choices.js';
import { ManageViews, useMayChange } from './manage-views.js';
import { definitionOf, hrefOfView, isChanged, refreshViews, useViews, type View } from './views.js';

export interface SavedViewsProps {
  readonly orgId: string;
  readonly choices: Choices;
  /** The id of the view that was opened; null: none. */
  readonly openedId: string | null;
  /** Called with the parts of the query string that change. */
  readonly onChange: (parts: SearchParts) => void;
}

/** The views of the organization. Members save what they see, and save changes to the view that they have opened. */
export function SavedViews({ orgId, choices, openedId, onChange }: SavedViewsProps): JSX.Element {
  const maySave = useMay('views:write');
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const views = useViews(orgId);
  const opened = views.data?.find(({ id }) => id === openedId);
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
      {opened !== undefined && <Changes key={opened.id} orgId={orgId} view={opened} choices={choices} />}
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
                <Link class="button" href={hrefOfView(view)} aria-current={view.id === openedId ? 'true' : undefined}>
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
          done={({ id, name }) => {
            announce(`${name} is saved.`);
            close();
            refreshViews();
            onChange({ view: id });
          }}
          beside={<CancelButton onClick={close} />}
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

interface ChangesProps {
  readonly orgId: string;
  readonly view: View;
  readonly choices: Choices;
}

/** Offers to store what is shown in the view that was opened, or to go back to what it stores. */
function Changes({ orgId, view, choices }: ChangesProps): JSX.Element | null {
  const mayChange = useMayChange();
  const save = useMutation({
    mutationFn: async () => {
      const params = { org_id: orgId, view_id: view.id };
      return unwrap(await updateView(platform, { params, body: { definition: definitionOf(choices) } }));
    },
    onSuccess: ({ name }) => {
      announce(`The changes to ${name} are saved.`);
    },
    onSettled: refreshViews,
  });
  if (!isChanged(view, choices)) return null;
  return (
    <div class="banner" role="status">
      <p class="break">
        This differs from the saved view <strong>{view.name}</strong>.
      </p>
      <div class="actions">
        {mayChange(view) && (
          <button
            type="button"
            class="primary"
            aria-disabled={save.isPending}
            onClick={() => {
              if (!save.isPending) save.mutate();
            }}
          >
            Save the changes
          </button>
        )}
        <Link class="button" href={hrefOfView(view)}>
          Undo the changes
        </Link>
      </div>
      <Failed mutation={save} />
    </div>
  );
}
