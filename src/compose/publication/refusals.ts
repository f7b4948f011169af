/**
 * Why a project is not published, and what its owner is asked before. Files are published as they are written, so that
 * what counts is each file as written, not the merged project.
 */
import { ComposeFailure } from '../model/errors.js';
import { expandTemplate, TemplateError, type Lookup } from '../model/interpolation/template.js';
import { child, scalar, textOf } from '../model/node.js';
import { expandMount, locateInput } from '../model/normalize/mounts.js';
import type { Project } from '../model/project/project.js';
import type { Declaration } from './declarations.js';
import type { PublishedComposeFile, PublishedFile } from './layers.js';
import { secretsIn } from './secrets.js';

type ComposeFiles = readonly PublishedComposeFile[];

/** @returns the services that nobody else could run, because they are only built */
export function onlyBuilt({ services }: Project): string[] {
  return Object.keys(services).filter((name) => {
    const { image, build } = services[name] ?? {};
    return image === undefined && build !== undefined;
  });
}

const REFUSED: Readonly<Partial<Record<Declaration['kind'], string>>> = {
  environment: 'has environment.',
  env_file: 'has env_file.',
  fromVariable: 'takes its content from a variable.',
};

/** @returns a sentence for each place that has values of variables */
export function variablesOf(files: ComposeFiles): string[] {
  return linesOf(files, ({ kind, owner }) => {
    const reason = REFUSED[kind];
    return reason === undefined ? undefined : `${owner} ${reason}`;
  });
}

/** @returns the names of the variables of each place, without their values */
export function variableNames(files: ComposeFiles): string[] {
  return linesOf(files, ({ kind, owner, names }) =>
    kind === 'environment' ? `${owner}: ${names.join(', ')}` : undefined,
  );
}

/** @returns the configs and secrets whose content is part of a file */
export function literalContents(files: ComposeFiles): string[] {
  return linesOf(files, ({ kind, owner }) => (kind === 'content' ? owner : undefined));
}

/** @returns the directories and files of this machine that services mount */
export function bindMounts(files: ComposeFiles, lookup: Lookup): string[] {
  return linesOf(files, ({ kind, owner, names }, { directory }) => {
    const [written = '', target] = names.map((name) => expanded(name, lookup));
    const mount = kind === 'shortMount' ? hostPathOf(written) : kind === 'bindMount' ? [written, target] : undefined;
    if (mount === undefined) return undefined;
    const [source = '', place = ''] = mount;
    const locator = { directory, home: lookup('HOME'), keepsPaths: false, readsVariableFiles: false };
    return `${owner}: ${textOf(locateInput(scalar(source, NOWHERE), locator)) ?? source} on ${place}`;
  });
}

/** @returns the lines of files that look like secrets, without their text */
export function secretLines(files: readonly PublishedFile[]): string[] {
  return files
    .flatMap(({ name, content }) => secretsIn(name, Buffer.from(content.bytes).toString()))
    .map(({ file, line, kind }) => `${file}:${line}: ${kind}`);
}

function linesOf(
  files: ComposeFiles,
  lineOf: (declaration: Declaration, file: PublishedComposeFile) => string | undefined,
): string[] {
  const lines = files.flatMap((file) =>
    file.declarations.flatMap((declaration) => {
      const line = lineOf(declaration, file);
      return line === undefined ? [] : [`${file.name}: ${line}`];
    }),
  );
  return [...new Set(lines)];
}

const NOWHERE = { file: '', line: 1, column: 1 };

/** @returns source and target; undefined for what is not a bind mount */
function hostPathOf(mount: string): readonly [source: string, target: string] | undefined {
  try {
    const [node] = expandMount(scalar(mount, NOWHERE), []);
    if (textOf(child(node, 'type')) !== 'bind') return undefined;
    return [textOf(child(node, 'source')) ?? '', textOf(child(node, 'target')) ?? ''];
  } catch (error) {
    // A service that is not part of the project may be invalid. It is published nevertheless.
    if (error instanceof ComposeFailure) return undefined;
    throw error;
  }
}

function expanded(text: string, lookup: Lookup): string {
  try {
    return expandTemplate(text, lookup);
  } catch (error) {
    if (error instanceof TemplateError) return text;
    throw error;
  }
}
