/** The parts of what is generated. A part loads its emitters when it is made: that takes longer than to skip it. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { GeneratedFiles, GeneratedPart } from './generated-part.js';
import type { OpenApiDocument } from './read/openapi-document.js';

const catalogueFile = 'openapi/problems.yaml';

/** Lists the parts: the catalogue of problems, every API, and GraphQL if there is a schema. */
export async function generatedParts(): Promise<GeneratedPart[]> {
  const catalogue = once(async () => (await import('./read/bundle.js')).bundleProblems(catalogueFile));
  const problems: GeneratedPart = {
    name: 'problems',
    sources: await filesFrom(catalogueFile),
    draft: async () => (await import('./generate.js')).generateProblems(await catalogue()),
  };
  const apis = (await contractNames()).map(async (name): Promise<GeneratedPart> => {
    const sources = await filesFrom(`openapi/${name}.yaml`);
    const draft = async (): Promise<GeneratedFiles> => (await import('./generate.js')).generateApi(name, catalogue());
    return { name, sources: [...new Set([...sources, ...problems.sources])], draft };
  });
  return [problems, ...(await Promise.all(apis)), ...(await graphqlParts())];
}

async function graphqlParts(): Promise<GeneratedPart[]> {
  if (!existsSync('graphql/schema.graphql')) return [];
  const entries = await readdir('graphql', { recursive: true, withFileTypes: true });
  const sources = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const draft = async (): Promise<GeneratedFiles> => (await import('./graphql/generate-graphql.js')).generateGraphql();
  return [{ name: 'graphql', sources: ['codegen.yml', ...sources.sort()], draft }];
}

/** Every file of `openapi/` that has paths is the contract of one API. */
async function contractNames(): Promise<string[]> {
  const names: string[] = [];
  for (const file of (await readdir('openapi')).filter((each) => each.endsWith('.yaml')).sort()) {
    const text = await readFile(`openapi/${file}`, 'utf8');
    // Parsing all files takes longer than to generate nothing.
    if (!/^paths:/m.test(text)) continue;
    const document: unknown = parse(text);
    if (typeof document === 'object' && document !== null && 'paths' in document) names.push(file.slice(0, -5));
  }
  return names;
}

/**
 * Lists a file and the files that it leads to. Every name of a YAML file that exists counts as a reference, so that no
 * form of a reference is missed.
 */
async function filesFrom(first: string): Promise<string[]> {
  const found = new Set([first]);
  // A set iterates over what is added meanwhile, too.
  for (const file of found) {
    const text = await readFile(file, 'utf8');
    for (const [name] of text.matchAll(/[\w./-]+\.yaml/g)) {
      const path = join(dirname(file), name);
      if (existsSync(path)) found.add(path);
    }
  }
  return [...found].sort();
}

function once(make: () => Promise<OpenApiDocument>): () => Promise<OpenApiDocument> {
  let made: Promise<OpenApiDocument> | undefined;
  return () => (made ??= make());
}
