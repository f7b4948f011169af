import { createHash } from 'node:crypto';

/** A piece of content, with the bytes themselves (OCI Image Specification, "Content Descriptors"). */
export interface Content {
  readonly mediaType: string;
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function contentOf(mediaType: string, bytes: Uint8Array, annotations?: Content['annotations']): Content {
  return { mediaType, digest: digestOfBytes(bytes), bytes, ...(annotations && { annotations }) };
}

export function digestOfBytes(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** How a manifest refers to a small piece of content: the bytes are part of it. */
export function embedded({ mediaType, digest, bytes, annotations }: Content): object {
  return {
    mediaType,
    digest,
    size: bytes.length,
    ...(annotations && { annotations }),
    data: Buffer.from(bytes).toString('base64'),
  };
}
