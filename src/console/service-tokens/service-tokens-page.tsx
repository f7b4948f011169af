import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CreationPage } from '../shell/creation-page.js';
import { NewTokenDialog } from './new-token-dialog.js';
import type { ServiceToken } from './queries.js';
import { RotateDialog } from './rotate-dialog.js';
import { TokenList } from './token-list.js';

/** The tokens with which programs act for the organization. */
export default function ServiceTokensPage(): JSX.Element {
  const [rotating, setRotating] = useState<ServiceToken | null>(null);
  return (
    <CreationPage title="Service tokens" intro="With these, programs act for the organization." button="New token">
      {(dialog) => (
        <>
          <TokenList orgId={dialog.orgId} onRotate={setRotating} />
          <NewTokenDialog {...dialog} />
          <RotateDialog
            orgId={dialog.orgId}
            token={rotating}
            onClose={() => {
              setRotating(null);
            }}
          />
        </>
      )}
    </CreationPage>
  );
}
