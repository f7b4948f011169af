import type { PlannedRequest } from './draft.js';
import type { Sender } from './send.js';

/**
 * A request as a command line that sends it again.
 *
 * @param secret headers of the caller, in lower case; their values are named as variables of the shell
 */
export function curlOf(sender: Sender, request: PlannedRequest, secret: ReadonlySet<string>): string {
  const headers = Object.entries(sender.headersOf(request)).map(([name, value]) => {
    const isSecret = secret.has(name.toLowerCase()) && request.headers[name] === undefined;
    return isSecret ? `-H "${name}: $${variableOf(name)}"` : `-H ${quoted(`${name}: ${value}`)}`;
  });
  const method = request.method === 'HEAD' ? '--head' : `-X ${request.method}`;
  const body = request.body === null ? [] : [`--data-binary ${quoted(request.body)}`];
  return ['curl -i --path-as-is', method, quoted(sender.urlOf(request)), ...headers, ...body].join(' ');
}

function variableOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** A text as one word of a shell; control characters as bash writes them. */
function quoted(text: string): string {
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text
    .replaceAll(/['\\]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `$'${escaped}'`;
}
