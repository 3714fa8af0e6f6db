/** Lint of files with objects of Kruise, without a cluster. */
export { isLintId, lintIds, lintRules } from './findings/catalog.ts';
export type { LintId, Severity } from './findings/catalog.ts';
export type { LintedObject } from './objects/linted.ts';
export type { Finding } from './findings/finding.ts';
export { lintObjects } from './lint.ts';
export type { LintOptions } from './lint.ts';
