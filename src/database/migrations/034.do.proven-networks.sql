-- compatibility: expand
-- Where the holders of mailboxes have used a link of a mail, so that failed logins from other networks do not lock them
-- out. Releases before this one neither store nor read it.

CREATE TABLE proven_networks (
  counter text PRIMARY KEY,
  email text NOT NULL,
  until timestamptz(3) NOT NULL
);
COMMENT ON TABLE proven_networks IS
  'Networks from which somebody has proved to hold a mailbox. Until then, their failed logins are counted in '
  'login_failures under this counter, "<email> <network>", apart from those of all others.';
CREATE INDEX proven_networks_email_idx ON proven_networks (email);
CREATE INDEX proven_networks_until_idx ON proven_networks (until);
