/** Variables that programs need to find each other and the network. Excludes settings and secrets of the server. */
const names =
  /^(?:PATH|HOME|USER|TMPDIR|TEMP|TMP|LANG|LC_\w+|TZ|SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|USERPROFILE|(?:HTTPS?|NO|ALL)_PROXY|SSL_CERT_(?:FILE|DIR)|NODE_(?:OPTIONS|EXTRA_CA_CERTS|USE_ENV_PROXY))$/i;

/** The environment of a program started for a sync. */
export function programEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.test(name)));
}
