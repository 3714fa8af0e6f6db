// The layering of docs/architecture.md as lint rules, next to the usual strictness. A rule that can be checked here stands nowhere else.
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';
import { crossProduct } from './tools/lint/cross-product.mjs';
import { insideTheProject } from './tools/lint/inside-the-project.mjs';
import { literalRegexp } from './tools/lint/literal-regexp.mjs';

const runtimes = ['@kruise/kube', '@kruise/admission', '@kruise/cri'];

/** The parser of this Node gets some keys wrong (libs/objects/src/json/escaped-keys.ts). */
const nativeParser = { object: 'JSON', property: 'parse', message: 'Use parseJsonText or parseLossless: their keys come out right.' };

/** What a pure file may not touch: I/O, clocks, timers, randomness, the process. */
const purity = {
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      // Hashing is as pure as what it hashes.
      patterns: [{ group: ['node:*', '!node:crypto'], message: 'A pure file does no I/O.' }],
      paths: [
        ...runtimes.map((name) => ({
          name,
          message: 'A pure file takes nothing but types from a runtime project.',
          allowTypeImports: true,
        })),
      ],
    },
  ],
  'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'setImmediate', 'fetch', 'Buffer', 'performance'],
  'no-restricted-properties': [
    'error',
    { object: 'Math', property: 'random', message: 'Take the randomness as an input.' },
    { object: 'Date', property: 'now', message: 'Take `now` as an input.' },
    nativeParser,
  ],
};

const takesNow = { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take `now` as an input.' };

/** Where the node agent, the plugin and the exporter do I/O, by name. The other files of these programs decide, and are pure. */
const inputAndOutput = [
  // Programs, and what surrounds the work.
  'apps/*/src/*.ts',
  'apps/*/src/{process,runtime}/**',
  'apps/*/src/**/{carry-out,controller,execute,index,observe-*,triggers}.ts',
  // What the plugin asks and prints: the process, the cluster, the commands.
  'apps/kubectl-kruise/src/{session,commands}/**',
  // The node agent's hands: sockets, processes, files, the runtime.
  'apps/daemon/src/container-meta/restarter.ts',
  'apps/daemon/src/containers/{http-get-hook,run-hook,stop-pod-container}.ts',
  'apps/daemon/src/names/resolve-host.ts',
  'apps/daemon/src/images/{pull-once,credentials/*}.ts',
  'apps/daemon/src/probes/{exec-probe,http-probe,tcp-probe,probe-address,probe-outcome,worker}.ts',
];

const layers = [
  { sourceTag: 'layer:objects', onlyDependOnLibsWithTags: ['layer:none', 'type:testing'] },
  { sourceTag: 'layer:cron', onlyDependOnLibsWithTags: ['layer:objects', 'type:testing'] },
  { sourceTag: 'layer:api', onlyDependOnLibsWithTags: ['layer:objects', 'type:testing'] },
  { sourceTag: 'layer:pods', onlyDependOnLibsWithTags: ['layer:objects', 'layer:api', 'type:testing'] },
  { sourceTag: 'layer:workloads', onlyDependOnLibsWithTags: ['layer:objects', 'layer:api', 'layer:pods', 'type:testing'] },
  {
    sourceTag: 'layer:kinds',
    onlyDependOnLibsWithTags: ['layer:objects', 'layer:cron', 'layer:api', 'layer:pods', 'layer:workloads', 'type:testing'],
  },
  {
    sourceTag: 'layer:insight',
    onlyDependOnLibsWithTags: ['layer:objects', 'layer:api', 'layer:pods', 'layer:workloads', 'layer:kinds', 'type:testing'],
  },
  { sourceTag: 'layer:kube', onlyDependOnLibsWithTags: ['layer:objects', 'type:testing'] },
  { sourceTag: 'layer:admission', onlyDependOnLibsWithTags: ['layer:objects', 'layer:kube', 'type:testing'] },
  { sourceTag: 'layer:process', onlyDependOnLibsWithTags: ['layer:objects', 'layer:kube', 'type:testing'] },
  { sourceTag: 'layer:cri', onlyDependOnLibsWithTags: ['layer:none', 'type:testing'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: ['type:pure'] },
  { sourceTag: 'scope:manager', notDependOnLibsWithTags: ['scope:node'] },
  { sourceTag: 'scope:node', notDependOnLibsWithTags: ['scope:manager'] },
  { sourceTag: 'scope:state-metrics', notDependOnLibsWithTags: ['scope:manager', 'scope:node'] },
  { sourceTag: 'scope:kubectl', notDependOnLibsWithTags: ['scope:manager', 'scope:node', 'scope:state-metrics'] },
];

const oneRunsAlone = 'A test that runs alone hides all others.';
const noReason = 'Skip with skipUnless of @kruise/testing, which tells the reason; a test that is to be written is no test.';
const jestFunction = '/^(it|test|describe)$/';

/** Tests that do not run, unless the output tells why: `it.only`, `describe.skip.each`, `it.concurrent.skip`, `test.todo`, `xit`. */
const silentTests = [
  ...['object.name', 'object.object.name'].flatMap((of) => [
    { selector: `MemberExpression[${of}=${jestFunction}][property.name='only']`, message: oneRunsAlone },
    { selector: `MemberExpression[${of}=${jestFunction}][property.name=/^(skip|todo|failing)$/]`, message: noReason },
    { selector: `MemberExpression[${of}=${jestFunction}][property.value=/^(only|skip|todo|failing)$/]`, message: noReason },
  ]),
  { selector: 'Identifier[name=/^(fit|fdescribe)$/]', message: oneRunsAlone },
  { selector: 'Identifier[name=/^(xit|xtest|xdescribe)$/]', message: noReason },
];

const longerThanMade = ['maxLength', 'maxKeys']
  .map((name) => `Property[key.name='${name}'][value.value>10]`)
  .map((limit) => `CallExpression[callee.object.name='fc'] > ObjectExpression:has(> ${limit}):not(:has(> Property[key.name='size']))`);

/** fast-check makes lists and texts of at most ten, whatever their `maxLength`: longer histories were never tried. */
const shortLists = longerThanMade.map((selector) => ({
  selector,
  message: "fast-check makes no more than about ten of them unless `size: 'max'` is given.",
}));

const noSleep = 'A unit test does not sleep: step a FakeClock, await what the code says, or use eventually of @kruise/testing.';

const sleeps = [
  "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout']",
  "ImportDeclaration[source.value='node:timers/promises'] > ImportSpecifier[imported.name=/^(setTimeout|scheduler)$/]",
].map((selector) => ({ selector, message: noSleep }));

/** Unit tests whose subject is real time. */
const mayTakeTime = [
  // An idle TLS connection outlives the server's own timeout of requests, which is a real timer.
  'libs/admission/src/server/webhook-server.test.ts',
  // Timers that a test leaves behind are what it looks for.
  'tools/tasks/jest/open-handles.test.ts',
];

/** Applies to every file. A later rule of the same name replaces the earlier one, so each block with exceptions of its own lists these again. */
const restrictedSyntax = [
  { selector: 'ExportAllDeclaration', message: 'Name what you export.' },
  { selector: 'ExportDefaultDeclaration', message: 'Use named exports.' },
  ...silentTests,
  ...shortLists,
];

/** Refuses imports at run time that keep a whole library in a bundle. Tests are not bundled. */
const wholeLibraries = {
  selector: 'ImportExpression[source.value=/^@kruise\\u002F/]',
  message: 'A bundle keeps every export of a library that is imported at run time: import a file of the app that takes what it needs.',
};

/** The same without what concerns only tests: pure code may name a variable `fit`. */
const restrictedInPureCode = restrictedSyntax.filter((rule) => !silentTests.includes(rule));

/** Where regular expressions are made while the program runs. */
const mayMakeRegexps = [
  // Copies of literals, so that `lastIndex` is nobody else's.
  'libs/objects/src/{selectors/selector-text,values/duration}.ts',
  // Written in that file, used whole and in messages.
  'libs/objects/src/metadata/names.ts',
  // Of the schemas in libs/api, nobody else's.
  'libs/api/src/schema/conforms.ts',
  // One character at a time: nothing to go back over.
  'libs/objects/src/re2/character-class.ts',
  // From a flag of the program, for names of its own loggers.
  'libs/process/src/logging/vmodule.ts',
];

/** What a review waits for, on the thread of all other reviews; rules that read lists of users (docs/decisions/bounds-by-type.md). */
const whileReviewsWait = [
  'libs/{api,objects,pods,workloads}/src/**/*.ts',
  'libs/admission/src/{review,server}/**/*.ts',
  'apps/manager/src/{module,pod-admission,webhooks}/**/*.ts',
  'apps/manager/src/**/{admission,admission-*,pod-check,pod-deletion-check,pod-step,pod-webhook,serverless-step,step}.ts',
  'libs/kinds/src/{persistentpodstate,workloadspread}/**/{inject,choose-subset}.ts',
];

/** Tests of the pure projects use @kruise/testing, which builds on those projects: a circle of files that no program contains. */
const testsOnly = ['objects', 'api', 'pods'].map((project) => [project, 'testing']);

export default tseslint.config(
  { ignores: ['**/node_modules/**', '**/dist/**', '**/generated/**', '.nx/**', 'tools/cluster/binaries/**'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    plugins: {
      '@nx': nx,
      kruise: {
        rules: {
          'cross-product': crossProduct,
          'inside-the-project': insideTheProject(import.meta.dirname),
          'literal-regexp': literalRegexp,
        },
      },
    },
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { enforceBuildableLibDependency: false, allow: [], depConstraints: layers, ignoredCircularDependencies: testsOnly },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': ['error', ...restrictedSyntax, wholeLibraries],
      'kruise/inside-the-project': 'error',
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
      complexity: ['error', { max: 12, variant: 'modified' }],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      eqeqeq: 'error',
    },
  },
  {
    files: ['{libs,apps}/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.testing.ts', '**/testing.ts', '**/testdata/**', '**/testing/**'],
    rules: { 'no-restricted-properties': ['error', nativeParser] },
  },
  {
    files: ['{libs,apps}/*/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.testing.ts', '**/testing.ts', '**/testdata/**', '**/testing/**', ...mayMakeRegexps],
    rules: { 'kruise/literal-regexp': 'error' },
  },
  {
    files: whileReviewsWait,
    ignores: ['**/*.test.ts', '**/*.testing.ts', '**/testing.ts', '**/testdata/**', '**/testing/**'],
    rules: { 'kruise/cross-product': 'error' },
  },
  {
    files: ['libs/{objects,cron,api,pods,workloads,kinds,insight}/src/**/*.ts', 'apps/{daemon,kubectl-kruise,state-metrics}/src/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.testing.ts', '**/testing.ts', '**/testdata/**', ...inputAndOutput],
    rules: { ...purity, 'no-restricted-syntax': ['error', ...restrictedInPureCode, takesNow, wholeLibraries] },
  },
  {
    files: ['**/*.test.ts', '**/*.testing.ts', 'libs/testing/**/*.ts', 'e2e/**/*.ts', 'tools/**/*.ts', '**/testing.ts', '**/testdata/**'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      complexity: 'off',
      'max-params': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  // Tools build, check and measure the projects: they import any of them, and nobody imports a tool.
  { files: ['tools/**/*.ts'], rules: { '@nx/enforce-module-boundaries': 'off' } },
  {
    files: ['**/*.test.ts', '**/*.testing.ts', '**/testing.ts'],
    ignores: ['**/*.int.test.ts', '**/int-tests/**', 'apps/daemon/src/daemon-process.testing.ts', 'e2e/**', ...mayTakeTime],
    rules: { 'no-restricted-syntax': ['error', ...restrictedSyntax, ...sleeps] },
  },
  // The schema sources are data tables: one long literal a kind.
  { files: ['libs/api/src/kinds/*/schema*.ts'], rules: { 'max-lines': 'off' } },
  { files: ['*.config.mjs'], languageOptions: { sourceType: 'module' } },
  prettier,
);
