import ts from 'typescript';
import { expect, it } from 'vitest';

const entryPoints = {
  '.': 'sdk/src/index.ts',
  './analytics': 'sdk/src/analytics.ts',
  './compose': 'sdk/src/compose.ts',
  './compose/paths': 'sdk/src/compose/paths.ts',
  './platform/paths': 'sdk/src/platform/paths.ts',
  './webhooks': 'sdk/src/webhooks.ts',
  './compose/node': 'sdk/src/compose/node.ts',
  './platform': 'sdk/src/platform.ts',
  './testing': 'sdk/src/testing.ts',
};

it('exports what exported-symbols.txt lists (update the file with `vitest run -u` if a change is intended)', async () => {
  const program = ts.createProgram(Object.values(entryPoints), options());
  const checker = program.getTypeChecker();
  const lines = Object.entries(entryPoints).flatMap(([subpath, file]) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is not a module`);
    return checker.getExportsOfModule(module).map((symbol) => `${subpath} ${kindOf(symbol)} ${symbol.name}`);
  });
  await expect(`${lines.sort().join('\n')}\n`).toMatchFileSnapshot('exported-symbols.txt');

  function kindOf(symbol: ts.Symbol): string {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (target.flags & ts.SymbolFlags.Class) return 'class';
    if (target.flags & ts.SymbolFlags.Function) return 'function';
    return target.flags & ts.SymbolFlags.Value ? 'const' : 'type';
  }
});

function options(): ts.CompilerOptions {
  const parsed = ts.getParsedCommandLineOfConfigFile(
    'sdk/tsconfig.json',
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (fault) => {
        throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, '\n'));
      },
    },
  );
  if (parsed === undefined) throw new Error('sdk/tsconfig.json cannot be read');
  return parsed.options;
}
