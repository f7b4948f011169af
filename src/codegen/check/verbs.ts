/**
 * The verbs that operations begin with. A new one is added here, so that one action has one name: `remove` and
 * `delete`, for instance, differ in what is left. `up` and `down` are the commands of the compose tool.
 */
export const verbs: ReadonlySet<string> = new Set(
  `accept add assign build cancel change connect correct create delete disconnect disown down end exec export forgot get import ingest
  inspect kill list login logout onboard pause ping pull push read refresh register remove replace resend reset restart revoke rotate scale secure skip
  start stop stream switch test transfer unpause up update validate verify wait watch write`.split(/\s+/),
);
