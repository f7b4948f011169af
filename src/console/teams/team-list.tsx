import { unwrap } from '@plumbline/sdk';
import { deleteTeam } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { shortList } from '../sources/words.js';
import { Confirm } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { View } from '../ui/view.js';
import { refreshTeams, useTeams, type Team } from './queries.js';
import { EditTeamDialog } from './team-form.js';

export interface TeamListProps {
  readonly orgId: string;
  /** Called with what was done. */
  readonly onChanged: (text: string) => void;
  /** Opens the form of a new team. */
  readonly onNew: () => void;
}

/** The teams with their members and repositories. Admins change and delete them. */
export function TeamList({ orgId, onChanged, onNew }: TeamListProps): JSX.Element {
  const mayWrite = useMay('teams:write');
  const [asking, setAsking] = useState<{ readonly what: 'edit' | 'delete'; readonly team: Team } | null>(null);
  const close = (): void => {
    setAsking(null);
  };
  const remove = useMutation({
    mutationFn: async ({ id }: Team) => {
      const reply = await deleteTeam(platform, { params: { org_id: orgId, team_id: id } });
      if (reply.status !== 404) unwrap(reply); // gone already is as good
    },
    onSuccess: (_nothing, { name }) => {
      onChanged(`${name} is deleted.`);
    },
    onSettled: refreshTeams,
  });
  return (
    <section class="card">
      <h2>Teams</h2>
      <Failed mutation={remove} />
      <View
        query={useTeams(orgId)}
        what="the teams"
        empty={(items) =>
          items.length > 0
            ? null
            : {
                title: 'There are no teams yet',
                text: 'A team has the work of its members and in its repositories. Without teams, CODEOWNERS of the repositories decide.',
                action: mayWrite && (
                  <button type="button" onClick={onNew}>
                    Create the first team
                  </button>
                ),
              }
        }
      >
        {(items) => (
          <ul class="rows" aria-label="Teams">
            {items.map((team) => (
              <li key={team.id}>
                <TeamSummary team={team} />
                {mayWrite && (
                  <div class="actions">
                    <button
                      type="button"
                      aria-label={`Edit ${team.name}`}
                      onClick={() => {
                        setAsking({ what: 'edit', team });
                      }}
                    >
                      Edit
                    </button>
                    <button
                      type="button"
                      class="danger"
                      aria-label={`Delete ${team.name}`}
                      onClick={() => {
                        remove.reset();
                        setAsking({ what: 'delete', team });
                      }}
                    >
                      Delete
                    </button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </View>
      {asking !== null && (
        <>
          <EditTeamDialog
            orgId={orgId}
            team={asking.team}
            open={asking.what === 'edit'}
            onClose={close}
            onSaved={({ name }) => {
              close();
              onChanged(`${name} is saved.`);
            }}
          />
          <Confirm
            title={`Delete ${asking.team.name}?`}
            text="Its work goes to other teams by the same rules as before, or has no team."
            button="Delete"
            open={asking.what === 'delete'}
            onClose={close}
            onConfirm={() => {
              remove.mutate(asking.team);
            }}
          />
        </>
      )}
    </section>
  );
}

function TeamSummary({ team: { id, name, members, repositories } }: { team: Team }): JSX.Element {
  return (
    <div class="stack tight grow">
      <span class="break">
        <strong>{name}</strong> {name !== id && <span class="tag">{id}</span>}
      </span>
      {members.length > 0 && <span class="small muted break">Members: {shortList(members, 5)}</span>}
      {repositories.length > 0 && <span class="small muted break">Repositories: {shortList(repositories, 5)}</span>}
    </div>
  );
}
