import { createTeam, updateTeam } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { Lines, linesOf } from '../ui/fields.js';
import { Field, Form } from '../ui/form.js';
import { refreshTeams, type Team } from './queries.js';

export interface TeamDialogProps {
  readonly orgId: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** Called with the team as it is now. */
  readonly onSaved: (team: Team) => void;
}

/** Creates a team. */
export function NewTeamDialog({ orgId, open, onClose, onSaved }: TeamDialogProps): JSX.Element {
  return (
    <Dialog title="New team" open={open} onClose={onClose}>
      <Form
        button="Create"
        beside={<CancelButton onClick={onClose} />}
        send={({ id = '', name, members, repositories }) =>
          createTeam(platform, {
            params: { org_id: orgId },
            body: {
              id,
              ...(name !== undefined && { name }),
              members: linesOf(members),
              repositories: linesOf(repositories),
            },
          })
        }
        done={(team) => {
          onSaved(team);
          void refreshTeams();
        }}
      >
        <Field
          name="id"
          label="Id"
          hint="What charts show: letters, digits and . _ / -"
          autocomplete="off"
          maxLength={100}
          required
        />
        <Field name="name" label="Name" hint="Left empty, the id." autocomplete="off" maxLength={100} />
        <MembersAndRepositories />
      </Form>
    </Dialog>
  );
}

/** Changes a team. Its id stays. */
export function EditTeamDialog(props: TeamDialogProps & { team: Team }): JSX.Element {
  const { orgId, open, onClose, onSaved, team } = props;
  return (
    <Dialog title={`Edit ${team.name}`} open={open} onClose={onClose}>
      <Form
        button="Save"
        beside={<CancelButton onClick={onClose} />}
        send={({ name = '', members, repositories }) =>
          updateTeam(platform, {
            params: { org_id: orgId, team_id: team.id },
            body: { name, members: linesOf(members), repositories: linesOf(repositories) },
          })
        }
        done={(changed) => {
          onSaved(changed);
          void refreshTeams();
        }}
      >
        <Field name="name" label="Name" value={team.name} autocomplete="off" maxLength={100} required />
        <MembersAndRepositories team={team} />
      </Form>
    </Dialog>
  );
}

function MembersAndRepositories({ team }: { team?: Team }): JSX.Element {
  return (
    <>
      <Lines
        name="members"
        label="Members"
        value={team?.members ?? []}
        placeholder={'ada@example.com\ngrace'}
        hint="One e-mail address or login a line. The work of these authors belongs to the team."
        required={false}
      />
      <Lines
        name="repositories"
        label="Repositories"
        value={team?.repositories ?? []}
        placeholder="example/web-*"
        hint="One owner/name a line; * stands for any text. Work here belongs to the team where no team has its author."
        required={false}
      />
    </>
  );
}
