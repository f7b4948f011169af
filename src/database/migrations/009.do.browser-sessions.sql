-- Only the tokens of browser sessions have the grace period of the cookie.

ALTER TABLE refresh_tokens ADD COLUMN in_browser boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN refresh_tokens.in_browser IS
  'Whether the session is in the cookie of a browser. Copied to each successor. Such a token is refused in the body of a '
  'refresh, and all others in the cookie.';
