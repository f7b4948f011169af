-- compatibility: expand
-- Installations of the operator's app at the code host. An installation is an integration whose secret is the latest
-- installation token: a server of the release before this one uses it until it expires.

ALTER TABLE integrations
  ADD COLUMN kind text NOT NULL DEFAULT 'token' CHECK (kind IN ('token', 'app')),
  ADD COLUMN installation_id bigint,
  ADD COLUMN account text,
  ADD COLUMN token_expires_at timestamptz(3),
  ADD COLUMN inactive_reason text CHECK (inactive_reason IN ('suspended', 'removed')),
  ADD CONSTRAINT integrations_app_columns CHECK
    (num_nonnulls(installation_id, account, token_expires_at) = CASE kind WHEN 'app' THEN 3 ELSE 0 END);
COMMENT ON COLUMN integrations.kind IS 'token: of a user of the code host; app: an installation of the app of this server.';
COMMENT ON COLUMN integrations.account IS 'The organization or user at the code host that has installed the app.';
COMMENT ON COLUMN integrations.inactive_reason IS 'What the code host says about an installation that cannot be used.';
-- An installation belongs to one organization, also when two claim it at once.
CREATE UNIQUE INDEX integrations_installation_idx ON integrations (installation_id);

CREATE TABLE app_installation_starts (
  state_hash bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  session_id uuid NOT NULL,
  account text,
  return_to text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE app_installation_starts IS
  'Users who have gone to the code host to install the app, by the SHA-256 of the state that they bring back, once.';
COMMENT ON COLUMN app_installation_starts.account IS 'Whose existing installation to connect. Null: a new one.';
CREATE INDEX app_installation_starts_org_id_idx ON app_installation_starts (org_id);
CREATE INDEX app_installation_starts_user_id_idx ON app_installation_starts (user_id);
CREATE INDEX app_installation_starts_expires_at_idx ON app_installation_starts (expires_at);

CREATE TABLE host_events (
  delivery_id uuid PRIMARY KEY,
  received_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE host_events IS 'Webhooks of the code host that were handled, so that none is handled twice.';
CREATE INDEX host_events_received_at_idx ON host_events (received_at);

CREATE TABLE requested_syncs (
  sync_config_id uuid NOT NULL,
  org_id uuid NOT NULL,
  repository text NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  PRIMARY KEY (org_id, sync_config_id, repository),
  FOREIGN KEY (org_id, sync_config_id) REFERENCES sync_configs (org_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE requested_syncs IS
  'Repositories that have changed at the code host, until a run of their configuration includes them.';
