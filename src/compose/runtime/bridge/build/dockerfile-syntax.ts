/** Finds what the classic builder of Docker does not understand in a Dockerfile. */

export const hereDocument = /^\s*(?:RUN|COPY|ADD)\b.*<<-?["']?\w/im;

const BUILDKIT_SYNTAX: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['RUN --mount', /^\s*RUN\s+(?:--\S+\s+)*--mount=/im],
  ['RUN --network', /^\s*RUN\s+(?:--\S+\s+)*--network=/im],
  ['a here-document', hereDocument],
  ['COPY --link', /^\s*(?:COPY|ADD)\s+(?:--\S+\s+)*--link\b/im],
  ['COPY --chmod', /^\s*(?:COPY|ADD)\s+(?:--\S+\s+)*--chmod=/im],
];

/** The names of what it has that only BuildKit understands, for messages. */
export function buildKitSyntax(dockerfile: string): string[] {
  return BUILDKIT_SYNTAX.flatMap(([name, pattern]) => (pattern.test(dockerfile) ? [name] : []));
}
