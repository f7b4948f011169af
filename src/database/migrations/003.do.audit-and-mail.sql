-- What happened, and what is still to be told.

CREATE TABLE audit_log (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  at timestamptz(3) NOT NULL DEFAULT now(),
  action text NOT NULL,
  resource_kind text NOT NULL,
  resource_id text,
  org_id uuid,
  user_id uuid,
  status text NOT NULL CHECK (status IN ('success', 'failure')),
  note text,
  ip inet,
  user_agent text,
  request_id text
);
COMMENT ON TABLE audit_log IS
  'Append-only record of authentication and administration. It refers to nothing by key on purpose: a record outlives '
  'what it is about, and must not be changed when that is deleted.';
COMMENT ON COLUMN audit_log.org_id IS 'Null for events outside of any organization.';
-- Read by cursor, newest first.
CREATE INDEX audit_log_of_org_idx ON audit_log (org_id, at DESC, id DESC);
CREATE INDEX audit_log_of_org_by_action_idx ON audit_log (org_id, action, at DESC, id DESC);
CREATE INDEX audit_log_of_org_by_user_idx ON audit_log (org_id, user_id, at DESC, id DESC);

CREATE FUNCTION refuse_audit_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_log is append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
END;
$$;
-- Per statement, so that one that matches no row is refused as well.
CREATE TRIGGER audit_log_is_append_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_log_change();

CREATE TABLE mail_outbox (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  recipient text NOT NULL,
  payload_sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  available_at timestamptz(3) NOT NULL DEFAULT now(),
  attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  last_error text,
  failed_at timestamptz(3)
);
COMMENT ON TABLE mail_outbox IS
  'Mails to be sent, inserted in the transaction that causes them. A sender takes a row FOR UPDATE SKIP LOCKED and '
  'deletes it after delivery; a failed attempt moves available_at, and failed_at marks the mails given up.';
COMMENT ON COLUMN mail_outbox.payload_sealed IS 'Sealed with SECRETS_KEY, because mails hold one-time tokens.';
CREATE INDEX mail_outbox_due_idx ON mail_outbox (available_at, id) WHERE failed_at IS NULL;
