-- compatibility: expand
-- Teams by groups of SSO. Servers of the release before this one neither read nor write these; a log-in there changes no teams.

ALTER TABLE sso_connections ADD COLUMN group_teams text NOT NULL DEFAULT '[]';
COMMENT ON COLUMN sso_connections.group_teams IS 'The teams of groups, as JSON.';

CREATE TABLE sso_team_members (
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id text NOT NULL,
  email text NOT NULL CHECK (email <> '' AND octet_length(email) <= 320),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  PRIMARY KEY (org_id, team_id, email, user_id)
);
COMMENT ON TABLE sso_team_members IS 'The addresses that are in the lists of teams because of groups of SSO.';
CREATE INDEX sso_team_members_user_idx ON sso_team_members (user_id);
