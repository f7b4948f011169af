-- compatibility: expand
-- Changes of e-mail addresses, and mails of kinds that servers of earlier releases cannot write.

ALTER TABLE one_time_tokens DROP CONSTRAINT one_time_tokens_kind_check;
ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_kind_check
  CHECK (kind IN ('verification', 'reset', 'email_change_by_old', 'email_change_by_new'));
ALTER TABLE one_time_tokens ADD COLUMN new_email text CHECK (octet_length(new_email) <= 320);
ALTER TABLE one_time_tokens ADD CONSTRAINT one_time_tokens_new_email_of_change
  CHECK ((new_email IS NOT NULL) = (kind IN ('email_change_by_old', 'email_change_by_new')));
COMMENT ON COLUMN one_time_tokens.new_email IS
  'The address that the account gets when both tokens of the change are used.';

-- An earlier release takes every row of mail_outbox and writes a mail of an unknown kind with the words of another one.
-- It sees only the kinds that it knows, and inserts through the view.
ALTER TABLE mail_outbox RENAME TO outgoing_mails;
CREATE VIEW mail_outbox AS
  SELECT id, kind, recipient, payload_sealed, created_at, available_at, attempts, last_error, failed_at
  FROM outgoing_mails WHERE kind IN ('verification', 'reset', 'invite');
COMMENT ON VIEW mail_outbox IS 'The mails that servers of earlier releases send. Later ones use outgoing_mails.';

-- The records that an account exports: its own actions, and what others did with it.
CREATE INDEX audit_log_by_user_idx ON audit_log (user_id, at DESC, id DESC);
CREATE INDEX audit_log_of_user_idx ON audit_log (resource_id, at DESC, id DESC)
  WHERE resource_kind IN ('USER', 'MEMBERSHIP');
