import { unwrap } from '@plumbline/sdk';
import { correctWorkUnit, deleteCorrection } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { queries, useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { Select } from '../ui/fields.js';
import { Field, Form, type Values } from '../ui/form.js';
import { Moment } from '../ui/moment.js';
import { announce } from '../ui/toasts.js';
import { AlwaysLikeThis } from './always-like-this.js';
import { isSubcategory, labelOf, subcategories, type Subcategory } from './subcategories.js';
import type { Explanation } from './units.js';

export interface CorrectionProps {
  readonly orgId: string;
  readonly unit: NonNullable<Explanation>;
}

/** The correction of a work unit. Admins can set and withdraw it. */
export function Correction({ orgId, unit }: CorrectionProps): JSX.Element {
  const mayWrite = useMay('classification:write');
  const details = useRef<HTMLDetailsElement>(null);
  // The unit that the form was opened with: a newer correction must not replace what is being entered.
  const [opened, setOpened] = useState<CorrectionProps['unit'] | null>(null);
  const edited = opened ?? unit;
  const close = (): void => {
    setOpened(null);
    if (details.current === null) return;
    details.current.open = false;
    details.current.querySelector('summary')?.focus(); // the button that had the focus is gone
  };
  const [main] = unit.shares;
  return (
    <>
      {unit.correction !== null && <Corrected correction={unit.correction} />}
      {mayWrite && (
        <details
          ref={details}
          onToggle={({ currentTarget }) => {
            setOpened(currentTarget.open ? unit : null);
          }}
        >
          <summary>{unit.correction === null ? 'Correct the theme' : 'Change or withdraw the correction'}</summary>
          {edited.correction?.correctedAt !== unit.correction?.correctedAt && (
            <div class="banner warn" role="status">
              <p>
                The correction has changed since you opened this form. What you entered is kept; saving replaces the
                newer correction.
              </p>
            </div>
          )}
          <CorrectionForm key={edited.correction?.correctedAt ?? ''} orgId={orgId} unit={edited} onChanged={close} />
        </details>
      )}
      {mayWrite && unit.correction !== null && main !== undefined && isSubcategory(main.subcategory) && (
        <AlwaysLikeThis key={main.subcategory} orgId={orgId} unitId={unit.id} subcategory={main.subcategory} />
      )}
    </>
  );
}

function Corrected({
  correction,
}: {
  readonly correction: NonNullable<CorrectionProps['unit']['correction']>;
}): JSX.Element {
  const { insteadOf, note, correctedAt, correctedBy } = correction;
  return (
    <div class="banner">
      <div class="stack tight">
        <p class="break">
          Corrected by {correctedBy}, <Moment at={correctedAt} />. The rules say: {labelOf(insteadOf)}.
        </p>
        {note !== null && <p class="break">“{note}”</p>}
      </div>
    </div>
  );
}

function CorrectionForm({
  orgId,
  unit: { id, title, shares, correction },
  onChanged,
}: CorrectionProps & { readonly onChanged: () => void }): JSX.Element {
  const params = { org_id: orgId, unit_id: id };
  const [{ subcategory: current } = { subcategory: '' }] = shares;
  const [isChanging, setIsChanging] = useState(false);
  const withdrawal = useMutation({
    mutationFn: async () => {
      unwrap(await deleteCorrection(platform, { params }));
    },
    onSuccess: () => {
      announce(`The rules classify ${title} again.`);
      refreshFigures();
      onChanged();
    },
    onSettled: () => {
      setIsChanging(false);
    },
  });
  const save = async ({ subcategory, note }: Values): ReturnType<typeof correctWorkUnit> => {
    setIsChanging(true);
    try {
      return await correctWorkUnit(platform, {
        params,
        body: {
          subcategory: subcategory as Subcategory, // the select has no others
          note: note ?? null,
        },
      });
    } finally {
      setIsChanging(false);
    }
  };
  return (
    <div class="stack">
      <p class="small muted">
        The whole unit counts for what you choose, also after the next sync, until you withdraw it.
      </p>
      <Form
        button="Save the correction"
        blocked={isChanging}
        beside={
          correction !== null && (
            <button
              type="button"
              aria-disabled={isChanging}
              onClick={() => {
                if (isChanging) return;
                setIsChanging(true);
                withdrawal.mutate();
              }}
            >
              Withdraw the correction
            </button>
          )
        }
        send={save}
        done={({ subcategory }) => {
          announce(`${title} counts for ${labelOf(subcategory)}.`);
          refreshFigures();
          onChanged();
        }}
      >
        <Select
          name="subcategory"
          label="Theme and subcategory"
          options={subcategories}
          {...(isSubcategory(current) && { value: current })}
        />
        <Field
          name="note"
          label="Reason"
          hint="Shown to everybody who asks why. Optional."
          autocomplete="off"
          maxLength={500}
          {...(correction?.note != null && { value: correction.note })}
        />
      </Form>
      <Failed mutation={withdrawal} />
    </div>
  );
}

/** A correction changes the figures of all pages. */
function refreshFigures(): void {
  void queries.invalidateQueries();
}
