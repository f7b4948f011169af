import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

/** The files that each file imports, by path; imports of types count as well as dynamic ones. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Reads the imports between the TypeScript files below a folder. */
export function readImportGraph(folder: string): ImportGraph {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
      const targets = importedFiles
        .filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => normalize(join(dirname(file), fileName)).replace(/\.js$/, ''))
        .flatMap((target) => [`${target}.ts`, `${target}.tsx`]);
      return [file, targets.filter((target) => known.has(target))];
    }),
  );
}

/** Returns one cycle for each file that is the first to close one, as the files on the way. */
export function importCycles(graph: ImportGraph): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file]);
    else if (!done.has(file)) {
      for (const target of graph.get(file) ?? []) visit(target, [...way, file]);
      done.add(file);
    }
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}
