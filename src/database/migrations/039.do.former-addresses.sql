-- compatibility: expand
-- The address that the link of a mail about a changed address gives back. Releases before this one send no such mail.

ALTER TABLE security_mails ADD COLUMN former_email text;
COMMENT ON COLUMN security_mails.former_email IS
  'The address that the account had before a change, and to which the mail about it was sent. Null: another kind of mail.';
