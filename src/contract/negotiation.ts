import accepts from 'accepts';
import type { ProblemReply } from './contract-types.js';
import { notAcceptable, unsupportedMediaType } from '../../generated/contract/problems.js';
import type { Endpoint, Exchange } from './exchange.js';

/**
 * Checks that the caller accepts a media type of the reply (406), and that the operation accepts the type and coding of
 * the body (415).
 */
export function negotiate({ request, route }: Exchange<Endpoint>): ProblemReply | null {
  const { headers } = request;
  const offered = (): string[] => route.produces.flatMap(namesOf);
  if (!acceptsReply(headers.accept, route.produces, () => accepts(request).types(offered()) !== false)) {
    return notAcceptable({
      message: `This path returns ${route.produces.join(' or ')}: accept that, or omit the Accept header.`,
      available: [...route.produces],
    });
  }
  if (route.body === null || !hasBody(headers)) return null;
  const { mediaType } = route.body;
  if (!namesOf(mediaType).some((name) => isMediaType(headers['content-type'], name))) {
    return unsupportedMediaType({
      message: `Send the body with Content-Type: ${mediaType}, in UTF-8.`,
      supported: [mediaType],
    });
  }
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return unsupportedMediaType({
      message: `Send the body uncompressed, without a Content-Encoding.`,
      supported: [mediaType],
    });
  }
  return null;
}

/** What a media type may be called: one with the suffix `+json` is JSON (RFC 6839, section 3.1). */
export function namesOf(mediaType: string): string[] {
  return mediaType.endsWith('+json') ? [mediaType, 'application/json'] : [mediaType];
}

function acceptsReply(accept: string | undefined, produces: readonly string[], slowly: () => boolean): boolean {
  if (accept === undefined || accept === '*/*' || produces.length === 0) return true;
  return produces.includes(accept) || slowly();
}

function hasBody(headers: NodeJS.Dict<string | string[]>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isMediaType(contentType: string | undefined, expected: string): boolean {
  if (contentType === undefined) return false;
  if (contentType === expected) return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  return type.trim() === expected && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}
