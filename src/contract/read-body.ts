import { HttpMethodEnum, koaBody } from 'koa-body';
import type { Context } from 'koa';
import type { ProblemReply } from './contract-types.js';
import { payloadTooLarge } from '../../generated/contract/problems.js';
import type { Endpoint, Exchange } from './exchange.js';
import { closeLingering } from './lingering-close.js';
import { namesOf } from './negotiation.js';

/** The caller disconnected before the body was complete, so there is no reply. */
export class RequestAborted extends Error {
  override name = 'RequestAborted';
}

/**
 * Reads the body of a request into `exchange.receivedBody`, up to the limit of its endpoint.
 *
 * @returns the problem (413) for a body that is too large
 * @throws RequestAborted when the connection ends first
 */
export type BodyReader = (ctx: Context, exchange: Exchange<Endpoint>) => Promise<ProblemReply | null>;

/**
 * Creates the reader of one endpoint, from koa-body with the endpoint's media type and limit. It takes every byte for a
 * character, because a decoder of UTF-8 would silently replace bytes that are not UTF-8.
 */
export function createBodyReader({ body, maxBodyBytes }: Endpoint): BodyReader {
  if (body === null) return () => Promise.resolve(null);
  const { mediaType } = body;
  const isJson = /[/+]json$/.test(mediaType);
  const syntax = isJson ? 'json' : mediaType === 'application/x-www-form-urlencoded' ? 'form' : 'text';
  const faults = new WeakMap<Context, Error>();
  const read = koaBody({
    json: isJson,
    jsonTypes: namesOf(mediaType),
    jsonLimit: maxBodyBytes,
    jsonStrict: false, // the schema decides which values are allowed
    text: !isJson,
    textTypes: [mediaType],
    textLimit: maxBodyBytes,
    multipart: false,
    urlencoded: false, // it would read nested objects into forms
    encoding: 'binary',
    includeUnparsed: true,
    parsedMethods: Object.values(HttpMethodEnum), // the contract decides which operations have a body
    onError: (error, ctx) => {
      faults.set(ctx, error);
    },
  });
  return async (ctx, exchange) => {
    // It is `identity` after negotiation, which koa-body knows in lower case only.
    delete ctx.req.headers['content-encoding'];
    await read(ctx, () => Promise.resolve());
    const fault = faults.get(ctx);
    if (fault === undefined) {
      const { rawBody: bytes = '', body: value } = ctx.request;
      exchange.receivedBody = bytes === '' ? null : { bytes, syntax, value };
    } else if ('body' in fault && typeof fault.body === 'string') {
      exchange.receivedBody = { bytes: fault.body, syntax, value: undefined }; // it is not JSON
    } else if ('type' in fault && fault.type === 'entity.too.large') {
      return refuseLongBody(exchange);
    } else {
      throw ctx.req.destroyed ? new RequestAborted('The request ended early', { cause: fault }) : fault;
    }
    return null;
  };
}

/** The problem (413) for a body that is too large. The rest of it is dropped, and the connection is closed. */
function refuseLongBody({ request, route, replyHeaders }: Exchange<Endpoint>): ProblemReply {
  const { maxBodyBytes } = route;
  replyHeaders['Connection'] = 'close';
  closeLingering(request);
  return payloadTooLarge({ message: `Send at most ${maxBodyBytes} bytes in the body.`, max_bytes: maxBodyBytes });
}
