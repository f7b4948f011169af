import { transferOrganization } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useMembers } from '../people/queries.js';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Select } from '../ui/fields.js';
import { Form } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';

export interface HandOverDialogProps {
  readonly orgId: string;
  readonly name: string;
  /** The logged-in user. */
  readonly meId: string;
  readonly onClose: () => void;
}

/** Makes another member the owner. */
export function HandOverDialog({ orgId, name, meId, onClose }: HandOverDialogProps): JSX.Element {
  const members = useMembers(orgId);
  return (
    <Dialog title={`Hand ${name} over?`} open onClose={onClose}>
      <p>The member becomes an owner, and you become an admin. Only an owner can undo that.</p>
      <View query={members} what="the members">
        {(items) => {
          const others = items.filter(({ user_id: id }) => id !== meId);
          if (others.length === 0) {
            return (
              <>
                <p>You are the only member. Invite somebody first.</p>
                <div class="actions">
                  <CancelButton onClick={onClose} />
                </div>
              </>
            );
          }
          return (
            <Form
              button="Hand over"
              send={({ user_id = '' }) =>
                transferOrganization(platform, { params: { org_id: orgId }, body: { user_id } })
              }
              done={({ new_owner: { full_name, email } }) => {
                onClose();
                announce(`${full_name ?? email} is an owner now, and you are an admin.`);
                // First what the user may still see: the rest is not asked for in vain then.
                void queries.refetchQueries({ queryKey: ['me'] }).then(() => queries.invalidateQueries());
              }}
              beside={<CancelButton onClick={onClose} />}
            >
              <Select
                name="user_id"
                label="New owner"
                options={Object.fromEntries(
                  others.map(({ user_id, full_name, email, role }) => [
                    user_id,
                    `${full_name === null ? email : `${full_name} (${email})`}, ${role}`,
                  ]),
                )}
              />
            </Form>
          );
        }}
      </View>
    </Dialog>
  );
}
