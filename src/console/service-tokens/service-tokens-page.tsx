import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { NewTokenDialog } from './new-token-dialog.js';
import type { ServiceToken } from './queries.js';
import { RotateDialog } from './rotate-dialog.js';
import { TokenList } from './token-list.js';

/** The tokens with which programs act for the organization. */
export default function ServiceTokensPage(): JSX.Element {
  const [isCreating, setIsCreating] = useState(false);
  const [rotating, setRotating] = useState<ServiceToken | null>(null);
  const button = (
    <button
      type="button"
      class="primary"
      onClick={() => {
        setIsCreating(true);
      }}
    >
      New token
    </button>
  );
  return (
    <Page title="Service tokens" intro="With these, programs act for the organization." actions={button}>
      <View query={useMe()} what="your account">
        {({ org_id: orgId }) =>
          orgId !== null && (
            <>
              <TokenList orgId={orgId} onRotate={setRotating} />
              <NewTokenDialog
                orgId={orgId}
                open={isCreating}
                onClose={() => {
                  setIsCreating(false);
                }}
              />
              <RotateDialog
                orgId={orgId}
                token={rotating}
                onClose={() => {
                  setRotating(null);
                }}
              />
            </>
          )
        }
      </View>
    </Page>
  );
}
