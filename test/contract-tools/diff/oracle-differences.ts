const unread = 'oasdiff does not compare it';
const warns = 'oasdiff does not report it as breaking; a client that relied on it can fail';
const sent = 'the server sends the payload; oasdiff compares it as a request that clients send';

/** Where oasdiff (1.x) disagrees about what breaks, and why the comparison here decides otherwise. */
export const oracleDifferences: ReadonlyMap<string, string> = new Map([
  ['document: a server is gone', unread],
  ['document: a new server', unread],
  ['document: another dialect', unread],
  ['operation: another operationId', 'oasdiff sees no client; the operationId names a function of the SDK'],
  ['operation: callbacks', unread],
  ['operation: another server', unread],
  ['requests: a smaller largest body', 'x-max-body-bytes is an extension of ours'],
  ['requests: no largest body', 'x-max-body-bytes is an extension of ours'],
  [
    'security: both schemes at once',
    'who had to show two schemes may show one of them; oasdiff reports the pair as gone',
  ],
  ['parameter: of a path is gone', 'oasdiff only warns when a parameter is gone; its effect is gone with it'],
  ['parameter: another style', unread],
  ['parameter: not exploded', unread],
  ['parameter: no reserved characters', unread],
  ['parameter: another default', warns],
  ['parameter: no default', warns],
  ['parameter: in another media type', unread],
  ['body: an encoding', unread],
  ['reply: one more success', 'a client that waits for 200 does not know what 202 means'],
  ['reply: links', unread],
  ['reply: a header of another form', warns],
  ['reply: a new header', 'oasdiff only warns when an optional header is gone'],
  [
    'reply: a new problem',
    'a new alternative is breaking for oasdiff; clients handle unknown problems by their status',
  ],
  ['reply: a property is gone', 'oasdiff only warns where the property was optional'],
  ['webhook: a header', 'oasdiff compares parameters as those of requests that clients send'],
  ['webhook: payload may be absent', sent],
  ['webhook: a property is always present', sent],
  ['webhook: a property may be longer', sent],
  ['schema: a discriminator', 'oasdiff only informs; generated clients choose the branch by it'],
  ['schema: other properties', unread],
  ['schema: no map any more', unread],
  ['schema: another default', warns],
  ['schema: writeOnly', 'oasdiff only warns'],
  ['schema: normalized texts', 'x-normalize is an extension of ours'],
  ['schema: any items', unread],
  ['schema: something forbidden', unread],
  ['schema: nothing at all', unread],
]);
