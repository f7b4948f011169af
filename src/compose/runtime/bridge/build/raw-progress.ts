/** Reads the progress of `buildx --progress=rawjson`: one JSON object per line, with BuildKit's vertices and logs. */
import { objectOf, objectsOf, parseJson, textOf, type Json } from '../../json.js';
import { lineCutter, type LineCutter } from '../../lines.js';

export interface RawProgress {
  /** The log lines that a line of the progress adds. */
  push(line: string): string[];
  /** The unfinished last lines of the output of steps. */
  rest(): string[];
  /** The lines outside of the protocol: why the program failed. */
  readonly reasons: readonly string[];
  /** Gives the `reasons` that were not taken before. */
  takeText(): string[];
  /** The base image that could not be found. */
  readonly missingImage: string | undefined;
}

/** A step that asks a registry, or the engine, for an image. */
const LOOKS_FOR_IMAGE = /^\[(?:\S+ )?internal\] load metadata for (\S+)$/;

export function rawProgress(): RawProgress {
  const reasons: string[] = [];
  let taken = 0;
  const seen = new Set<string>();
  const outputs = new Map<string, LineCutter>();
  let missingImage: string | undefined;

  const stepLines = (vertex: Json): string[] => {
    const [digest, name] = [textOf(vertex.digest), textOf(vertex.name)];
    const failed = textOf(vertex.error);
    const image = LOOKS_FOR_IMAGE.exec(name)?.[1];
    // The other lookups are cancelled when one fails.
    if (image !== undefined && failed !== '' && !/context canceled/i.test(failed)) missingImage ??= withoutHub(image);
    const isCached = vertex.cached === true;
    if ((textOf(vertex.started) === '' && !isCached) || seen.has(digest)) return [];
    seen.add(digest);
    return [isCached ? `${name} (cached)` : name];
  };

  const outputLines = (log: Json): string[] => {
    const key = `${textOf(log.vertex)} ${String(log.stream)}`;
    const cutter = outputs.get(key) ?? lineCutter();
    outputs.set(key, cutter);
    return cutter.push(Buffer.from(textOf(log.data), 'base64'));
  };

  return {
    push(line) {
      const status = parseJson(line);
      if (typeof status !== 'object' || status === null) {
        reasons.push(line.trimEnd());
        return [];
      }
      const { vertexes, logs, warnings } = objectOf(status);
      return [
        ...objectsOf(vertexes).flatMap(stepLines),
        ...objectsOf(logs).flatMap(outputLines),
        ...objectsOf(warnings).map((warning) => `warning: ${decoded(warning.short)}`),
      ];
    },
    rest: () => [...outputs.values()].flatMap((cutter) => cutter.rest()),
    reasons,
    takeText() {
      const lines = reasons.slice(taken);
      taken = reasons.length;
      return lines;
    },
    get missingImage() {
      return missingImage;
    },
  };
}

function decoded(base64: unknown): string {
  return Buffer.from(textOf(base64), 'base64').toString('utf8');
}

/** Writes a reference the way most Dockerfiles do. */
function withoutHub(image: string): string {
  return image.replace(/^docker\.io\/(?:library\/)?/, '').replace(/@sha256:[0-9a-f]+$/, '');
}
