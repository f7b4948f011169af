-- compatibility: expand
-- Mails about the security of an account, what they are sent for, and audit records by account and in the order of a stream.

CREATE TABLE known_devices (
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  program text NOT NULL CHECK (char_length(program) <= 64),
  network text NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (user_id, program, network)
);
COMMENT ON TABLE known_devices IS
  'From where users have logged in: a kind of program, and a network. A login from elsewhere causes a mail.';

CREATE TABLE security_mails (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  user_id uuid NOT NULL,
  kind text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
COMMENT ON TABLE security_mails IS
  'Mails about the security of accounts, by the SHA-256 of the token in their link. They are counted to limit them. '
  'user_id is not a foreign key: its check would lock the users, which must not follow the lock of an organization.';
CREATE INDEX security_mails_of_user_idx ON security_mails (user_id, kind, created_at);

CREATE INDEX audit_log_at_idx ON audit_log (at DESC, id DESC);

-- The default is the same for all existing rows, so the table is not written again.
ALTER TABLE audit_log ADD COLUMN inserted_at timestamptz DEFAULT now();
COMMENT ON COLUMN audit_log.inserted_at IS
  'When the transaction of the record began, by the clock of the database. A stream reads in this order, up to the '
  'oldest transaction that still runs.';
CREATE INDEX audit_log_stream_idx ON audit_log (org_id, inserted_at, at, id);
