import type { Rule } from 'eslint';

export declare const literalRegexp: Rule.RuleModule;
