-- compatibility: expand
-- What outlives a membership. Servers of the release before this one let people whom SCIM has deleted join again by SSO,
-- and leave former members in the lists of teams.

CREATE TABLE scim_departures (
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (org_id, user_id)
);
COMMENT ON TABLE scim_departures IS
  'Accounts that an identity provider has deleted from an organization by SCIM: SSO does not let them join by itself.';
CREATE INDEX scim_departures_user_id_idx ON scim_departures (user_id);

-- A row stays until its address has left the list of the team, which can be in another database, also without the account.
ALTER TABLE sso_team_members DROP CONSTRAINT sso_team_members_user_id_fkey;
