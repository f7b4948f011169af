import { accessForTools } from '../session/session.js';

/** What GraphiQL is given: an access token, and the organization that it is for. */
interface GraphiqlAccess {
  readonly token: string;
  readonly orgId: string;
}

/** The windows that the console has opened: only they are answered. */
const opened = new WeakMap<object, string>();
let isListening = false;

/**
 * Opens GraphiQL, which asks the console for an access token before each query. The token is passed from window to
 * window of this origin: it is in no address and no storage, and GraphiQL works for as long as the session lives.
 *
 * @returns whether the browser has let a window open
 */
export function openGraphiql(orgId: string): boolean {
  if (!isListening) addEventListener('message', answer);
  isListening = true;
  const graphiql = open('/graphql', 'plumbline-graphiql');
  if (graphiql === null) return false;
  opened.set(graphiql, orgId);
  graphiql.focus();
  return true;
}

function answer({ origin, source, data, ports }: MessageEvent<unknown>): void {
  const orgId = source === null ? undefined : opened.get(source);
  const [port] = ports;
  if (origin !== location.origin || orgId === undefined || port === undefined) return;
  if (typeof data !== 'object' || data === null || Reflect.get(data, 'kind') !== 'plumbline.access') return;
  void accessForTools()
    .catch(() => null)
    .then((access) => {
      const reply: GraphiqlAccess | null = access === null ? null : { token: access.token, orgId };
      port.postMessage(reply);
    });
}
