-- compatibility: expand
-- Log-in to one organization by its identity provider. Servers of the release before this one neither read nor write
-- these tables. They do not know which sessions came by SSO, so set SSO up after the upgrade of all servers.

CREATE TABLE sso_connections (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL UNIQUE REFERENCES organizations (id) ON DELETE CASCADE,
  issuer text NOT NULL CHECK (octet_length(issuer) <= 1024),
  client_id text NOT NULL CHECK (octet_length(client_id) <= 1024),
  client_secret_sealed bytea NOT NULL,
  auto_join boolean NOT NULL,
  default_role text NOT NULL CHECK (default_role IN ('admin', 'member', 'viewer')),
  groups_claim text CHECK (octet_length(groups_claim) <= 1024),
  group_roles text NOT NULL,
  is_required boolean NOT NULL,
  recovery_owner_id uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE sso_connections IS 'The identity providers of organizations (OpenID Connect).';
COMMENT ON COLUMN sso_connections.group_roles IS 'The roles of groups, as JSON.';
COMMENT ON COLUMN sso_connections.is_required IS
  'Members work in the organization only in sessions by this connection, except for the recovery owner.';
CREATE INDEX sso_connections_recovery_owner_idx ON sso_connections (recovery_owner_id);

CREATE TABLE sso_domains (
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  domain text NOT NULL CHECK (octet_length(domain) <= 253),
  challenge text NOT NULL,
  verified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (org_id, domain)
);
COMMENT ON TABLE sso_domains IS 'The domains of e-mail addresses that an organization claims, and those that are proven to be its.';
COMMENT ON COLUMN sso_domains.challenge IS 'What a TXT record of the domain must say. It is public.';
CREATE UNIQUE INDEX sso_domains_verified_key ON sso_domains (domain) WHERE verified_at IS NOT NULL;

CREATE TABLE sso_identities (
  connection_id uuid NOT NULL REFERENCES sso_connections (id) ON DELETE CASCADE,
  subject text NOT NULL CHECK (octet_length(subject) <= 1024),
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email <> '' AND octet_length(email) <= 320),
  linked_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  PRIMARY KEY (connection_id, subject),
  CONSTRAINT sso_identities_user_key UNIQUE (user_id, connection_id)
);
COMMENT ON TABLE sso_identities IS 'The accounts of people at the identity provider of an organization.';

CREATE TABLE sso_sessions (
  family_id uuid PRIMARY KEY,
  connection_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  subject text NOT NULL,
  sid text,
  expires_at timestamptz(3) NOT NULL
);
CREATE TABLE sso_logout_tokens (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  expires_at timestamptz(3) NOT NULL
);
COMMENT ON TABLE sso_logout_tokens IS 'Logout tokens of providers that were used: each works once.';
CREATE INDEX sso_logout_tokens_expires_at_idx ON sso_logout_tokens (expires_at);

COMMENT ON TABLE sso_sessions IS
  'The sessions that began by SSO. No foreign key leads to the connection: without its row, a session would be free to '
  'enter other organizations of the user.';
COMMENT ON COLUMN sso_sessions.sid IS 'The session at the identity provider, by which a back-channel logout names it.';
CREATE INDEX sso_sessions_connection_idx ON sso_sessions (connection_id, subject);
CREATE INDEX sso_sessions_user_idx ON sso_sessions (user_id);
CREATE INDEX sso_sessions_expires_at_idx ON sso_sessions (expires_at);
