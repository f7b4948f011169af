/** Parses an image as Docker and Podman list and inspect it. */
import { numberOf, objectOf, textMapOf, textOf, textsOf, type Json } from '../json.js';
import type { ImageRecord } from '../records.js';
import { utcTime, utcTimeOf } from './time.js';

export function engineImage(image: Json): ImageRecord {
  const tags = textsOf(image.RepoTags ?? image.Names).filter((tag) => tag !== '<none>:<none>');
  const platform = [image.Os, image.Architecture, image.Variant]
    .map(textOf)
    .filter((part) => part !== '')
    .join('/');
  const taggedAt = utcTime(textOf(objectOf(image.Metadata).LastTagTime));
  return {
    id: (textOf(image.Id) || textOf(image.ID)).replace(/^sha256:/, ''),
    tags,
    // Lists contain seconds, inspections contain strings.
    createdAt:
      typeof image.Created === 'number'
        ? utcTimeOf(image.Created)
        : (utcTime(textOf(image.Created) || textOf(image.CreatedAt)) ?? ''),
    sizeBytes: numberOf(image.Size),
    labels: textMapOf(image.Labels ?? objectOf(image.Config).Labels),
    ...(platform !== '' && { platform }),
    ...(taggedAt !== undefined && { taggedAt }),
  };
}
