import type { Rule } from 'eslint';

export declare const crossProduct: Rule.RuleModule;
