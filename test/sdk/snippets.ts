import { join, resolve } from 'node:path';
import ts from 'typescript';

/** What the snippets take for granted, so that each of them can be short. */
const assumed = `
declare const client: import('@plumbline/sdk/platform').PlatformClient;
declare const compose: import('@plumbline/sdk/compose').ComposeClient;
declare const configId: string;
declare const runId: string;
declare const orgId: string;
declare const email: string;
declare const password: string;
declare const address: string;
declare const serviceToken: string;
declare function show(message: string): void;
`;

/** Compiles each text as a separate module that imports the SDK. @returns the compiler's errors */
export function snippetFaults(texts: readonly string[]): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    paths: {
      '@plumbline/sdk': [resolve('sdk/src/index.ts')],
      '@plumbline/sdk/platform': [resolve('sdk/src/platform.ts')],
      '@plumbline/sdk/analytics': [resolve('sdk/src/analytics.ts')],
      '@plumbline/sdk/compose': [resolve('sdk/src/compose.ts')],
      '@plumbline/sdk/testing': [resolve('sdk/src/testing.ts')],
      '@plumbline/sdk/webhooks': [resolve('sdk/src/webhooks.ts')],
      '@plumbline/sdk/compose/node': [resolve('sdk/src/compose/node.ts')],
      '@plumbline/sdk/platform/paths': [resolve('sdk/src/platform/paths.ts')],
    },
  };
  const folder = resolve('sdk');
  const files = new Map(texts.map((text, index) => [join(folder, `snippet-${index + 1}.ts`), `export {};\n${text}`]));
  files.set(join(folder, 'snippets-assumed.d.ts'), assumed);
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.getSourceFile = (path, language) => {
    const text = files.get(path);
    return text === undefined ? getSourceFile(path, language) : ts.createSourceFile(path, text, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const index = file === undefined ? '' : file.fileName.slice(folder.length + 1);
    return `${index}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
