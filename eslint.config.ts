import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import type { Rule } from 'eslint';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { exactReplies } from './src/codegen/lint/exact-replies.js';

/**
 * The folders of the product in the order in which imports may point: each only at those after it. Between packages, the
 * manifests decide (`test/house/packages.test.ts`).
 */
const layers = ['cli', 'platform', 'sync', 'analytics', 'database'].map((name) => `./src/${name}`);

/** The console runs in browsers: it may import itself, the SDK by its name, and what is bundled with it. */
const consoleImports = [
  { name: '@plumbline/sdk', entries: '(/(platform|analytics))?' },
  { name: 'preact', entries: '(/(hooks|jsx-runtime))?' },
  { name: 'lean-qr', entries: '(/extras/svg)?' },
  { name: 'wouter-preact', entries: '' },
  { name: '@tanstack/preact-query', entries: '' },
  { name: 'd3-array', entries: '' },
  { name: 'd3-sankey', entries: '' },
  { name: 'd3-shape', entries: '' },
];
/** The page of `compose serve` is a bundle for another server, whose API is that of compose. */
const importedByConsole = (api: string): string =>
  consoleImports.map(({ name, entries }) => `${name}${entries.replace('platform|analytics', api)}$`).join('|');

const consoleRule = (api: string): ['error', object] => [
  'error',
  {
    patterns: [
      {
        regex: `^(?!\\.|${importedByConsole(api)})`,
        message: 'The console is bundled with a few packages; another one has to fit into its budget first.',
      },
      { regex: '^(\\.\\./)+(sdk|node_modules)/', message: 'Import packages by their name.' },
    ],
  },
];

const zones = layers.slice(1).map((target, index) => ({
  target,
  from: layers.slice(0, index + 1),
  message: 'Imports point one way: cli -> platform -> sync -> analytics -> database.',
}));

export default defineConfig(
  {
    ignores: [
      'dist/',
      'generated/',
      'sdk/dist/',
      'src/*/dist/',
      'sdk/src/generated/',
      'coverage/',
      'test/consumers/',
      '.plumbline/',
      '.cache/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    // The sources import .js files, as they will be called once built.
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({
          conditionNames: ['@plumbline/source', 'import', 'node', 'default'],
          extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
        }),
      ],
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // Our interfaces are records of functions that close over their state: there is no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Numbers read well in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}', 'sdk/src/**/*.ts'],
    rules: {
      'no-console': 'error',
      '@typescript-eslint/explicit-function-return-type': ['error', { allowExpressions: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/contract/page-routes.ts', 'src/console/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          name: '@koa/router',
          allowTypeImports: true,
          message: 'Add a page to the list of its server (PageRoute): then it passes the pipeline.',
        },
      ],
    },
  },
  {
    files: ['src/platform/**/*.ts', 'src/compose/service/**/*.ts'],
    // The two packages type a rule's context differently; at run time it is the same object.
    plugins: { plumbline: { rules: { 'exact-replies': exactReplies as unknown as Rule.RuleModule } } },
    rules: { 'plumbline/exact-replies': 'error' },
  },
  {
    files: ['src/cli/**/*.ts', 'src/codegen/**/*.ts', 'src/contract-tools/{commands,main,diff/main}.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['src/console/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/no-restricted-imports': consoleRule('platform|analytics') },
  },
  {
    files: ['src/console/containers/**/*.{ts,tsx}'],
    rules: { '@typescript-eslint/no-restricted-imports': consoleRule('compose') },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // Replies are looked into freely: the contract recorder has validated them before a test sees them.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
