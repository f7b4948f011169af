-- People, organizations and what binds them.
--
-- Times are timestamptz(3): JavaScript keeps milliseconds, and a value that was read must compare equal to the stored
-- one (cursors, compare-and-set).

CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL CHECK (email <> '' AND octet_length(email) <= 320),
  password_hash text,
  full_name text,
  auth_provider text NOT NULL DEFAULT 'local',
  is_verified boolean NOT NULL DEFAULT false,
  is_active boolean NOT NULL DEFAULT true,
  is_superuser boolean NOT NULL DEFAULT false,
  token_version integer NOT NULL DEFAULT 0,
  last_login_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_email_key UNIQUE (email)
);
COMMENT ON TABLE users IS
  'Accounts. A row is also the lock of its person: whoever changes memberships, tokens or the password of a user takes '
  'it FOR UPDATE first. Of simultaneous create_org calls of one user, exactly one then finds no membership; a unique '
  'key cannot settle that, because invites may give one user several memberships.';
COMMENT ON COLUMN users.email IS 'Normalized by the service before every write and look-up; unique in that form.';
COMMENT ON COLUMN users.password_hash IS 'bcrypt; null for accounts of an outside provider, which have no password.';
COMMENT ON COLUMN users.token_version IS 'Access tokens with a lower number are refused; raised by a new password.';

CREATE TABLE organizations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CHECK (btrim(name) <> '' AND char_length(name) <= 100),
  tier text NOT NULL DEFAULT 'community',
  onboarding_integration_skipped_at timestamptz(3),
  first_sync_completed_at timestamptz(3),
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
COMMENT ON TABLE organizations IS
  'Workspaces: the tenant of everything that carries an org_id. A row is the lock of its members: a change of roles '
  'takes it FOR NO KEY UPDATE first, so that two owners cannot both stop being the last one.';
COMMENT ON COLUMN organizations.first_sync_completed_at IS
  'Kept here, because the runs that prove it go when their configuration is deleted.';
CREATE INDEX organizations_created_by_idx ON organizations (created_by);

CREATE TABLE memberships (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  invited_by uuid REFERENCES users (id) ON DELETE SET NULL,
  joined_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, org_id)
);
COMMENT ON TABLE memberships IS 'Who belongs to which organization, in which role. Read on every bearer request.';
CREATE INDEX memberships_of_org_idx ON memberships (org_id, joined_at, user_id);
CREATE INDEX memberships_invited_by_idx ON memberships (invited_by);

CREATE TABLE invites (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  org_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  email text NOT NULL CHECK (email <> '' AND octet_length(email) <= 320),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  invited_by uuid REFERENCES users (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  accepted_by uuid REFERENCES users (id) ON DELETE SET NULL,
  revoked_at timestamptz(3),
  CONSTRAINT invites_token_hash_key UNIQUE (token_hash),
  CONSTRAINT invites_end_once CHECK (accepted_at IS NULL OR revoked_at IS NULL),
  CONSTRAINT invites_accepted_by_whom CHECK (accepted_by IS NULL OR accepted_at IS NOT NULL)
);
COMMENT ON TABLE invites IS
  'Invitations to an organization, bound to an e-mail. Accepting is one UPDATE that requires accepted_at and '
  'revoked_at to be null, so that of simultaneous accepts exactly one succeeds.';
COMMENT ON COLUMN invites.token_hash IS 'SHA-256 of the token, which only the mail holds.';
-- An expired invite still counts here: whoever invites again revokes it in the same transaction.
CREATE UNIQUE INDEX invites_one_pending_idx ON invites (org_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX invites_of_org_idx ON invites (org_id, created_at DESC, id DESC);
CREATE INDEX invites_invited_by_idx ON invites (invited_by);
CREATE INDEX invites_accepted_by_idx ON invites (accepted_by);
