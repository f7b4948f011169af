import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMe } from '../session/queries.js';
import { View } from '../ui/view.js';
import { Page, type HeadingProps } from './page.js';

/** The properties of the dialog in which something is created. */
export interface CreationDialogProps {
  readonly orgId: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

export interface CreationPageProps extends HeadingProps {
  /** The label of the button that opens the dialog. */
  readonly button: string;
  readonly children: (dialog: CreationDialogProps) => ComponentChildren;
}

/** A page about an organization, with a button that opens the dialog in which something is created. */
export function CreationPage({ title, intro, button, children }: CreationPageProps): JSX.Element {
  const [open, setOpen] = useState(false);
  const action = (
    <button
      type="button"
      class="primary"
      onClick={() => {
        setOpen(true);
      }}
    >
      {button}
    </button>
  );
  return (
    <Page title={title} intro={intro} actions={action}>
      <View query={useMe()} what="your account">
        {({ org_id: orgId }) =>
          orgId !== null &&
          children({
            orgId,
            open,
            onClose: () => {
              setOpen(false);
            },
          })
        }
      </View>
    </Page>
  );
}
